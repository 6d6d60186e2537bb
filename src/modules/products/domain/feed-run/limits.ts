import type { LimitName, Plan } from '../../../../kernel/plans.ts';
import { limitSentence, planHasFeature, planLimit } from '../../../../kernel/plans.ts';

/** The limits of feeds in the settings. The feed contract publishes them, and each run enforces them. */
interface FeedBounds {
  readonly MAX_FEED_BYTES: number;
  readonly MAX_FEED_ROWS: number;
  readonly MAX_ROW_BYTES: number;
  readonly MAX_CELL_BYTES: number;
  readonly MAX_COLUMNS: number;
  readonly MAX_SYNC_SECONDS: number;
  readonly MAX_ASYNC_SECONDS: number;
}

export interface FeedLimits {
  readonly max_bytes: number;
  readonly max_rows: number;
  readonly max_row_bytes: number;
  readonly max_cell_bytes: number;
  readonly max_columns: number;
  readonly max_sync_seconds: number;
  readonly max_async_seconds: number;
}

/** Limits of one feed run of a seller on this plan. */
export function feedLimits(bounds: FeedBounds, plan: Plan): FeedLimits {
  return {
    max_bytes: bounds.MAX_FEED_BYTES,
    max_rows: Math.min(bounds.MAX_FEED_ROWS, planLimit(plan, 'feed_rows_per_run')),
    max_row_bytes: bounds.MAX_ROW_BYTES,
    max_cell_bytes: bounds.MAX_CELL_BYTES,
    max_columns: bounds.MAX_COLUMNS,
    max_sync_seconds: bounds.MAX_SYNC_SECONDS,
    max_async_seconds: bounds.MAX_ASYNC_SECONDS,
  };
}

/** The sentence for a file with more rows; the settings may allow fewer rows than the plan. */
export function tooManyRows({ max_rows }: FeedLimits, plan: Plan): string {
  const byPlan = max_rows === planLimit(plan, 'feed_rows_per_run');
  const reason = byPlan ? `: ${limitSentence(plan, 'feed_rows_per_run')} in one file` : '';
  return `The file has more than ${max_rows} rows${reason}. Split it.`;
}

interface PlanLimitAnswer {
  /** Code of the answer, or of the rows beyond the limit. */
  readonly code: string;
  readonly effect: string;
}

/** How a feed beyond a limit of the plan is answered. */
export const PLAN_LIMIT_ANSWERS = {
  products: {
    code: 'plan_limit_reached',
    effect:
      'Rows of new products beyond the limit are rejected with this code; all other rows are applied. With `on_error=abort` no row is applied.',
  },
  feed_rows_per_run: { code: 'too_many_rows', effect: 'The whole file is rejected (422).' },
  feed_runs_per_day: {
    code: 'feed_quota_reached',
    effect:
      'Files that would change products, and commits of their dry runs, are refused (429) until midnight in Sydney. Stock, dry runs, reverts and runs that change nothing do not count, and are still accepted.',
  },
} as const satisfies Partial<Record<LimitName, PlanLimitAnswer>>;
export const FEED_PLAN_LIMITS = Object.keys(PLAN_LIMIT_ANSWERS) as (keyof typeof PLAN_LIMIT_ANSWERS)[];

/** Whether a seller on this plan may ask for asynchronous runs. */
export function asyncAvailable(plan: Plan): boolean {
  return planHasFeature(plan, 'async_feeds');
}
