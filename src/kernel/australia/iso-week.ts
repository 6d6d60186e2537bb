/** Weeks of ISO 8601, from Monday to Sunday in Sydney, by names such as `2026-W30`. */
import { addDays } from './settlement-period.ts';

/** Names of weeks, for schemas. The year may not have the week: then {@link mondayOf} is undefined. */
export const WEEK_PATTERN = '^2\\d{3}-W(?:0[1-9]|[1-4]\\d|5[0-3])$';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const THURSDAY = 3;
/** The first week of a year has the 4th of January. */
const IN_FIRST_WEEK = 4;

// In UTC every day has 24 hours, so plain arithmetic is right. The calendar library takes fifty times as long.
const midnight = (day: string): number => Date.parse(`${day}T00:00:00Z`);
/** 0 is Monday. */
const weekdayOf = (at: number): number => (new Date(at).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;

/** The week of a day. It belongs to the year of its Thursday. */
export function weekOf(day: string): string {
  const at = midnight(day);
  const thursday = at + (THURSDAY - weekdayOf(at)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - midnight(`${year}-01-01`)) / DAY_MS / WEEK_DAYS) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}

/** The first day of a week; undefined if the year has no such week. */
export function mondayOf(week: string): string | undefined {
  const [year = '', number = ''] = week.split('-W');
  const inFirst = `${year}-01-0${IN_FIRST_WEEK}`;
  const monday = addDays(inFirst, (Number(number) - 1) * WEEK_DAYS - weekdayOf(midnight(inFirst)));
  return weekOf(monday) === week ? monday : undefined;
}

/** The last day of a week. @throws RangeError if the year has no such week */
export function sundayOf(week: string): string {
  const monday = mondayOf(week);
  if (monday === undefined) throw new RangeError(`there is no week ${week}`);
  return addDays(monday, WEEK_DAYS - 1);
}

/** The week that is so many weeks later, or earlier if the number is negative. */
export const addWeeks = (week: string, weeks: number): string =>
  weekOf(addDays(sundayOf(week), weeks * WEEK_DAYS));
