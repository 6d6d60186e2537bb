/**
 * What follows from an attempt, for the delivery and for its endpoint.
 * Source: docs/design/wire.md#webhook-deliveries.
 */
import { nextAttemptAt, parseRetryAfter } from './retry.ts';

/** What came back: a status with its headers, or the word for why nothing did. */
export interface Outcome {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly error?: string | undefined;
}

export interface Decision {
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** Why it failed for good. */
  readonly reason: 'exhausted' | 'aborted' | null;
  /** Milliseconds; of what stays pending. */
  readonly nextAt: number | null;
  readonly error: string | null;
  /** What it says about the endpoint. `gone`: it asks for nothing any more; `neutral`: nothing, as of a refusal or a test. */
  readonly endpoint: 'healthy' | 'failing' | 'gone' | 'neutral';
}

export interface Context {
  readonly schedule: readonly number[];
  /** Attempts of the schedule that are used up, this one included. */
  readonly step: number;
  readonly now: number;
  readonly random: number;
  /** Test events are sent once. */
  readonly once: boolean;
}

const GONE = 410;
const ABORT_HEADER = 'webhook-delivery';
const ABORT = 'abort-message';
/** Statuses whose `Retry-After` is honoured. */
const BUSY = new Set([429, 503]);
/** When the schedule has no more entries, a delivery of a gone endpoint waits this long. */
const PARKED_MS = 3_600_000;

function errorOf({ status, error }: Outcome): string | null {
  if (error !== undefined) return error;
  if (status === undefined || (status >= 200 && status < 300)) return null;
  return status >= 300 && status < 400 ? 'redirect_refused' : 'http_status';
}

export function decide(outcome: Outcome, { schedule, step, now, random, once }: Context): Decision {
  const error = errorOf(outcome);
  if (error === null) {
    const endpoint = once ? 'neutral' : 'healthy';
    return { status: 'succeeded', reason: null, nextAt: null, error, endpoint };
  }
  const { status = 0, headers = {} } = outcome;
  const gone = status === GONE && !once;
  if (headers[ABORT_HEADER]?.trim().toLowerCase() === ABORT) {
    const endpoint = gone ? 'gone' : 'neutral';
    return { status: 'failed', reason: 'aborted', nextAt: null, error, endpoint };
  }
  const retryAfterMs = BUSY.has(status) ? parseRetryAfter(headers['retry-after'], now) : undefined;
  const nextAt = once ? undefined : nextAttemptAt({ schedule, step, now, random, retryAfterMs });
  // What a disabled endpoint has missed stays, to be delivered when it is resumed.
  if (gone)
    return { status: 'pending', reason: null, nextAt: nextAt ?? now + PARKED_MS, error, endpoint: 'gone' };
  const endpoint = once ? 'neutral' : 'failing';
  if (nextAt === undefined) return { status: 'failed', reason: 'exhausted', nextAt: null, error, endpoint };
  return { status: 'pending', reason: null, nextAt, error, endpoint };
}
