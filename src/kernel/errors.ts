/**
 * Errors as data. A module declares its errors in a table, a route lists the errors that it may answer, and one
 * renderer makes the body. Source: docs/design/wire.md#errors.
 */
import type { TSchema } from 'typebox';
import { type FeatureName, featureBody, type LimitName, limitBody, type Plan } from './plans.ts';

export interface ErrorDef {
  readonly code: string;
  readonly status: number;
  /** The default text for people: what is wrong and how to mend it. */
  readonly detail: string;
  /** An example of the other documented fields of the body. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The schema of the body, if it has other fields than `detail`, `code`, `request_id` and `facts`. */
  readonly schema?: TSchema;
}

/** One entry of a validation failure; `loc` starts with body, query, path or header. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  /** Further facts, for example the span of a text: `start` and `end` in UTF-16 units. */
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A 404 repeats at most so much of what was asked for. */
const NAMED_CHARS_MAX = 120;

interface FailureOptions {
  readonly detail?: string;
  /** Other documented fields of the body, for example `from` and `allowed`. */
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
  /** The body without `request_id`. The renderer adds it, if `withRequestId` is set. */
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

/** Makes an ordinary error: `detail`, `code`, `request_id` and documented facts. */
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

/** @throws ApiError 404 `not_found` if there is no value */
export function requireFound<T>(value: T | undefined): T {
  if (value === undefined) throw fail(coreErrors.not_found);
  return value;
}

/**
 * The 404 for an object that the path does not name; the mount says what a path names.
 *
 * @param named the kind and the id or name of the object
 */
export const missing = (named: string, facts: FailureOptions['facts'] = {}): ApiError =>
  fail(coreErrors.not_found, { detail: `Your account has no ${named.slice(0, NAMED_CHARS_MAX)}.`, facts });

/** Code of every validation error. */
export const VALIDATION_ERROR = 'validation_error';

/** Makes a validation error: 422 with a list under `detail`. */
export function invalid(problems: readonly FieldProblem[]): ApiError {
  return new ApiError({
    status: 422,
    code: VALIDATION_ERROR,
    detail: VALIDATION_ERROR,
    body: { detail: problems, code: VALIDATION_ERROR },
  });
}

/** Makes the 402 error for a feature that the plan lacks, with exactly the specification's body. */
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

/** Makes the 402 error for a limit of the plan, with exactly the specification's body. */
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

/** Errors that the mount answers before the handler runs. The access of a route decides which of them it can answer. */
export const coreErrors = defineErrors({
  bad_request: { status: 400, detail: 'The request is not valid HTTP.' },
  token_missing: { status: 401, detail: 'Send the service token as "Authorization: Bearer <token>".' },
  token_expired: { status: 401, detail: 'The token has expired; exchange the marketplace session again.' },
  token_invalid: {
    status: 401,
    detail: 'The token is not valid here; exchange the marketplace session again.',
  },
  permission_denied: {
    status: 403,
    detail:
      'The roles of this token do not include this `permission`. An owner or admin of the team can give you a role that does.',
    facts: { permission: 'catalogue:write' },
  },
  seller_suspended: { status: 403, detail: 'The seller account is suspended. Contact the marketplace.' },
  seller_not_verified: {
    status: 403,
    detail: 'The seller account is not verified yet. GET /api/v1/onboarding says what is missing.',
  },
  api_access_disabled: {
    status: 403,
    detail: 'API access is not enabled for this seller. Ask the marketplace to enable it.',
  },
  agreement_required: {
    status: 403,
    detail:
      'No owner has accepted the terms of the marketplace in time, so products can be neither added nor activated. Accept them at POST /api/v1/seller-agreement/acceptances.',
    facts: { version: '3', href: '/api/v1/seller-agreement', since: '2026-09-01T14:00:00.000Z' },
  },
  not_found: { status: 404, detail: 'There is no such object.' },
  route_not_found: { status: 404, detail: 'There is no such route.' },
  module_unavailable: {
    status: 404,
    detail: 'This area is not available.',
    facts: { module: 'pricing', availability: 'account' },
  },
  method_not_allowed: {
    status: 405,
    detail: 'The route does not have this method.',
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
    detail: 'The body is larger than this route accepts.',
    facts: { max_bytes: 2_097_152 },
  },
  unsupported_media_type: {
    status: 415,
    detail: 'Send the body with a content type that this route accepts.',
    facts: { allowed: ['application/json'] },
  },
  headers_too_large: { status: 431, detail: 'The headers or the URL are larger than the service accepts.' },
  rate_limited: { status: 429, detail: 'Too many requests; retry after the seconds in Retry-After.' },
  internal_error: {
    status: 500,
    detail: 'The service failed. The log has the cause under the request id.',
  },
  unavailable: {
    status: 503,
    detail: 'The service cannot answer now; retry after the seconds in Retry-After.',
  },
  timeout: { status: 504, detail: 'The request took too long and was stopped; nothing was changed.' },
});
