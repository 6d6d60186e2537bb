/** Days of the service are days in Sydney (docs/design/wire.md#values). */
import { Temporal } from 'temporal-polyfill';

export const TIME_ZONE = 'Australia/Sydney';

/** Days of some ten years; a full cache is emptied. */
const DAYS_MAX = 4_096;
const firstInstants = new Map<string, number>();

/**
 * First instant of a day in Sydney, in milliseconds. Cached: the calendar library takes a tenth of a millisecond,
 * and a page of settlements asks for a hundred days.
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

/** First instant of the Sydney day that holds `at`, and of the next one, in milliseconds. */
export function startOfDay(at: number): { readonly start: number; readonly next: number } {
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).startOfDay();
  return { start: day.epochMilliseconds, next: day.add({ days: 1 }).startOfDay().epochMilliseconds };
}

/** The Sydney date of an instant, `YYYY-MM-DD`. */
export function sydneyDate(at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate().toString();
}

/**
 * First instant of a day in Sydney, and of the next one, in milliseconds.
 *
 * @param date `YYYY-MM-DD`
 */
export function dayOf(date: string): { readonly start: number; readonly next: number } {
  return startOfDay(firstInstant(date));
}

/** The next instant after `at` at which a clock in Sydney shows this time, in milliseconds. */
export function nextTimeOfDay(at: number, time: { readonly hour: number; readonly minute: number }): number {
  const plainTime = Temporal.PlainTime.from(time);
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate();
  const on = (day: Temporal.PlainDate): number =>
    day.toZonedDateTime({ timeZone: TIME_ZONE, plainTime }).epochMilliseconds;
  const next = on(today);
  return next > at ? next : on(today.add({ days: 1 }));
}
