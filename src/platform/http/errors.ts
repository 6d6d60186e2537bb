/** Renders every refused request, and maps database failures to statuses. */
import { ApiError, coreErrors, type FieldProblem, fail, VALIDATION_ERROR } from '../../kernel/errors.ts';
import { codeOf, isUnavailable } from '../db/unavailable.ts';

/** `Retry-After` of temporary failures, in seconds. */
const RETRY_SOON_SECONDS = '1';

function fromDatabase(error: Error): ApiError | undefined {
  const code = codeOf(error);
  // This is longer than a statement may run.
  if (code === '57014') return fail(coreErrors.timeout);
  if (code === '23505') return fail(coreErrors.conflict);
  return isUnavailable(error)
    ? fail(coreErrors.unavailable, { headers: { 'retry-after': RETRY_SOON_SECONDS } })
    : undefined;
}

/** Turns any thrown value into an {@link ApiError}. An unknown value becomes a 500 without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const fromDb = error instanceof Error ? fromDatabase(error) : undefined;
  return fromDb ?? fail(coreErrors.internal_error, { cause: error });
}

/** The body of an error, in the form of its family. */
export function errorBody(error: ApiError, requestId: string): Record<string, unknown> {
  return error.withRequestId ? { ...error.body, request_id: requestId } : { ...error.body };
}

/**
 * The body of the error of one item in a list. The `loc` of an entry leads from the body of the request to the field.
 *
 * @param path leads from the body to the object with the field
 */
export function itemErrorBody(
  error: ApiError,
  requestId: string,
  path: (field: unknown) => readonly (string | number)[],
): Record<string, unknown> {
  const body = errorBody(error, requestId);
  if (error.code !== VALIDATION_ERROR) return body;
  const problems = (body['detail'] as readonly FieldProblem[]).map((problem) => ({
    ...problem,
    loc: ['body', ...path(problem.loc[1]), ...problem.loc.slice(1)],
  }));
  return { ...body, detail: problems };
}
