/** Replays the past in a new database, before the ports open; a database that has one keeps it. */
import type { App } from '../../src/app.ts';
import type { DueSource } from '../../src/kernel/route.ts';
import { createMoveClock } from '../../src/marketplace/move-clock.ts';
import type { OutboxPage } from '../../src/marketplace/read-outbox.ts';
import { anySellerExists } from '../../src/marketplace/store/any-seller-exists.ts';
import { type PastClock, systemNow } from '../../src/platform/db/clock.ts';
import type { Services } from '../../src/platform/services.ts';
import { createOwner, isObject, listOf, type SendToApi } from '../shop-owner.ts';
import { endPast, type PastProgress, readProgress, startPast, storeSeller } from '../store/past-progress.ts';
import { createSupplierPlan } from '../suppliers/plan-suppliers.ts';
import type { Past } from '../trade/plan-trade.ts';
import { PAST_SHOP } from './past-shop.ts';
import type { SuppliersDo } from './past-step.ts';
import { daysBefore, planPast } from './plan-past.ts';
import { type Replay, send } from './replay.ts';
import { openShop, replaySteps } from './replay-steps.ts';
import { changeTerms } from './shop-standing.ts';

interface ReplayOptions {
  readonly services: Services;
  readonly clock: PastClock;
  /** The sources of work that falls due on the service's clock. */
  readonly due: readonly DueSource[];
  readonly api: App['api'];
  readonly internal: App['api'];
  readonly internalToken: string;
  /** A session of the owner of the shop. */
  readonly session: () => Promise<string>;
  readonly days: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Recurring jobs that move money; the others have nothing to do in a new database. */
const PAST_JOBS = ['financials.close_settlements'];

const throughApi =
  (api: App['api']): SendToApi =>
  async ({ method, path, headers, body }) => {
    const url = `/api/v1${path}`;
    const answer = await api.inject({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, body: answer.json<unknown>() };
  };

function eventSender({ internal, internalToken }: ReplayOptions): Replay['sendEvents'] {
  return async (events) => {
    const answer = await internal.inject({
      method: 'POST',
      url: '/internal/v1/events',
      headers: { authorization: `Bearer ${internalToken}`, 'content-type': 'application/json' },
      payload: JSON.stringify(events),
    });
    if (answer.statusCode !== 200) throw new Error(`events of the past: ${answer.statusCode}`);
    const body = answer.json<unknown>();
    return listOf(isObject(body) ? body['results'] : []).map(({ status, code }) => ({
      status: String(status),
      ...(typeof code === 'string' ? { code } : {}),
    }));
  };
}

/** Suppliers take a minute or two. Their events are so far ahead of the clock, which is allowed up to ten minutes. */
const SUPPLIERS_AHEAD_MS = 120_000;
/** The rounds in which they act, each with whether they read the outbox first: numbering its events takes time. */
const ROUNDS: Readonly<Record<SuppliersDo, readonly boolean[]>> = {
  ...{ count: [false], answer: [true], send: [true, true] },
};
const OUTBOX_PAGE = 1_000;

/** The suppliers of the live demo. What they say has the same ids there, so that it is not said twice. */
function pastSuppliers({ internal, internalToken, due }: ReplayOptions) {
  const plan = createSupplierPlan('past');
  let after = '0';
  const learn = async (at: number): Promise<void> => {
    for (const source of due) await source.runDue();
    for (;;) {
      const url = `/internal/v1/outbox?after=${after}&limit=${OUTBOX_PAGE}`;
      const answer = await internal.inject({
        url,
        headers: { authorization: `Bearer ${internalToken}` },
      });
      if (answer.statusCode !== 200) throw new Error(`outbox of the past: ${answer.statusCode}`);
      const page = answer.json<OutboxPage>();
      for (const event of page.data) plan.learn(event, at);
      after = page.next_after;
      if (!page.has_more) return;
    }
  };
  return async (replay: Replay, what: SuppliersDo, at: number): Promise<void> => {
    for (const reads of ROUNDS[what]) {
      if (reads) await learn(at);
      await send(replay, plan.due(at + SUPPLIERS_AHEAD_MS));
    }
  };
}

async function replayAll(options: ReplayOptions, row: PastProgress, until: number): Promise<string> {
  const { services, clock, due, api, session, signal } = options;
  const { withSystem, jobs } = services;
  await clock.set(row.clock_at);
  const owner = createOwner({ send: throughApi(api), session, now: clock.now });
  for (const kind of PAST_JOBS) await jobs.ensure({ kind, firstDueAt: row.began_at });
  const sellerId = await owner.register(PAST_SHOP);
  await withSystem('clock', 'single', (db) => storeSeller(db, sellerId));
  const move = createMoveClock({ services, clock, due: [jobs] });
  const suppliers = pastSuppliers(options);
  const dueNight = (at: number): Promise<void> =>
    withSystem('jobs', 'single', (db) =>
      jobs.add(db, { kind: 'facts.roll', sellerId, uniqueKey: sellerId, dueAt: at }),
    );
  const replay: Replay = {
    services,
    owner,
    sellerId,
    sendEvents: eventSender(options),
    moveTo: async (at) => void (await move(at)),
    runNight: async (at) => {
      await dueNight(at);
      await move(at);
    },
    suppliersDo: (what, at) => suppliers(replay, what, at),
    signal,
    ...{ beganAt: row.began_at, until },
  };
  if (row.clock_at === row.began_at) await openShop(replay, row.began_at);
  await replaySteps(replay, planPast({ beganAt: row.began_at, until, sellerId }), row.clock_at, until);
  await changeTerms(replay, until);
  // Number the events of the whole past at once; each notification has the instant of its event.
  for (const source of due) await source.runDue();
  const { body } = await owner.get('/notifications?limit=1');
  const up_to = isObject(body) ? body['last_sequence'] : 0;
  await owner.post('/notifications/ack', 'past-read', { up_to });
  // The figures of the nights count the whole past.
  await dueNight(until);
  await withSystem('clock', 'single', (db) => endPast(db, until));
  return sellerId;
}

/** The progress of the replay. In a database without sellers, the past begins `days` days ago. */
async function findProgress({ services: { withSystem }, days }: ReplayOptions, now: number) {
  const known = await withSystem('clock', 'read', readProgress);
  if (known !== undefined || days === 0) return known;
  if (await withSystem('clock', 'read', anySellerExists)) return undefined;
  await withSystem('clock', 'single', (db) => startPast(db, daysBefore(now, days)));
  return withSystem('clock', 'read', readProgress);
}

/** Opens the shop's account with the payment provider, unless it has one. The provider vouches for the shop. */
export async function openPayoutAccount({
  api,
  session,
  services,
}: Pick<ReplayOptions, 'api' | 'session' | 'services'>): Promise<void> {
  const owner = createOwner({ send: throughApi(api), session, now: services.now });
  const { body } = await owner.get('/payouts/account');
  if (!isObject(body) || body['status'] !== 'not_started') return;
  const link = await owner.post('/payouts/onboarding-links', 'past-payouts', {
    return_url: 'http://localhost/',
  });
  if (link.status !== 201) services.log.warn({ status: link.status }, 'the demo shop has no payout account');
}

/** Replays the past to its end. When that fails, the past stays incomplete and the service starts nevertheless. */
async function replayToEnd(options: ReplayOptions, row: PastProgress, until: number): Promise<string | null> {
  const { services, clock, days, print, signal } = options;
  const began = systemNow();
  print(`The demo marketplace replays ${days} past days of trade (DEMO_PAST_DAYS=0 skips them) …`);
  try {
    const sellerId = await replayAll(options, row, until);
    print(`… replayed in ${((systemNow() - began) / 1000).toFixed(1)} s.`);
    return sellerId;
  } catch (error) {
    if (signal.aborted) throw error;
    services.log.error({ err: error }, 'the replay of the demo marketplace’s past failed');
    await services.withSystem('clock', 'single', (db) => endPast(db, until));
    return (await services.withSystem('clock', 'read', readProgress))?.seller_id ?? null;
  } finally {
    clock.release();
  }
}

/**
 * Replays the past of the demo marketplace, unless it was replayed to its end before.
 *
 * @returns undefined in a database that has sellers but no past
 * @throws the signal's reason when the start is cancelled; the next start goes on from there
 */
export async function replayPast(options: ReplayOptions): Promise<Past | undefined> {
  const now = systemNow();
  const row = await findProgress(options, now);
  if (row === undefined) return undefined;
  const until = row.ended_at ?? now;
  const sellerId = row.ended_at === null ? await replayToEnd(options, row, until) : row.seller_id;
  if (sellerId === null) return undefined;
  const plan = planPast({ beganAt: row.began_at, until, sellerId });
  const pending = plan.flatMap((step) =>
    step.kind === 'event' && step.at > until ? [{ at: step.at, event: step.event }] : [],
  );
  return { sellerId, pending };
}
