/** The HTTP server around the mounted routes: ids, logs, headers, shedding, draining, and the last error handler. */
import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { errorBody, toApiError } from './errors.ts';

const HEADERS_TIMEOUT_MS = 15_000;
/** Longest a request may take to arrive: 64 MiB at 2.5 Mbit/s. */
const REQUEST_TIMEOUT_MS = 240_000;
const KEEP_ALIVE_MS = 65_000;
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Nothing here is a page that another site may frame, sniff or read. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};

export type RequestObserver = (observation: {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}) => void;

export interface ServerOptions {
  readonly log: PinoLogger;
  readonly maxInFlight: number;
  readonly corsOrigins: readonly string[];
  readonly observe: RequestObserver;
  readonly systemNow: () => number;
  /** Rate limit headers of an address, for answers that were given before any limit was asked. */
  readonly rateHeaders: (address: string) => Readonly<Record<string, string>> | undefined;
  /** Answers of paths that no route has. */
  readonly notFound: (request: FastifyRequest) => Promise<never>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    routeId?: string;
    timeoutMs?: number;
  }
  interface FastifyRequest {
    /** Instant of arrival on the system's clock, for the access log. */
    startedAt: number;
    counted: boolean;
    sellerId?: string;
  }
}

function requestId(header: string | string[] | undefined): string {
  const given = Array.isArray(header) ? undefined : header;
  return given !== undefined && SANE_REQUEST_ID.test(given)
    ? given
    : `req_${randomBytes(12).toString('hex')}`;
}

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const refused = toApiError(error);
  if (refused.status >= 500)
    request.log.error({ err: refused.cause ?? error, code: refused.code }, 'request failed');
  // What was not read of a refused body is not worth reading: the connection ends with the answer.
  if (!request.raw.complete && request.raw.headers['transfer-encoding'] !== undefined)
    reply.header('connection', 'close');
  if (!request.raw.complete && Number(request.headers['content-length'] ?? 0) > 65_536)
    reply.header('connection', 'close');
  await reply
    .code(refused.status)
    .headers({
      'cache-control': 'no-store',
      ...refused.headers,
      'content-type': 'application/json; charset=utf-8',
    })
    .send(JSON.stringify(errorBody(refused, request.id)));
}

function cors(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): boolean {
  const origin = request.headers.origin;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.headers({
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers':
      'X-Request-Id, ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed',
  });
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Content-Encoding, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id',
  'access-control-max-age': '600',
};

/** A server without routes yet; `draining` makes readiness fail while requests in work finish. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, observe, systemNow } = options;
  let inFlight = 0;
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 200, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
      const refused =
        error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_ROUTE_MAX_PARAM_LENGTH'
          ? fail(coreErrors.route_not_found)
          : error;
      sendError(refused, request, reply).catch(() => reply.raw.destroy());
    },
  });
  // Bodies are read by the mount, after the checks that need none.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  server.addHook('onRequest', async (request, reply) => {
    request.startedAt = systemNow();
    request.counted = true;
    inFlight += 1;
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
    if (options.corsOrigins.length > 0 && cors(options.corsOrigins, request, reply)) {
      await reply.code(204).headers(PREFLIGHT).send();
      return reply;
    }
    if (inFlight > options.maxInFlight)
      throw fail(coreErrors.unavailable, { headers: { 'retry-after': '1' } });
  });
  server.addHook('onSend', async (request, reply) => {
    const headers = reply.hasHeader('ratelimit') ? undefined : options.rateHeaders(request.ip);
    if (headers !== undefined) reply.headers(headers);
  });
  server.addHook('onResponse', async (request, reply) => {
    if (request.counted) inFlight -= 1;
    const route = request.routeOptions.config.routeId ?? 'none';
    const seconds = (systemNow() - request.startedAt) / 1000;
    observe({ route, method: request.method, status: reply.statusCode, seconds });
    request.log.info(
      {
        route,
        method: request.method,
        status: reply.statusCode,
        ms: Math.round(seconds * 1000),
        seller: request.sellerId,
      },
      'request',
    );
  });
  server.setErrorHandler(sendError);
  server.setNotFoundHandler(async (request) => options.notFound(request));
  return server;
}
