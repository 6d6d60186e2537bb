/** Gives a new data folder its past before the ports open; a folder that has one keeps it. */
import type { App } from '../../src/app.ts';
import type { DueSource } from '../../src/kernel/route.ts';
import { createMoveClock } from '../../src/marketplace/move-clock.ts';
import { anySeller } from '../../src/marketplace/store/any-seller.ts';
import { type PastClock, systemNow } from '../../src/platform/db/clock.ts';
import type { Services } from '../../src/platform/services.ts';
import { createOwner, isObject, listOf, type SendToApi } from '../shop-owner.ts';
import {
  beginHistory,
  endHistory,
  type HistoryRow,
  noteSeller,
  readHistory,
} from '../store/past-progress.ts';
import type { Past } from '../trade/plan-trade.ts';
import { PAST_SHOP } from './past-shop.ts';
import { daysBefore, planHistory } from './plan-past.ts';
import { type HistoryTeller, openShop, tellHistory } from './replay-steps.ts';

export interface HistoryOptions {
  readonly services: Services;
  readonly clock: PastClock;
  /** What falls due on the service's clock. */
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

/** Jobs that repeat and matter to the money; the others find nothing to do in a new database. */
const JOBS_OF_THE_PAST = ['financials.close_settlements'];

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

function tellThrough({ internal, internalToken }: HistoryOptions): HistoryTeller['tell'] {
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

async function tellAll(options: HistoryOptions, row: HistoryRow, until: number): Promise<string> {
  const { services, clock, due, api, session, signal } = options;
  const { withSystem, jobs } = services;
  await clock.set(row.clock_at);
  const owner = createOwner({ send: throughApi(api), session, now: clock.now });
  for (const kind of JOBS_OF_THE_PAST) await jobs.ensure({ kind, firstDueAt: row.began_at });
  const sellerId = await owner.register(PAST_SHOP);
  await withSystem('clock', 'read', (db) => noteSeller(db, sellerId));
  const move = createMoveClock({ services, clock, due: [jobs] });
  const teller: HistoryTeller = {
    services,
    owner,
    sellerId,
    tell: tellThrough(options),
    passTo: async (at) => void (await move(at)),
    signal,
  };
  if (row.clock_at === row.began_at) await openShop(teller, row.began_at);
  await tellHistory(teller, planHistory({ beganAt: row.began_at, until, sellerId }), row.clock_at, until);
  // What happened is numbered together; each notification says when it was.
  for (const source of due) await source.runDue();
  const { body } = await owner.get('/notifications?limit=1');
  const up_to = isObject(body) ? body['last_sequence'] : 0;
  await owner.post('/notifications/ack', 'past-read', { up_to });
  await withSystem('clock', 'read', (db) => endHistory(db, until));
  return sellerId;
}

/** Where the past stands; a database without sellers gets one that begins so many days ago. */
async function findRow({ services: { withSystem }, days }: HistoryOptions, now: number) {
  const known = await withSystem('clock', 'read', readHistory);
  if (known !== undefined || days === 0) return known;
  if (await withSystem('clock', 'read', anySeller)) return undefined;
  await withSystem('clock', 'read', (db) => beginHistory(db, daysBefore(now, days)));
  return withSystem('clock', 'read', readHistory);
}

/** A past that cannot be told is left as it is: the service itself is not to wait for it. */
async function tellOnce(options: HistoryOptions, row: HistoryRow, until: number): Promise<string | null> {
  const { services, clock, days, print, signal } = options;
  const began = systemNow();
  print(`The demo marketplace tells ${days} past days of trade (DEMO_PAST_DAYS=0 leaves them out) …`);
  try {
    const sellerId = await tellAll(options, row, until);
    print(`… told in ${((systemNow() - began) / 1000).toFixed(1)} s.`);
    return sellerId;
  } catch (error) {
    if (signal.aborted) throw error;
    services.log.error({ err: error }, 'the past of the demo marketplace could not be told to its end');
    await services.withSystem('clock', 'read', (db) => endHistory(db, until));
    return (await services.withSystem('clock', 'read', readHistory))?.seller_id ?? null;
  } finally {
    clock.release();
  }
}

/**
 * The past of the demo marketplace, told now if it was not, or not to its end.
 *
 * @returns undefined in a database that has sellers and no past
 * @throws the signal's reason when the start is given up; the next one goes on where this one was
 */
export async function replayPast(options: HistoryOptions): Promise<Past | undefined> {
  const now = systemNow();
  const row = await findRow(options, now);
  if (row === undefined) return undefined;
  const until = row.ended_at ?? now;
  const sellerId = row.ended_at === null ? await tellOnce(options, row, until) : row.seller_id;
  if (sellerId === null) return undefined;
  const plan = planHistory({ beganAt: row.began_at, until, sellerId });
  const pending = plan.flatMap((deed) =>
    deed.kind === 'tell' && deed.at > until ? [{ at: deed.at, event: deed.event }] : [],
  );
  return { sellerId, pending };
}
