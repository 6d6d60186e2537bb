/** The answers to the request that starts a run. */
import type { ErrorDef } from '../../../../kernel/errors.ts';
import type { RouteResult } from '../../../../kernel/route.ts';
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { StoredAnswer } from '../../../../platform/keys/idempotency-key.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedRun, RunStatus } from '../../domain/feed-run/run.ts';
import { FIRST_ROWS, runPath, toWireRow, toWireRun } from '../../schemas/feed-run.ts';
import { loadEvidence } from '../../store/feed-rows.ts';
import { feedBody, feedErrors } from '../feed-errors.ts';
import { QUOTA_CODE, quotaRestart } from './check-quota.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const FAILURES: Readonly<Partial<Record<RunStatus, ErrorDef>>> = {
  rejected: feedErrors.feed_rejected,
  failed: feedErrors.feed_execution_failed,
  timed_out: feedErrors.feed_timeout,
  cancelled: feedErrors.feed_cancelled,
};

/** Code of a synchronous run whose client got no answer. */
export const ABANDONED_CODE = 'abandoned';

/** The answers to runs with these errors, whatever their status. */
const FAILURES_BY_CODE: Readonly<Partial<Record<string, ErrorDef>>> = {
  [ABANDONED_CODE]: feedErrors.feed_unavailable,
  [QUOTA_CODE]: feedErrors.feed_quota_reached,
};

function answer(status: number, run: FeedRun, body: object, more: Record<string, string> = {}): StoredAnswer {
  const headers = { 'content-type': JSON_TYPE, location: runPath(run.run_id), ...more };
  return { status, headers, body: JSON.stringify(body) };
}

/**
 * The answer for a run that has ended.
 *
 * @param limits part of the answer when the whole file was rejected
 */
export async function finishedAnswer(at: SellerDb, run: FeedRun, limits?: FeedLimits): Promise<StoredAnswer> {
  const rows = (await loadEvidence(at, { runId: run.run_id }, 0, FIRST_ROWS)).map(toWireRow);
  const wire = toWireRun(run);
  const byCode = FAILURES_BY_CODE[run.error?.code ?? ''];
  const failure = byCode ?? FAILURES[run.status];
  if (failure === undefined) return answer(201, run, { ...wire, row_results: rows });
  // An error of the file is a validation failure; errors of all its rows are a rejection.
  const wholeFile = run.status === 'rejected' && run.error !== null;
  const code = run.error !== null && (wholeFile || byCode !== undefined) ? run.error.code : null;
  const restart =
    code === QUOTA_CODE && run.finished_at !== null ? quotaRestart(Date.parse(run.finished_at)) : undefined;
  const body = feedBody(wholeFile ? feedErrors.feed_validation_failed.code : failure.code, {
    detail: run.error?.detail ?? failure.detail,
    ...(code === null ? {} : { code }),
    ...(wholeFile && limits !== undefined ? { limits } : {}),
    retryable: run.error?.retryable ?? false,
    ...(restart === undefined ? {} : { facts: { resets_at: restart.resets_at } }),
    run: wire,
    row_results: rows,
    ...(run.request_id === null ? {} : { request_id: run.request_id }),
  });
  const seconds = restart?.seconds ?? (run.error?.retryable === true ? 5 : undefined);
  return answer(failure.status, run, body, seconds === undefined ? {} : { 'retry-after': String(seconds) });
}

/** Most runs of the worker have ended by then. */
const READ_AFTER_SECONDS = 1;

/** The answer for a run that the worker will execute. */
export function acceptedAnswer(run: FeedRun): StoredAnswer {
  const body = { ...toWireRun(run), row_results: [] };
  const retryAfter = String(READ_AFTER_SECONDS);
  return answer(202, run, body, { 'preference-applied': 'respond-async', 'retry-after': retryAfter });
}

export function asResult({ status, headers, body }: StoredAnswer): RouteResult<never> {
  const { 'content-type': type = JSON_TYPE, ...rest } = headers;
  return { status, headers: rest, content: { type, data: body } };
}
