/**
 * Decides what an attempt means for its delivery and its endpoint.
 * Source: docs/design/wire.md#webhook-deliveries.
 */
import { nextAttemptAt, parseRetryAfter } from './retry.ts';

/** The answer of the receiver (status and headers), or the reason why none came. */
export interface Outcome {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly error?: string | undefined;
}

export interface Decision {
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** Why the delivery failed for good. */
  readonly reason: 'exhausted' | 'aborted' | null;
  /** The next attempt of a pending delivery, in milliseconds. */
  readonly nextAt: number | null;
  readonly error: string | null;
  /**
   * The state of the endpoint. `gone`: it answered 410; `neutral`: a refused message or a test says nothing about it.
   */
  readonly endpoint: 'healthy' | 'failing' | 'gone' | 'neutral';
}

interface Context {
  readonly schedule: readonly number[];
  /** Attempts of the schedule that are used up, including this one. */
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
/** The wait of a delivery to a gone endpoint, if the schedule has no more entries. */
const GONE_DELAY_MS = 3_600_000;

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
  // A disabled endpoint keeps its missed deliveries. They are sent when the seller resumes it.
  if (gone)
    return {
      status: 'pending',
      reason: null,
      nextAt: nextAt ?? now + GONE_DELAY_MS,
      error,
      endpoint: 'gone',
    };
  const endpoint = once ? 'neutral' : 'failing';
  if (nextAt === undefined) return { status: 'failed', reason: 'exhausted', nextAt: null, error, endpoint };
  return { status: 'pending', reason: null, nextAt, error, endpoint };
}
