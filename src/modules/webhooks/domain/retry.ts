/** When a delivery is tried again. Source: docs/design/wire.md#webhook-deliveries. */

/** A retry is up to a fifth earlier or later, so deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** Longest time for which `Retry-After` is honoured. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

/** Milliseconds before an attempt, spread by the jitter. `random` is in [0, 1). */
export function spread(seconds: number, random: number): number {
  return Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * random));
}

/** The three forms of RFC 9110, 5.6.7; `Date.parse` would accept more. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

function parseHttpDate(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

/**
 * The delay that `Retry-After` asks for, in milliseconds: whole or decimal seconds, or an HTTP date.
 *
 * @returns undefined for any other text; never negative
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const instant = parseHttpDate(text);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}

interface Attempted {
  /** Seconds before each attempt of the schedule. */
  readonly schedule: readonly number[];
  /** Attempts of the schedule that are used up, including this one. */
  readonly step: number;
  readonly now: number;
  readonly random: number;
  /** The delay that the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** The instant of the next attempt; undefined when the schedule is exhausted. */
export function nextAttemptAt({
  schedule,
  step,
  now,
  random,
  retryAfterMs = 0,
}: Attempted): number | undefined {
  const seconds = schedule[step];
  if (seconds === undefined) return undefined;
  const delay = spread(seconds, random);
  return now + Math.max(delay, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
}
