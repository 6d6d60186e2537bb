/** Renders every refused request, and maps database failures to statuses. */
import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';

/** `Retry-After` of temporary failures, in seconds. */
const RETRY_SOON_SECONDS = '1';

const retryable = (): ApiError =>
  fail(coreErrors.unavailable, { headers: { 'retry-after': RETRY_SOON_SECONDS } });
const timedOut = (): ApiError => fail(coreErrors.timeout);

/** SQLSTATE → answer. Temporary failures are 503, a statement timeout is 504. */
const BY_SQLSTATE: Readonly<Record<string, () => ApiError>> = {
  '40001': retryable,
  '40P01': retryable,
  '55P03': retryable,
  '53300': retryable,
  '57P01': retryable,
  '57P02': retryable,
  '57P03': retryable,
  '08006': retryable,
  '08003': retryable,
  '08001': retryable,
  '57014': timedOut,
  '23505': () => fail(coreErrors.conflict),
};

const CONNECTION_FAULTS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

function fromDatabase(error: Error): ApiError | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = BY_SQLSTATE[code];
  if (known !== undefined) return known();
  const lost =
    CONNECTION_FAULTS.has(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/.test(
      error.message,
    );
  return lost ? retryable() : undefined;
}

/** Any thrown value as an {@link ApiError}; an unknown one becomes a 500 without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const fromDb = error instanceof Error ? fromDatabase(error) : undefined;
  return fromDb ?? fail(coreErrors.internal_error, { cause: error });
}

/** Body of a refused request in the form of its family. */
export function errorBody(error: ApiError, requestId: string): Record<string, unknown> {
  return error.withRequestId ? { ...error.body, request_id: requestId } : { ...error.body };
}
