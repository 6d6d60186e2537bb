/**
 * Errors of the feed family: one body for all errors of an upload.
 * Source: docs/design/wire.md#errors.
 */
import { ApiError, defineErrors, type ErrorDef } from '../../../kernel/errors.ts';
import type { FeedLimits } from '../domain/feed-run/limits.ts';
import { FeedErrorSchema } from '../schemas/feed-error.ts';

const schema = FeedErrorSchema;

export const feedErrors = defineErrors({
  feed_too_large: { schema, status: 413, detail: 'The file is larger than the feed contract allows.' },
  feed_content_type: { schema, status: 415, detail: 'The file is of no type that feeds take.' },
  feed_validation_failed: {
    schema,
    status: 422,
    detail: 'The file cannot be read as a feed; nothing was applied.',
  },
  feed_rejected: { schema, status: 422, detail: 'No row could be applied; the row results say why.' },
  feed_execution_failed: {
    schema,
    status: 500,
    detail: 'The run failed on our side; nothing was applied. Send it again.',
  },
  feed_timeout: {
    schema,
    status: 504,
    detail: 'The run took longer than its limit; nothing was applied.',
  },
  feed_no_room: {
    schema,
    status: 503,
    detail: 'There is no disk space for another upload now; nothing was stored. Send it again.',
  },
  feed_cancelled: { schema, status: 409, detail: 'The run was cancelled; nothing was applied.' },
  feed_quota_reached: { schema, status: 429, detail: 'The plan allows no further feed run today.' },
  preview_stale: { status: 409, detail: 'Products have changed since the preview; run it again.' },
  run_not_committable: {
    status: 409,
    detail: 'Only a finished dry run that was not committed yet can be committed.',
  },
  run_not_revertible: {
    status: 409,
    detail: 'Only an applied run that was not reverted yet can be reverted.',
  },
  run_finished: { status: 409, detail: 'The run has ended already.' },
});

export interface FeedFailure {
  readonly detail?: string;
  /** A narrower code than the error itself, for example `too_many_rows`. */
  readonly code?: string;
  readonly retryable?: boolean;
  readonly limits?: FeedLimits;
  readonly run?: unknown;
  readonly row_results?: readonly unknown[];
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Body of the feed family. */
export function feedBody(
  error: string,
  failure: FeedFailure & { readonly detail: string },
): Record<string, unknown> {
  const { detail, code, retryable, limits, run, row_results, facts } = failure;
  return {
    error,
    detail,
    code: code ?? error,
    retryable: retryable ?? false,
    ...(limits === undefined ? {} : { limits }),
    ...(run === undefined ? {} : { run }),
    ...facts,
    row_results: row_results ?? [],
  };
}

/** A refused or failed feed. */
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

/** An error of the mount as an error of the feed family. */
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
