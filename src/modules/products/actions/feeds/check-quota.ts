import { startOfDay } from '../../../../kernel/australia/sydney.ts';
import { limitSentence, type Plan, planLimit } from '../../../../kernel/plans.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import { countRunsSince } from '../../store/feed-runs.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';

/** A client that sleeps until the quota restarts should not have to sleep for longer. */
const RETRYABLE_SECONDS_MAX = 3_600;

/**
 * Refuses another run that would apply products, if the plan's runs of the Sydney day are used up.
 *
 * @throws ApiError 429
 */
export async function checkQuota(ctx: HandlerCtx, plan: Plan): Promise<void> {
  const { start, next } = startOfDay(ctx.now());
  const used = await countRunsSince(ctx, new Date(start).toISOString());
  if (used < planLimit(plan, 'feed_runs_per_day')) return;
  const seconds = Math.ceil((next - ctx.now()) / 1000);
  const resets_at = new Date(next).toISOString();
  throw feedFailure(feedErrors.feed_quota_reached, {
    detail: `All feed runs of today are used: ${limitSentence(plan, 'feed_runs_per_day')}. The count restarts at midnight in Sydney (${resets_at}). Stock files and dry runs are still accepted.`,
    retryable: seconds <= RETRYABLE_SECONDS_MAX,
    facts: { resets_at },
    headers: { 'retry-after': String(seconds) },
  });
}
