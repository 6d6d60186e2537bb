/** The staff of the shop with a past: accepts its orders and dispatches them a little later. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock, Logger } from '../../src/kernel/context.ts';
import { listOf, type Owner, textOf } from '../shop-owner.ts';

interface StaffOptions {
  readonly owner: Owner;
  /** The service's clock. */
  readonly now: Clock;
  readonly log: Logger;
  /** Part of all Idempotency-Keys, so that they differ from those of earlier runs. */
  readonly run: string;
}

interface Staff {
  /** Dispatches accepted orders and accepts waiting ones. */
  step(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const STEP_EVERY_MS = 20_000;
/** Orders wait this long, so that a visitor can see some waiting. */
const ACCEPT_AFTER_MS = 90_000;
const ORDERS_AT_ONCE = 50;

/** The staff of one owner's shop; works from `start` on. */
export function createStaff({ owner, now, log, run }: StaffOptions): Staff {
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let parcels = 0;
  let round = 0;

  const ordersIn = async (status: string): Promise<ReturnType<typeof listOf>> =>
    listOf((await owner.get(`/orders?status=${status}&limit=${ORDERS_AT_ONCE}`)).body);

  async function act(verb: 'accept' | 'dispatch', items: readonly object[]): Promise<void> {
    if (items.length === 0) return;
    round += 1;
    const { status } = await owner.post(`/orders/bulk/${verb}`, `staff-${run}-${round}`, { items });
    if (status >= 400) log.debug({ verb, status }, 'a request of the demo shop’s staff was refused');
  }

  async function step(): Promise<void> {
    const accepted = await ordersIn('accepted');
    const parcel = ({ order_id }: (typeof accepted)[number]): object => {
      parcels += 1;
      const digits = String((now() + parcels) % 10_000_000).padStart(7, '0');
      return { order_id, carrier: 'australia_post', tracking_number: `2JD${digits}` };
    };
    await act('dispatch', accepted.map(parcel));
    const waiting = await ordersIn('awaiting_acceptance');
    const due = waiting.filter(({ created_at }) => Date.parse(textOf(created_at)) <= now() - ACCEPT_AFTER_MS);
    await act(
      'accept',
      due.map(({ order_id }) => ({ order_id })),
    );
  }

  async function work(): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      await step().catch((error: Error) => {
        if (!signal.aborted) log.debug({ err: error.message }, 'a step of the demo shop’s staff failed');
      });
      await rest(STEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    step,
    start() {
      running = work();
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}
