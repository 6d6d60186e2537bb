/** What happens to money by itself, each at its instant on the service's clock. */
import {
  addDays,
  closesAt,
  periodOf,
  type SettlementSchedule,
} from '../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import { closeNext, type OnClosed } from './actions/close-settlements.ts';
import { policyOf } from './policy.ts';
import { sellersToClose, statementStates } from './store/lines.ts';

const CLOSE_JOB = 'financials.close_seller';
const SELLERS_AT_ONCE = 500;
/** A period of a hundred thousand lines takes seconds; this is for a machine that is busy. */
const CLOSE_TIMEOUT_MS = 300_000;

const closesAfter = (day: string): number => closesAt({ start: day, end: day });

/** The next instant at which a period of any schedule may be closed. */
function nextClose(now: number): number {
  const today = sydneyDate(now);
  const first = closesAfter(addDays(today, -1));
  return first > now ? first : closesAfter(today);
}

/** The last day of the last period that is over at an instant. */
function dueThrough(now: number, schedule: SettlementSchedule): string {
  const current = periodOf(sydneyDate(now), schedule);
  const before = periodOf(addDays(current.start, -1), schedule);
  return closesAt(before) <= now ? before.end : addDays(before.start, -1);
}

/** Every night at 02:00 in Sydney: each seller with a period that is over gets a job of its own. */
const closeAll = defineJob({
  kind: 'financials.close_settlements',
  recurring: true,
  async handler(services) {
    const { withSystem, jobs, config } = services;
    const now = services.now();
    const through = dueThrough(now, config.SETTLEMENT_SCHEDULE);
    for (let after = ''; ; ) {
      const sellers = await withSystem('jobs', 'write', async (db) => {
        const found = await sellersToClose(db, after, through, SELLERS_AT_ONCE);
        await Promise.all(
          found.map((sellerId) =>
            jobs.add(db, { kind: CLOSE_JOB, sellerId, uniqueKey: sellerId, dueAt: now }),
          ),
        );
        return found;
      });
      after = sellers.at(-1) ?? '';
      if (sellers.length < SELLERS_AT_ONCE) return { againAt: nextClose(now) };
    }
  },
});

/** Closes the periods of a seller that are over, one transaction for each currency and period. */
const closeSeller = (onClosed: OnClosed) =>
  defineJob({
    kind: CLOSE_JOB,
    recurring: false,
    async handler(services, { seller_id }, signal) {
      const { ids, now, config, jobs, longSeller } = services;
      const sellerId = seller_id ?? '';
      const policy = policyOf(services);
      const inTurn = { statementTimeoutMs: CLOSE_TIMEOUT_MS, lockTimeoutMs: CLOSE_TIMEOUT_MS };
      const states = await longSeller(sellerId, 'read', (db) => statementStates(db, sellerId));
      for (const { currency } of states) {
        for (let closed: object | undefined = {}; closed !== undefined; ) {
          if (signal.aborted) return { againAt: now() };
          closed = await longSeller(
            sellerId,
            'write',
            (db) => {
              const origin = {
                sellerId,
                ids,
                now: now(),
                correlation: { request_id: null, idempotency_key: null },
              };
              const ctx = { db, sellerId, ids, now, actor: 'system', config, jobs };
              return closeNext(
                { ...ctx, emit: (...events) => appendEvents(db, origin, events) },
                policy,
                currency,
                onClosed,
              );
            },
            inTurn,
          );
        }
      }
      return undefined;
    },
  });

/** @param onClosed what other modules do in the transaction of a close */
export const closeJobs = (onClosed: OnClosed) => [closeAll, closeSeller(onClosed)];
