/**
 * The errors of feeds. All errors of an upload have the same body.
 * Source: docs/design/wire.md#errors.
 */
import { ApiError, defineErrors, type ErrorDef } from '../../../kernel/errors.ts';
import type { FeedLimits } from '../domain/feed-run/limits.ts';
import { FeedErrorSchema } from '../schemas/feed-error.ts';

const schema = FeedErrorSchema;

export const feedErrors = defineErrors({
  feed_too_large: {
    schema,
    status: 413,
    detail: 'The file is larger than the feed contract allows. Split it.',
  },
  feed_content_type: {
    schema,
    status: 415,
    detail: 'Feeds accept CSV, TSV, JSON and NDJSON files. Send one of these types.',
  },
  feed_validation_failed: {
    schema,
    status: 422,
    detail: 'The file cannot be read as a feed. Nothing was applied.',
  },
  feed_rejected: {
    schema,
    status: 422,
    detail: 'No row was applied. The row results say which were rejected, and why.',
  },
  feed_execution_failed: {
    schema,
    status: 500,
    detail: 'The service failed to execute the run. Nothing was applied. Send the file again.',
  },
  feed_timeout: {
    schema,
    status: 504,
    detail: 'The run exceeded its time limit. Nothing was applied. Send a smaller file.',
  },
  feed_no_room: {
    schema,
    status: 503,
    detail:
      'The service has no disk space for another upload at the moment. Nothing was stored. Send the file again later.',
  },
  feed_unavailable: {
    schema,
    status: 503,
    detail: 'The service lost its database or a process before it could answer. Send the file again.',
  },
  feed_cancelled: { schema, status: 409, detail: 'The run was cancelled. Nothing was applied.' },
  feed_quota_reached: { schema, status: 429, detail: 'Your plan allows no more feed runs today.' },
  preview_stale: { status: 409, detail: 'Products have changed since the preview. Run the preview again.' },
  run_not_committable: {
    status: 409,
    detail: 'Only a finished dry run that is not committed yet can be committed.',
  },
  run_not_revertible: {
    status: 409,
    detail: 'Only an applied run that is not reverted yet can be reverted.',
  },
  evidence_expired: {
    status: 409,
    detail: 'The row results of the run have expired, so it can be neither committed nor reverted.',
  },
  run_finished: { status: 409, detail: 'The run has already ended.' },
});

interface FeedFailure {
  readonly detail?: string;
  /** A more specific code than that of the error, for example `too_many_rows`. */
  readonly code?: string;
  readonly retryable?: boolean;
  readonly limits?: FeedLimits;
  readonly run?: unknown;
  readonly row_results?: readonly unknown[];
  /** Of the request that began the run, because the stored answer is repeated as it is. */
  readonly request_id?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The body of a feed error. */
export function feedBody(
  error: string,
  failure: FeedFailure & { readonly detail: string },
): Record<string, unknown> {
  const { detail, code, retryable, limits, run, row_results, request_id, facts } = failure;
  return {
    error,
    detail,
    code: code ?? error,
    retryable: retryable ?? false,
    ...(limits === undefined ? {} : { limits }),
    ...(run === undefined ? {} : { run }),
    ...facts,
    row_results: row_results ?? [],
    ...(request_id === undefined ? {} : { request_id }),
  };
}

export function feedFailure(def: ErrorDef, failure: FeedFailure = {}): ApiError {
  const detail = failure.detail ?? def.detail;
  return new ApiError({
    status: def.status,
    code: def.code,
    detail,
    body: feedBody(def.code, { ...failure, detail }),
    headers: failure.headers,
    cause: failure.cause,
  });
}

/** Gives an error of the idempotency key the body of a feed error. */
export function asFeedError(error: ApiError): ApiError {
  if ('error' in error.body) return error;
  const retryable = error.code === 'idempotency_in_progress';
  return new ApiError({
    status: error.status,
    code: error.code,
    detail: error.message,
    body: feedBody(error.code, {
      detail: error.message,
      retryable,
      facts: error.body['first'] === undefined ? {} : { first: error.body['first'] },
    }),
    headers: error.headers,
  });
}
