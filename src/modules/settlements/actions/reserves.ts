/** Money of a seller that is held back, and given free: always by name, amount and reason. */

import { dayOf } from '../../../kernel/australia/sydney.ts';
import { lessMinor, type Minor, negated, sumMinor } from '../../../kernel/money.ts';
import { insertJob } from '../../../platform/jobs/job-statements.ts';
import {
  type Because,
  findPostedLine,
  keyOf,
  type LedgerCtx,
  postJournals,
  statementLegs,
} from '../../ledger/index.ts';
import { holdReserve, insertReserve, type Reserve, setReleased } from '../store/reserves.ts';

/** Releases on its day what is left of a reserve. */
export const RELEASE_JOB = 'financials.release_reserve';

export type Held = 'held' | 'known' | 'differs';

/** Holds money back from now on, until it is released by name or by its day. */
export async function holdMoney(
  ctx: LedgerCtx,
  reserve: Omit<Reserve, 'released_minor' | 'held_at'>,
  because: Because,
): Promise<Held> {
  const { db, sellerId, ids, now } = ctx;
  const { reserve_id, amount_minor, currency, reason_code, release_on } = reserve;
  if (!(await insertReserve(db, sellerId, { ...reserve, held_at: because.occurred_at }))) {
    const known = await holdReserve(db, sellerId, reserve_id);
    const same =
      known?.amount_minor === amount_minor &&
      known.reason_code === reason_code &&
      known.release_on === release_on;
    return same ? 'known' : 'differs';
  }
  await postJournals(ctx, [
    {
      ...because,
      kind: 'reserve_held',
      key: `reserve ${reserve_id}`,
      currency,
      reason_code,
      legs: statementLegs(negated(amount_minor), {
        type: 'reserve_hold',
        description: `Reserve held ${reserve_id}`,
        related_id: reserve_id,
      }),
    },
  ]);
  if (release_on !== null) {
    const dueAt = dayOf(release_on).start;
    const uniqueKey = `${sellerId} ${reserve_id}`;
    const job = { kind: RELEASE_JOB, sellerId, payload: { reserve_id }, uniqueKey, dueAt };
    await db.run(insertJob(ids.next('job_'), job, now()));
  }
  return 'held';
}

export type Released = 'released' | 'known' | 'not_found' | 'exceeded';

/**
 * Gives money free.
 *
 * @param amount undefined: all that is left
 * @param key of the journal; default: of the marketplace's release of this name
 */
export async function releaseMoney(
  ctx: LedgerCtx,
  reserveId: string,
  releaseId: string,
  amount: Minor | undefined,
  because: Because,
  key = keyOf('reserve_release', reserveId, releaseId),
): Promise<Released> {
  const { db, sellerId } = ctx;
  const reserve = await holdReserve(db, sellerId, reserveId);
  if (reserve === undefined) return 'not_found';
  const known = await findPostedLine(db, sellerId, key);
  if (known !== undefined) return amount === undefined || known.amount === amount ? 'known' : 'exceeded';
  const left = lessMinor(reserve.amount_minor, reserve.released_minor);
  const released = amount ?? left;
  if (left === 0n || released > left) return 'exceeded';
  await setReleased(db, sellerId, reserveId, sumMinor([reserve.released_minor, released]));
  const line = {
    type: 'reserve_release',
    description: `Reserve released ${releaseId}`,
    related_id: releaseId,
  } as const;
  const { currency, reason_code } = reserve;
  const legs = statementLegs(released, line);
  await postJournals(ctx, [{ ...because, kind: 'reserve_released', key, currency, reason_code, legs }]);
  return 'released';
}

/** Releases what is left of a reserve whose day has come; safe to repeat. */
export async function releaseOnItsDay(ctx: LedgerCtx, reserveId: string): Promise<void> {
  const reserve = await holdReserve(ctx.db, ctx.sellerId, reserveId);
  if (reserve === undefined || reserve.release_on === null) return;
  if (reserve.released_minor === reserve.amount_minor) return;
  const due = Math.max(dayOf(reserve.release_on).start, Date.parse(reserve.held_at));
  const occurred_at = new Date(due).toISOString();
  const because = { occurred_at, actor: 'system', source_event_id: null };
  // A key of its own: the marketplace may have given a release of a part the same name.
  const key = keyOf('reserve_release_on', reserveId, reserve.release_on);
  await releaseMoney(ctx, reserveId, `${reserveId}:${reserve.release_on}`, undefined, because, key);
}
