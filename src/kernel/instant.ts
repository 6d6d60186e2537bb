/**
 * Years and offsets that are accepted. RFC 3339 allows the years 0 to 9999. PostgreSQL has no year 0, and a window that
 * begins at the end of 9999 would end in a year of five digits. RFC 3339 allows offsets up to 23:59. PostgreSQL refuses
 * those from 16:00 on, and no place has one above 14:00.
 */
const RFC_3339 =
  /^([12]\d{3}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:0\d|1[0-5]):[0-5]\d)$/;

/**
 * Reads an RFC 3339 instant of any offset as milliseconds since the epoch; undefined for any other text. 30 February
 * is refused, where `Date.parse` would read 1 or 2 March.
 */
export function parseInstant(text: string): number | undefined {
  const day = RFC_3339.exec(text)?.[1];
  const instant = Date.parse(text);
  if (day === undefined || Number.isNaN(instant)) return undefined;
  // An offset can move the instant out of the accepted years, so the year is checked in UTC too. PostgreSQL rounds to
  // microseconds, also up into the next year.
  const last = /\.\d{4}/.test(text) ? instant + 1 : instant;
  if (![instant, last].every((ms) => RFC_3339.test(new Date(ms).toISOString()))) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : undefined;
}

/**
 * A change becomes visible at its commit. That may be later than its instant, by up to the time limit of a request and
 * the difference of the clocks.
 */
export const UNSEEN_MS = 60_000;

/** An instant in milliseconds as RFC 3339 in UTC. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** The first instant after `now` of those that begin at one and repeat. All in milliseconds. */
export const firstAfter = (now: number, begin: number, everyMs: number): number =>
  begin + Math.max(0, Math.floor((now - begin) / everyMs) + 1) * everyMs;

/** The later of two instants, RFC 3339. */
export const laterOf = <B extends string | null>(a: string | null, b: B): B | string =>
  a !== null && (b === null || Date.parse(a) >= Date.parse(b)) ? a : b;

/** Whether a text is a day, `YYYY-MM-DD`, in the years of {@link parseInstant}. */
export const isDay = (text: string): boolean => parseInstant(`${text}T00:00:00Z`) !== undefined;
