import type { CounterDef } from '../../kernel/route.ts';
import type { Services } from '../../platform/services.ts';
import type { RunCounts } from './domain/feed-run/run.ts';
import { ROW_OUTCOMES } from './domain/plan/row-outcome.ts';

const FEED_ROWS: CounterDef = {
  name: 'spp_feed_rows_total',
  help: 'Rows of feed runs and imports by outcome, without dry runs',
  label: 'outcome',
};

export const counters = [FEED_ROWS];

/** Counts the rows of a run that was written. */
export function countRows({ count }: Pick<Services, 'count'>, counts: RunCounts): void {
  for (const outcome of ROW_OUTCOMES) count(FEED_ROWS, outcome, counts[outcome]);
}
