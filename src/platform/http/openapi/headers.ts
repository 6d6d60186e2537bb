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
    'Names the request in logs and in error bodies; a well-formed one of the request is echoed',
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
  ETag: header(
    'Entity tag of this version, weak if the answer is compressed; send it back in `If-None-Match` or `If-Match`',
    '"v3"',
  ),
  Location: header('Path of the created resource', '/api/v1/products/prd_01j0000000000000000000000'),
  'WWW-Authenticate': header('What the credential lacks (RFC 6750)', 'Bearer error="invalid_token"'),
};

const take = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]));

const LIMIT_HEADERS: Json = take('X-Request-Id', 'RateLimit', 'RateLimit-Policy');
/**
 * The headers of all answers, and of every answer that is stored under a key. They are described once, at the root of
 * the description.
 */
export const COMMON_HEADERS: Json = {
  ...LIMIT_HEADERS,
  'Idempotent-Replayed': header(
    '`true` when this is the stored answer of an earlier request with the same key',
    'true',
    { type: 'string', const: 'true' },
  ),
};

const orNone = (headers: Json): Json | undefined => (Object.keys(headers).length === 0 ? undefined : headers);

/** Whether a route reads one resource: its path ends in an id, or it is the seller's profile. */
export const isSingleRead = (route: AnyRoute): boolean =>
  route.method === 'GET' && /(\}|\/me)$/.test(route.path) && route.ok[0].schema !== undefined;

/** Whether a read answers with an entity tag, and 304 to it. */
export const isTagged = (route: AnyRoute): boolean => isSingleRead(route) || route.tagged === true;

/** The headers of a success, in addition to those of all answers. */
export function successHeaders(route: AnyRoute, ok: OkResponse): Json | undefined {
  // If a route has a 201 and a 202, both make the same object. A 202 alone means something else.
  const makes = route.method === 'POST' && route.ok.some(({ status }) => status === 201);
  const made = makes && (ok.status === 201 || ok.status === 202);
  return orNone({
    ...(isTagged(route) ? take('ETag') : {}),
    ...(made && ok.schema !== undefined ? take('Location') : {}),
    ...Object.fromEntries(
      (ok.headers ?? []).map(({ name, description, example = '' }) => [name, header(description, example)]),
    ),
  });
}

/** Statuses with `Retry-After`. */
const WITH_RETRY_AFTER = new Set([429, 503]);

/** The headers of an error, in addition to those of all answers. A 429 shows the limit itself. */
export function errorHeaders(status: number, codes: readonly string[]): Json | undefined {
  return orNone({
    ...(status === 429 ? LIMIT_HEADERS : {}),
    ...(status === 401 || codes.includes('insufficient_assurance') ? take('WWW-Authenticate') : {}),
    ...(WITH_RETRY_AFTER.has(status) || codes.some((code) => code.startsWith('idempotency_in_progress'))
      ? take('Retry-After')
      : {}),
  });
}
