/** What a run answers: the run with its first rows, in the body and with the status that its end calls for. */
import type { Db } from '../../../../kernel/context.ts';
import type { StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedRun, RunStatus } from '../../domain/feed-run/run.ts';
import { feedBody } from '../../feed-errors.ts';
import { ROWS_SHOWN, runPath, toWireRow, toWireRun } from '../../schemas/feed-run.ts';
import { loadEvidence } from '../../store/feed-rows.ts';

export interface FeedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly payload: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;
const SUCCEEDED: readonly RunStatus[] = ['succeeded', 'succeeded_with_errors'];

/** How each end without success is answered. */
const FAILURES: Readonly<
  Partial<Record<RunStatus, { readonly status: number; readonly error: string; readonly detail: string }>>
> = {
  rejected: {
    status: 422,
    error: 'feed_rejected',
    detail: 'No row could be applied; the row results say why.',
  },
  failed: {
    status: 500,
    error: 'feed_execution_failed',
    detail: 'The run failed on our side; nothing was applied. Send it again.',
  },
  timed_out: {
    status: 504,
    error: 'feed_timeout',
    detail: 'The run took longer than a synchronous run may; nothing was applied.',
  },
  cancelled: { status: 409, error: 'feed_cancelled', detail: 'The run was cancelled; nothing was applied.' },
};

/**
 * The answer of a run that has ended.
 *
 * @param limits shown where the file broke a rule as a whole
 */
export async function finishedAnswer(db: Db, run: FeedRun, limits?: FeedLimits): Promise<FeedAnswer> {
  const rows = (await loadEvidence(db, { runId: run.run_id }, 0, ROWS_SHOWN)).map(toWireRow);
  const wire = toWireRun(run);
  const headers = { ...JSON_HEADERS, location: runPath(run.run_id) };
  const failure = SUCCEEDED.includes(run.status) ? undefined : FAILURES[run.status];
  if (failure === undefined)
    return { status: 201, headers, payload: JSON.stringify({ ...wire, row_results: rows }) };
  // A file that broke a rule as a whole is a validation failure; rows that broke theirs make a rejection.
  const wholeFile = run.status === 'rejected' && run.error !== null;
  const error = wholeFile ? 'feed_validation_failed' : failure.error;
  const body = feedBody(error, {
    detail: run.error?.detail ?? failure.detail,
    ...(wholeFile && run.error !== null ? { code: run.error.code } : {}),
    retryable: run.error?.retryable ?? false,
    ...(wholeFile && limits !== undefined ? { limits } : {}),
    run: wire,
    row_results: rows,
  });
  const retry: Record<string, string> = body['retryable'] === true ? { 'retry-after': '5' } : {};
  return { status: failure.status, headers: { ...headers, ...retry }, payload: JSON.stringify(body) };
}

/** The answer of a run that the worker will take up. */
export function acceptedAnswer(run: FeedRun): FeedAnswer {
  const headers = { ...JSON_HEADERS, location: runPath(run.run_id), 'preference-applied': 'respond-async' };
  return { status: 202, headers, payload: JSON.stringify({ ...toWireRun(run), row_results: [] }) };
}

/** The answer of an earlier request with the same key. */
export const replayed = (stored: StoredAnswer): FeedAnswer => ({
  status: stored.status,
  headers: { ...stored.headers, 'idempotent-replayed': 'true' },
  payload: stored.body,
});
