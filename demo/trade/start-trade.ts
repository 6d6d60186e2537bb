/** Starts the trade of the demo marketplace, and the staff of the shop with a past. */
import type { Clock, Logger } from '../../src/kernel/context.ts';
import { systemNow } from '../../src/platform/db/clock.ts';
import type { CloudEvent } from '../demo-event.ts';
import { PAST_OWNER } from '../past/past-shop.ts';
import { createOwner, type SendToApi } from '../shop-owner.ts';
import { createSupplierPlan } from '../suppliers/plan-suppliers.ts';
import { createTradePlan, type Past } from './plan-trade.ts';
import { createStaff } from './staff.ts';
import { createTrader } from './trader.ts';
import { createWelcome } from './welcome.ts';

interface TradeOptions {
  readonly internalUrl: string;
  readonly internalToken: string;
  /** Absent in a worker; there the shop has no staff. */
  readonly apiUrl: string | undefined;
  /** The service's clock. */
  readonly now: Clock;
  readonly log: Logger;
  readonly past: Past | undefined;
  /** A session of a user of the demo marketplace, with a second factor. */
  readonly session: (email: string) => Promise<string>;
  /** Tells the payment provider of an event that is sent. */
  readonly book?: ((event: CloudEvent) => void) | undefined;
}

export interface Trade {
  stop(): Promise<void>;
}

const STAFF_TIMEOUT_MS = 10_000;

/** Calls the API through its port. */
export const throughPort =
  (apiUrl: string): SendToApi =>
  async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(STAFF_TIMEOUT_MS);
    const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${apiUrl}/api/v1${path}`, init);
    return { status: response.status, body: await response.json() };
  };

/** Starts the trade. Its ids differ from those of earlier runs. */
export function startTrade(options: TradeOptions): Trade {
  const { internalUrl, internalToken: token, apiUrl, now, log, past, session, book } = options;
  const seed = systemNow();
  const run = seed.toString(36);
  const send = apiUrl === undefined ? undefined : throughPort(apiUrl);
  const welcome = send && createWelcome({ send, session, log });
  // Without a provider the marketplace pays settlements itself.
  const plans = [createTradePlan(seed, run, past, book === undefined), createSupplierPlan(run)];
  const trader = createTrader({ internalUrl, token, now, log, plans, welcome, book });
  const staff =
    past === undefined || send === undefined
      ? undefined
      : createStaff({
          owner: createOwner({ send, session: () => session(PAST_OWNER), now }),
          ...{ now, log, run },
        });
  trader.start();
  staff?.start();
  return {
    async stop() {
      await Promise.all([trader.stop(), staff?.stop()]);
    },
  };
}
