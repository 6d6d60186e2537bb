/** Response headers, and which answers carry them. Source: docs/design/wire.md#response-headers. */
import type { AnyRoute, OkResponse } from '../../../kernel/route.ts';
import { type Json, ref } from './document.ts';

const header = (description: string, example: string | number, schema: Json = { type: 'string' }): Json => ({
  description,
  schema,
  example,
});

export const HEADERS: { readonly [name: string]: Json } = {
  'X-Request-Id': header(
    'Names the request in logs and in error bodies; a sane one of yours is echoed',
    'req_4f0c2a9b8d7e6f5a4b3c2d1e',
  ),
  RateLimit: header(
    'What is left of the window: `r` requests, `t` seconds until it ends (IETF draft form); while limits are on',
    '"read";r=1199;t=42',
  ),
  'RateLimit-Policy': header(
    'The limit: `q` requests in `w` seconds (IETF draft form); while limits are on',
    '"read";q=1200;w=60',
  ),
  'Retry-After': header('Seconds to wait before the next attempt', 2, { type: 'integer', minimum: 0 }),
  ETag: header('Strong entity tag of this version; send it back in `If-None-Match` or `If-Match`', '"v3"'),
  Location: header('Path of what was made', '/api/v1/products/prd_01j0000000000000000000000'),
  'Idempotent-Replayed': header(
    '`true` when this is the stored answer of an earlier request with the same key',
    'true',
    { type: 'string', const: 'true' },
  ),
  'WWW-Authenticate': header('What the credential lacks (RFC 6750)', 'Bearer error="invalid_token"'),
};

const take = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]));

/** On every answer. */
export const COMMON_HEADERS: Json = take('X-Request-Id', 'RateLimit', 'RateLimit-Policy');

/** Reads of one resource are those whose path ends in its id, and the seller's own profile. */
export const isSingleRead = (route: AnyRoute): boolean =>
  route.method === 'GET' && /(\}|\/me)$/.test(route.path) && route.ok[0].schema !== undefined;

/** Headers of a success. */
export function successHeaders(route: AnyRoute, ok: OkResponse): Json {
  const write = route.method !== 'GET';
  // A 202 beside a 201 is the same thing made later; a 202 alone is something else.
  const makes = route.method === 'POST' && route.ok.some(({ status }) => status === 201);
  const made = makes && (ok.status === 201 || ok.status === 202);
  return {
    ...COMMON_HEADERS,
    ...(isSingleRead(route) ? take('ETag') : {}),
    ...(made && ok.schema !== undefined ? take('Location') : {}),
    ...(write && route.access.idempotency !== 'none' ? take('Idempotent-Replayed') : {}),
    ...Object.fromEntries(
      (ok.headers ?? []).map(({ name, description, example = '' }) => [name, header(description, example)]),
    ),
  };
}

/** Statuses that come with a time to wait. */
const WITH_RETRY_AFTER = new Set([429, 503]);

/** Headers of a refusal. */
export function errorHeaders(status: number, codes: readonly string[]): Json {
  return {
    ...COMMON_HEADERS,
    ...(status === 401 || codes.includes('insufficient_assurance') ? take('WWW-Authenticate') : {}),
    ...(WITH_RETRY_AFTER.has(status) || codes.some((code) => code.startsWith('idempotency_in_progress'))
      ? take('Retry-After')
      : {}),
  };
}
