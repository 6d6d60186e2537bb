import type { FastifyRequest } from 'fastify';
import type { AnyRoute } from '../../kernel/route.ts';
import { fingerprint, readKey } from '../keys/idempotency-key.ts';
import { Findings } from './findings.ts';
import { readJsonBody } from './read-body.ts';
import type { Validated } from './request-view.ts';
import { type RouteChecks, refuseUnstorable } from './validate.ts';

interface ReadOptions {
  readonly route: AnyRoute;
  readonly checks: RouteChecks;
  readonly maxBodyBytes: number;
  /** Ends the wait for a body that does not arrive. */
  readonly signal: AbortSignal;
}

/** Whether the request is a dry run. */
const isRehearsal = ({ rehearsable }: AnyRoute, query: unknown): boolean =>
  rehearsable === true && (query as { readonly dry_run?: boolean }).dry_run === true;

/**
 * Reads and checks path, query, body and idempotency key.
 *
 * @throws ApiError 404, 408, 413, 415, or 422 with the findings about all of them
 */
export async function readRequest(request: FastifyRequest, options: ReadOptions): Promise<Validated> {
  const { route, checks, maxBodyBytes, signal } = options;
  const { params, query } = request;
  const findings = new Findings();
  refuseUnstorable('path', params);
  checks.params?.(params);
  if (route.ownQuery !== true)
    findings.of(() => {
      refuseUnstorable('query', query);
      checks.query(query);
    });
  const read =
    route.body?.kind === 'json'
      ? await readJsonBody(request.raw, maxBodyBytes, undefined, signal)
      : undefined;
  findings.of(() => {
    // In UTF-8 such a character can only come from a `\u` escape.
    if (read?.bytes.includes('\\u')) refuseUnstorable('body', read.value);
    checks.body?.(read?.value);
  });
  const asksForKey = route.access.idempotency === 'required';
  const given =
    route.method === 'GET'
      ? undefined
      : findings.of(() => readKey(request.headers['idempotency-key'], asksForKey));
  findings.refuse();
  const kept = route.access.idempotency !== 'none' && !isRehearsal(route, query);
  if (given === undefined || !kept) return { params, query, body: read?.value, key: undefined };
  // The fingerprint has no parameters of the type, because a retry has another boundary of the multipart body.
  const type = String(request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  const key = {
    routeId: route.id,
    key: given,
    fingerprint: fingerprint([request.url, type, read?.bytes ?? '']),
  };
  return { params, query, body: read?.value, key };
}
