/** Days of the service are days in Sydney (docs/design/wire.md#values). */
import { Temporal } from 'temporal-polyfill';

export const TIME_ZONE = 'Australia/Sydney';

/** The days of about ten years. A full cache is emptied. */
const DAYS_MAX = 4_096;
const firstInstants = new Map<string, number>();

/**
 * The first instant of a day in Sydney, in milliseconds. It is cached, because the calendar library takes a tenth of a
 * millisecond and a page of settlements needs a hundred days.
 *
 * @param date `YYYY-MM-DD`
 */
export function firstInstant(date: string): number {
  const known = firstInstants.get(date);
  if (known !== undefined) return known;
  const at = Temporal.PlainDate.from(date).toZonedDateTime(TIME_ZONE).epochMilliseconds;
  if (firstInstants.size === DAYS_MAX) firstInstants.clear();
  firstInstants.set(date, at);
  return at;
}

/** The first instant of the Sydney day of `at`, and of the next day, in milliseconds. */
export function startOfDay(at: number): { readonly start: number; readonly next: number } {
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).startOfDay();
  return { start: day.epochMilliseconds, next: day.add({ days: 1 }).startOfDay().epochMilliseconds };
}

/** The Sydney date of an instant, `YYYY-MM-DD`. */
export function sydneyDate(at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate().toString();
}

/** An instant for people to read, to the minute: `2026-11-24 15:49 Sydney time`. */
export function sydneyMinute(at: number): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDateTime();
  return `${local.toString({ smallestUnit: 'minute' }).replace('T', ' ')} Sydney time`;
}

/**
 * The first instant of a day in Sydney, and of the next day, in milliseconds.
 *
 * @param date `YYYY-MM-DD`
 */
export function dayOf(date: string): { readonly start: number; readonly next: number } {
  return startOfDay(firstInstant(date));
}

/** The instant so many days later, at the same time of day in Sydney, in milliseconds. */
export const daysLater = (at: number, days: number): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).add({ days }).epochMilliseconds;

/** The next instant after `at` at which a clock in Sydney shows this time, in milliseconds. */
export function nextTimeOfDay(at: number, time: { readonly hour: number; readonly minute: number }): number {
  const plainTime = Temporal.PlainTime.from(time);
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate();
  const on = (day: Temporal.PlainDate): number =>
    day.toZonedDateTime({ timeZone: TIME_ZONE, plainTime }).epochMilliseconds;
  const next = on(today);
  return next > at ? next : on(today.add({ days: 1 }));
}
