/**
 * The quota of runs of a Sydney day. Only a run that applies something uses one of them, so a run finds out while it
 * reads its rows whether it needs one.
 * Source: docs/design/feeds-and-imports.md#feed-runs.
 */
import { startOfDay } from '../../../../kernel/australia/sydney.ts';
import type { SellerCtx } from '../../../../kernel/context.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import { limitSentence, type Plan, planLimit } from '../../../../kernel/plans.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { RunError } from '../../domain/feed-run/run.ts';
import { countRunsSince } from '../../store/feed-runs.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';

/** A client that sleeps until the quota restarts should not have to sleep for longer. */
const RETRYABLE_SECONDS_MAX = 3_600;

export const QUOTA_CODE = feedErrors.feed_quota_reached.code;

/** When the quota restarts after an instant in milliseconds, and in how many seconds. */
export function quotaRestart(at: number): { readonly resets_at: string; readonly seconds: number } {
  const { next } = startOfDay(at);
  return { resets_at: new Date(next).toISOString(), seconds: Math.ceil((next - at) / 1000) };
}

/**
 * Why a run may apply nothing: the plan's runs of the day are used up. The caller holds the lock of the seller's
 * writing runs, so no other run uses the quota until its transaction ends.
 */
export async function refusalByQuota(
  ctx: SellerDb & Pick<SellerCtx, 'now'>,
  plan: Plan,
): Promise<RunError | undefined> {
  const now = ctx.now();
  const used = await countRunsSince(ctx, new Date(startOfDay(now).start).toISOString());
  if (used < planLimit(plan, 'feed_runs_per_day')) return undefined;
  const { resets_at, seconds } = quotaRestart(now);
  return {
    code: QUOTA_CODE,
    detail: `All feed runs of today are used: ${limitSentence(plan, 'feed_runs_per_day')}. The count restarts at midnight in Sydney (${resets_at}). Stock files, dry runs and files that change nothing are still accepted.`,
    retryable: seconds <= RETRYABLE_SECONDS_MAX,
  };
}

/** The 429 for a refusal at an instant in milliseconds. */
export function quotaReached({ detail, retryable }: RunError, at: number): ApiError {
  const { resets_at, seconds } = quotaRestart(at);
  const headers = { 'retry-after': String(seconds) };
  return feedFailure(feedErrors.feed_quota_reached, { detail, retryable, facts: { resets_at }, headers });
}
