/** The state of a week. Source: docs/design/search-insights.md#states-of-a-week. */
import { sundayOf } from '../../../kernel/australia/iso-week.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';

const REPORT_STATES = ['available', 'below_threshold'] as const;
export const PERIOD_STATES = [...REPORT_STATES, 'pending', 'not_generated'] as const;
export type ReportState = (typeof REPORT_STATES)[number];
export type PeriodState = (typeof PERIOD_STATES)[number];

/** A report is awaited for so many days. */
const PENDING_DAYS = 10;

/**
 * @param today Sydney day
 * @param reported the state of the report that has come
 * @returns undefined for a week that has not ended
 */
export function stateOf(
  period: string,
  reported: ReportState | undefined,
  today: string,
): PeriodState | undefined {
  if (reported !== undefined) return reported;
  const sunday = sundayOf(period);
  if (today <= sunday) return undefined;
  return today <= addDays(sunday, PENDING_DAYS) ? 'pending' : 'not_generated';
}
