/**
 * Settlement periods: from a first to a last Sydney day, both in the same month, and so in the same quarter.
 * Source: docs/design/money.md#settlement-periods.
 */
import { Temporal } from 'temporal-polyfill';
import { firstInstant, TIME_ZONE } from './sydney.ts';

export const SETTLEMENT_SCHEDULES = ['semi_monthly', 'monthly', 'weekly_cut_at_month_end'] as const;
export type SettlementSchedule = (typeof SETTLEMENT_SCHEDULES)[number];

/** Inclusive Sydney dates, `YYYY-MM-DD`. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

/** The last day of the first half of a month. */
const HALF = 15;
const SUNDAY = 7;

/** The last day of a day's period, before the period is cut at the end of the month. */
const LAST_DAY: Readonly<Record<SettlementSchedule, (day: Temporal.PlainDate) => Temporal.PlainDate>> = {
  semi_monthly: (day) => day.with({ day: day.day <= HALF ? HALF : day.daysInMonth }),
  monthly: (day) => day.with({ day: day.daysInMonth }),
  weekly_cut_at_month_end: (day) => day.add({ days: SUNDAY - day.dayOfWeek }),
};
const FIRST_DAY: Readonly<Record<SettlementSchedule, (day: Temporal.PlainDate) => Temporal.PlainDate>> = {
  semi_monthly: (day) => day.with({ day: day.day <= HALF ? 1 : HALF + 1 }),
  monthly: (day) => day.with({ day: 1 }),
  weekly_cut_at_month_end: (day) => day.subtract({ days: day.dayOfWeek - 1 }),
};

const earlier = (a: Temporal.PlainDate, b: Temporal.PlainDate) =>
  Temporal.PlainDate.compare(a, b) < 0 ? a : b;
const later = (a: Temporal.PlainDate, b: Temporal.PlainDate) =>
  Temporal.PlainDate.compare(a, b) > 0 ? a : b;

/** The period of a Sydney date. Weeks begin on Monday. */
export function periodOf(date: string, schedule: SettlementSchedule): Period {
  const day = Temporal.PlainDate.from(date);
  const start = later(FIRST_DAY[schedule](day), day.with({ day: 1 }));
  const end = earlier(LAST_DAY[schedule](day), day.with({ day: day.daysInMonth }));
  return { start: start.toString(), end: end.toString() };
}

const DAY_MS = 86_400_000;
const DATE_CHARS = 'YYYY-MM-DD'.length;

/** The date `days` days later, or earlier when `days` is negative. */
export function addDays(date: string, days: number): string {
  // In UTC every day has 24 hours, so plain arithmetic is right. The calendar library takes fifty times as long.
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, DATE_CHARS);
}

/**
 * The period that begins on `start`. It ends with the schedule's period of that day. The schedule may have changed, so
 * the period may be shorter than others.
 */
export const periodFrom = (start: string, schedule: SettlementSchedule): Period => ({
  start,
  end: periodOf(start, schedule).end,
});

const CLOSE_HOUR = 2;

/** When a period is closed: 02:00 in Sydney on the day after its end, in milliseconds. */
export function closesAt({ end }: Period): number {
  return Temporal.PlainDate.from(end)
    .add({ days: 1 })
    .toZonedDateTime({ timeZone: TIME_ZONE, plainTime: Temporal.PlainTime.from({ hour: CLOSE_HOUR }) })
    .epochMilliseconds;
}

/** First instant of the period, and the first instant after it, RFC 3339. */
export function instantsOf({ start, end }: Period): { readonly start_at: string; readonly end_at: string } {
  const at = (date: string) => new Date(firstInstant(date)).toISOString();
  return { start_at: at(start), end_at: at(addDays(end, 1)) };
}
