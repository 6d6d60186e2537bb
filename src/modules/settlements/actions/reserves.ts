/** Reserves: money of a seller that is held back and released, each with a name, an amount and a reason. */
import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { lessMinor, type Minor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import { findPostedLine, keyOf, type Occurrence, postJournals, statementLegs } from '../../ledger/index.ts';
import { insertReserve, lockReserve, type Reserve, setReleased } from '../store/reserves.ts';

/** Releases the rest of a reserve on its day. */
export const RELEASE_JOB = 'financials.release_reserve';

type Held = 'held' | 'known' | 'differs';

/** Holds money back until the marketplace releases it, or until its day. */
export async function holdReserve(
  ctx: Acting,
  reserve: Omit<Reserve, 'released_minor' | 'held_at'>,
  occurrence: Occurrence,
): Promise<Held> {
  const { reserve_id, amount_minor, currency, reason_code, release_on } = reserve;
  const row: Reserve = { ...reserve, released_minor: minor(0), held_at: occurrence.occurred_at };
  if (!(await insertReserve(ctx, row))) {
    const known = await lockReserve(ctx, reserve_id);
    const same =
      known?.amount_minor === amount_minor &&
      known.reason_code === reason_code &&
      known.release_on === release_on;
    return same ? 'known' : 'differs';
  }
  await postJournals(ctx, [
    {
      ...occurrence,
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
  if (release_on !== null)
    await ctx.jobs.add({
      kind: RELEASE_JOB,
      payload: { reserve_id },
      uniqueKey: `${ctx.seller_id} ${reserve_id}`,
      dueAt: dayOf(release_on).start,
    });
  return 'held';
}

type Released = 'released' | 'known' | 'not_found' | 'exceeded';

/**
 * Releases money of a reserve.
 *
 * @param amount by default the remaining amount
 * @param key the key of the journal; by default that of the marketplace's release with this name
 */
export async function releaseReserve(
  ctx: Acting,
  reserveId: string,
  releaseId: string,
  amount: Minor | undefined,
  occurrence: Occurrence,
  key = keyOf('reserve_release', reserveId, releaseId),
): Promise<Released> {
  const reserve = await lockReserve(ctx, reserveId);
  if (reserve === undefined) return 'not_found';
  const known = await findPostedLine(ctx, key);
  if (known !== undefined) return amount === undefined || known.amount === amount ? 'known' : 'exceeded';
  const left = lessMinor(reserve.amount_minor, reserve.released_minor);
  const released = amount ?? left;
  if (left === 0n || released > left) return 'exceeded';
  await setReleased(ctx, reserveId, sumMinor([reserve.released_minor, released]));
  const line = {
    type: 'reserve_release',
    description: `Reserve released ${releaseId}`,
    related_id: releaseId,
  } as const;
  const { currency, reason_code } = reserve;
  const legs = statementLegs(released, line);
  await postJournals(ctx, [{ ...occurrence, kind: 'reserve_released', key, currency, reason_code, legs }]);
  return 'released';
}

/** Releases the rest of a reserve whose day has come; safe to repeat. */
export async function releaseOnItsDay(ctx: Acting, reserveId: string): Promise<void> {
  const reserve = await lockReserve(ctx, reserveId);
  if (reserve === undefined || reserve.release_on === null) return;
  if (reserve.released_minor === reserve.amount_minor) return;
  const due = Math.max(dayOf(reserve.release_on).start, Date.parse(reserve.held_at));
  const occurred_at = new Date(due).toISOString();
  const occurrence = { occurred_at, actor: ctx.by.kind, source_event_id: null };
  // This needs a key of its own, because the marketplace may have released a part under the same name.
  const key = keyOf('reserve_release_on', reserveId, reserve.release_on);
  await releaseReserve(ctx, reserveId, `${reserveId}:${reserve.release_on}`, undefined, occurrence, key);
}
