/** Changes of ratings and feedback, with their events. */
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { ContestArea } from '../../contests/index.ts';
import { ratingMachine } from '../domain/ratings.ts';
import { reviewEvents } from '../events.ts';
import { type FeedbackRow, feedback, type RatingRow, ratings } from '../store/ratings.ts';
import { showOne, showRatings } from './show.ts';

export async function changeRating(
  ctx: Acting,
  before: RatingRow,
  change: Partial<RatingRow>,
): Promise<void> {
  const after = await writeVersion(ratings, ctx, before, change);
  await ctx.emit(reviewEvents.changed.of(await showOne(showRatings, ctx, after)));
}

/** Feedback that neither the buyer nor a contest has withdrawn is open until it is acknowledged. */
export const statusOf = (
  { withdrawn_at, acknowledged_at }: Pick<FeedbackRow, 'withdrawn_at' | 'acknowledged_at'>,
  counts: boolean,
): FeedbackRow['status'] => {
  if (withdrawn_at !== null || !counts) return 'withdrawn';
  return acknowledged_at === null ? 'open' : 'acknowledged';
};

/** A decision is about one revision. A rating that was revised since counts by its new stars. */
const ratingContests: ContestArea = {
  kind: 'rating',
  count: async (ctx, { id, revision }, counts) => {
    const row = await ratings.find(ctx, { rating_id: id }, 'for update');
    if (row === undefined || row.revision !== revision) return;
    if (ratingMachine.allows(counts ? 'count' : 'exclude', row.status))
      await changeRating(ctx, row, { status: counts ? 'counted' : 'excluded' });
  },
};

const feedbackContests: ContestArea = {
  kind: 'feedback',
  count: async (ctx, { id }, counts) => {
    const row = await feedback.find(ctx, { feedback_id: id }, 'for update');
    if (row === undefined) return;
    const status = statusOf(row, counts);
    if (status !== row.status) await writeVersion(feedback, ctx, row, { status });
  },
};

export const reviewContests = [ratingContests, feedbackContests];
