/**
 * Errors as data. A module declares its errors in a table, a route lists the errors that it may answer, and one
 * renderer makes the body. Source: docs/design/wire.md#errors.
 */
import type { TSchema } from 'typebox';
import { type FeatureName, featureBody, type LimitName, limitBody, type Plan } from './plans.ts';

export interface ErrorDef {
  readonly code: string;
  readonly status: number;
  /** Default text for people: what is wrong and how to mend it. */
  readonly detail: string;
  /** An example of the documented facts that stand beside `detail` and `code`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Schema of the whole body, where it is not `detail`, `code`, `request_id` and facts. */
  readonly schema?: TSchema;
}

/** One entry of a validation failure; `loc` starts with body, query, path or header. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
}

export interface FailureOptions {
  readonly detail?: string;
  /** Documented facts beside `detail` and `code`, for example `from` and `allowed`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer with a status of 400 or more that a handler gives on purpose. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body without `request_id`, which the renderer adds for the families that carry it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly withRequestId: boolean;

  constructor(init: {
    status: number;
    code: string;
    detail: string;
    body: Readonly<Record<string, unknown>>;
    headers?: Readonly<Record<string, string>> | undefined;
    withRequestId?: boolean;
    cause?: unknown;
  }) {
    super(init.detail, { cause: init.cause });
    this.status = init.status;
    this.code = init.code;
    this.body = init.body;
    this.headers = init.headers ?? {};
    this.withRequestId = init.withRequestId ?? true;
  }
}

type Table = Readonly<Record<string, Omit<ErrorDef, 'code'>>>;

/** Declares the errors of a module: `defineErrors({ not_found: { status: 404, detail: '…' } })`. */
export function defineErrors<T extends Table>(table: T): { readonly [K in keyof T]: ErrorDef } {
  const entries = Object.entries(table).map(([code, def]) => [code, { code, ...def }] as const);
  return Object.fromEntries(entries) as { readonly [K in keyof T]: ErrorDef };
}

/** The domain family: `{"detail","code","request_id"}` and documented facts. */
export function fail(def: ErrorDef, options: FailureOptions = {}): ApiError {
  const detail = options.detail ?? def.detail;
  return new ApiError({
    status: def.status,
    code: def.code,
    detail,
    body: { detail, code: def.code, ...options.facts },
    headers: options.headers,
    cause: options.cause,
  });
}

/** The validation family: 422 with a list under `detail`. */
export function invalid(problems: readonly FieldProblem[]): ApiError {
  return new ApiError({
    status: 422,
    code: 'validation_error',
    detail: 'validation_error',
    body: { detail: problems, code: 'validation_error' },
  });
}

/** The plan family, feature form: exactly the specification's 402 body. */
export function featureNotAvailable(plan: Plan, feature: FeatureName): ApiError {
  const body = featureBody(plan, feature);
  return new ApiError({
    status: 402,
    code: 'feature_not_available',
    detail: 'feature_not_available',
    body,
    withRequestId: false,
  });
}

/** The plan family, count form: exactly the specification's 402 body. */
export function tierLimitExceeded(plan: Plan, limit: LimitName, currentUsage: number): ApiError {
  const body = limitBody(plan, limit, currentUsage);
  return new ApiError({
    status: 402,
    code: 'tier_limit_exceeded',
    detail: 'tier_limit_exceeded',
    body,
    withRequestId: false,
  });
}

/** Errors that the mount answers before the handler; a route has those that its access implies. */
export const coreErrors = defineErrors({
  bad_request: { status: 400, detail: 'What was sent is no valid HTTP request.' },
  token_missing: { status: 401, detail: 'Send the service token as "Authorization: Bearer <token>".' },
  token_expired: { status: 401, detail: 'The token has expired; exchange the marketplace session again.' },
  token_invalid: {
    status: 401,
    detail: 'The token is not valid here; exchange the marketplace session again.',
  },
  permission_denied: {
    status: 403,
    detail: 'The roles of this token do not allow this.',
    facts: { permission: 'catalogue:write' },
  },
  seller_suspended: { status: 403, detail: 'The seller account is suspended.' },
  seller_not_verified: { status: 403, detail: 'The seller account is not verified yet.' },
  api_access_disabled: { status: 403, detail: 'API access is not enabled for this seller.' },
  not_found: { status: 404, detail: 'There is no such object.' },
  route_not_found: { status: 404, detail: 'There is no such route.' },
  module_unavailable: {
    status: 404,
    detail: 'This area is not available.',
    facts: { module: 'pricing', availability: 'account' },
  },
  method_not_allowed: {
    status: 405,
    detail: 'The route does not know this method.',
    facts: { allowed: ['GET'] },
  },
  conflict: {
    status: 409,
    detail: 'Another request changed the same object at the same time; read it again and retry.',
  },
  idempotency_key_reused: {
    status: 409,
    detail: 'This Idempotency-Key was used before with another request; send a new key.',
  },
  idempotency_in_progress: {
    status: 409,
    detail: 'The first request with this Idempotency-Key is still running; retry later.',
  },
  request_timeout: { status: 408, detail: 'The request took too long to arrive.' },
  precondition_failed: {
    status: 412,
    detail: 'The object has changed since the version in If-Match; read it again.',
  },
  payload_too_large: {
    status: 413,
    detail: 'The body is larger than this route takes.',
    facts: { max_bytes: 2_097_152 },
  },
  unsupported_media_type: {
    status: 415,
    detail: 'Send the body with a content type that this route takes.',
    facts: { allowed: ['application/json'] },
  },
  headers_too_large: { status: 431, detail: 'The headers or the address are larger than the service takes.' },
  rate_limited: { status: 429, detail: 'Too many requests; retry after the seconds in Retry-After.' },
  internal_error: {
    status: 500,
    detail: 'Something failed on our side; it is recorded under the request id.',
  },
  unavailable: {
    status: 503,
    detail: 'The service cannot answer just now; retry after the seconds in Retry-After.',
  },
  timeout: { status: 504, detail: 'The request took too long and was stopped; nothing was changed.' },
});
