/** Weeks of ISO 8601, from Monday to Sunday in Sydney, by names such as `2026-W30`. */
import { Temporal } from 'temporal-polyfill';
import { addDays } from './settlement-period.ts';

/** Names of weeks, for schemas. The year may not have the week: then {@link mondayOf} is undefined. */
export const WEEK_PATTERN = '^2\\d{3}-W(?:0[1-9]|[1-4]\\d|5[0-3])$';

const LAST_DAY = 6;

/** The week of a day. */
export function weekOf(day: string): string {
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`;
}

/** The first day of a week; undefined if the year has no such week. The week with 4 January is the first. */
export function mondayOf(week: string): string | undefined {
  const [year = '', number = ''] = week.split('-W');
  const first = Temporal.PlainDate.from(`${year}-01-04`);
  const monday = first.subtract({ days: first.dayOfWeek - 1 }).add({ days: (Number(number) - 1) * 7 });
  return weekOf(monday.toString()) === week ? monday.toString() : undefined;
}

/** The last day of a week. @throws RangeError if the year has no such week */
export function sundayOf(week: string): string {
  const monday = mondayOf(week);
  if (monday === undefined) throw new RangeError(`there is no week ${week}`);
  return addDays(monday, LAST_DAY);
}

/** The week that is so many weeks later, or earlier if the number is negative. */
export const addWeeks = (week: string, weeks: number): string => weekOf(addDays(sundayOf(week), weeks * 7));
