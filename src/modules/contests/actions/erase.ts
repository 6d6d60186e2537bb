import type { Acting } from '../../../kernel/context.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import type { ContestedKind } from '../domain/contest-machine.ts';
import { eraseTexts, lockContests } from '../store.ts';

/** A contest without its texts, as an event shows it. */
export const withoutTexts = <T extends object>(contest: T): T =>
  'decision' in contest
    ? {
        ...contest,
        detail: null,
        decision: contest.decision === null ? null : { ...(contest.decision as object), detail: null },
      }
    : contest;

/**
 * Deletes what was written about targets whose buyer is erased; the facts have no texts.
 *
 * @returns the ids of the contests
 */
export async function eraseContests(
  ctx: Acting,
  kind: ContestedKind,
  targetIds: readonly string[],
): Promise<string[]> {
  if (targetIds.length === 0) return [];
  // A contest that is submitted at this moment comes before the erasure or after it.
  await lockContests(ctx);
  const ids = await eraseTexts(ctx, kind, targetIds);
  await rewriteEvents(ctx, ids, (data) =>
    data.object === null ? data : { ...data, object: withoutTexts(data.object as object) },
  );
  return ids;
}
