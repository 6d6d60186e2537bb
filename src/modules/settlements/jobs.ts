/** The jobs of settlements, debts and reserves. */
import {
  addDays,
  closesAt,
  periodOf,
  type SettlementSchedule,
} from '../../kernel/australia/settlement-period.ts';
import { nextTimeOfDay, sydneyDate } from '../../kernel/australia/sydney.ts';
import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { closeNext, type OnClosed } from './actions/close-settlements.ts';
import { followOldDebt } from './actions/follow-debt.ts';
import { policyOf } from './actions/policy.ts';
import { RELEASE_JOB, releaseOnItsDay } from './actions/reserves.ts';
import { type Debtor, debtors } from './store/debts.ts';
import { sellersToClose, statementStates } from './store/lines.ts';

const CLOSE_JOB = 'financials.close_seller';
const SELLERS_AT_ONCE = 500;
/** A period of a hundred thousand lines takes seconds; a busy machine needs more. */
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

/** Adds a job for each seller with a period that is over, each night at 02:00 in Sydney. */
const closeAll = defineJob({
  kind: 'financials.close_settlements',
  recurring: true,
  async handler(services) {
    const { withSystem, jobs, config } = services;
    const now = services.now();
    const through = dueThrough(now, policyOf({ config }).schedule);
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
    async handler(services, job, signal) {
      const { now, withSellerLong } = services;
      const seller_id = job.seller_id ?? '';
      const policy = policyOf(services);
      const timeouts = { statementTimeoutMs: CLOSE_TIMEOUT_MS, lockTimeoutMs: CLOSE_TIMEOUT_MS };
      const states = await withSellerLong(seller_id, 'read', (db) => statementStates({ db, seller_id }));
      for (const { currency } of states) {
        for (let closed: object | undefined = {}; closed !== undefined; ) {
          if (signal.aborted) return { againAt: now() };
          closed = await withSellerLong(
            seller_id,
            'write',
            (db) => closeNext(acting(services, { db, seller_id }), policy, currency, onClosed),
            timeouts,
          );
        }
      }
      return undefined;
    },
  });

/** The time in Sydney, after the close of the periods that ended on the previous day. */
const DEBT_TIME = { hour: 2, minute: 45 };
const DEBTORS_AT_ONCE = 500;

/** Checks every balance below zero, each night. */
const followDebts = defineJob({
  kind: 'financials.follow_debts',
  recurring: true,
  async handler(services) {
    const { withSystemLong, withSellerLong, now } = services;
    for (let after: Debtor | undefined; ; ) {
      const found = await withSystemLong('jobs', 'read', (db) => debtors(db, after, DEBTORS_AT_ONCE));
      for (const { seller_id, currency } of found)
        await withSellerLong(seller_id, 'write', (db) =>
          followOldDebt(acting(services, { db, seller_id }), currency),
        );
      after = found.at(-1);
      if (found.length < DEBTORS_AT_ONCE) return { againAt: nextTimeOfDay(now(), DEBT_TIME) };
    }
  },
});

/** Releases the rest of a reserve on its day. */
const releaseReserveJob = defineJob({
  kind: RELEASE_JOB,
  recurring: false,
  async handler(services, job) {
    const seller_id = job.seller_id ?? '';
    await services.withSeller(seller_id, 'write', (db) =>
      releaseOnItsDay(acting(services, { db, seller_id }), String(job.payload['reserve_id'])),
    );
    return undefined;
  },
});

/** @param onClosed what other modules do in the transaction of a close */
export const settlementJobs = (onClosed: OnClosed) => [
  closeAll,
  closeSeller(onClosed),
  followDebts,
  releaseReserveJob,
];
