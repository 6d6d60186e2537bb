/** Days of the service are days in Sydney (docs/design/wire.md#values). */
import { Temporal } from 'temporal-polyfill';

export const TIME_ZONE = 'Australia/Sydney';

const HOUR_MS = 3_600_000;
/** The days of about ten years, or the hours of half a year. A full cache is emptied. */
const KEPT_MAX = 4_096;

/** Remembers answers, because the calendar library takes up to a fiftieth of a millisecond for one. */
function remembering<Key, Value>(answer: (key: Key) => Value): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = answer(key);
    if (kept.size === KEPT_MAX) kept.clear();
    kept.set(key, value);
    return value;
  };
}

/**
 * The first instant of a day in Sydney, in milliseconds.
 *
 * @param date `YYYY-MM-DD`
 */
export const firstInstant = remembering(
  (date: string): number => Temporal.PlainDate.from(date).toZonedDateTime(TIME_ZONE).epochMilliseconds,
);

/**
 * Remembers answers that change only with an hour of UTC, as days and full hours in Sydney do.
 *
 * @param answer takes the first instant of the hour, in milliseconds
 */
export function byHour<Value>(answer: (at: number) => Value): (at: number) => Value {
  const ofHour = remembering((hour: number) => answer(hour * HOUR_MS));
  return (at) => ofHour(Math.floor(at / HOUR_MS));
}

/** The Sydney date of an instant, `YYYY-MM-DD`. */
export const sydneyDate = byHour((at): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(TIME_ZONE).toPlainDate().toString(),
);

/** Longer than a day and shorter than two, whichever days they are. */
const DAY_AND_HALF_MS = 36 * HOUR_MS;

/** The first instant of the Sydney day of `at`, and of the next day, in milliseconds. */
export function startOfDay(at: number): { readonly start: number; readonly next: number } {
  const start = firstInstant(sydneyDate(at));
  return { start, next: firstInstant(sydneyDate(start + DAY_AND_HALF_MS)) };
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

/** The instant at which a clock in Sydney shows a date and a time, in milliseconds. */
const instantOf = remembering(
  (local: string): number => Temporal.PlainDateTime.from(local).toZonedDateTime(TIME_ZONE).epochMilliseconds,
);
const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** The next instant after `at` at which a clock in Sydney shows this time, in milliseconds. */
export function nextTimeOfDay(
  at: number,
  { hour, minute }: { readonly hour: number; readonly minute: number },
): number {
  const on = (date: string): number => instantOf(`${date}T${twoDigits(hour)}:${twoDigits(minute)}`);
  const today = sydneyDate(at);
  const next = on(today);
  return next > at ? next : on(sydneyDate(firstInstant(today) + DAY_AND_HALF_MS));
}
