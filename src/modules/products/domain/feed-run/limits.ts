import type { LimitName, Plan } from '../../../../kernel/plans.ts';
import { planHasFeature, planLimit } from '../../../../kernel/plans.ts';

/** The configured bounds of feeds; they are published and enforced. */
export interface FeedBounds {
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

const ROWS: LimitName = 'feed_rows_per_run';

/** Limits of one feed run of a seller on this plan. */
export function feedLimits(bounds: FeedBounds, plan: Plan): FeedLimits {
  return {
    max_bytes: bounds.MAX_FEED_BYTES,
    max_rows: Math.min(bounds.MAX_FEED_ROWS, planLimit(plan, ROWS)),
    max_row_bytes: bounds.MAX_ROW_BYTES,
    max_cell_bytes: bounds.MAX_CELL_BYTES,
    max_columns: bounds.MAX_COLUMNS,
    max_sync_seconds: bounds.MAX_SYNC_SECONDS,
    max_async_seconds: bounds.MAX_ASYNC_SECONDS,
  };
}

/** Whether a seller on this plan may ask for asynchronous runs. */
export function asyncAvailable(plan: Plan): boolean {
  return planHasFeature(plan, 'async_feeds');
}
