/** The HTTP server around the mounted routes: ids, logs, headers, shedding, draining, and the last error handler. */
import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import { withoutRedaction } from '../log/log.ts';
import type { Deadline } from './deadline.ts';
import { errorBody, toApiError } from './errors.ts';
import { refuseBytes } from './refuse-bytes.ts';
import { RequestLog } from './request-log.ts';
import type { Traffic, Visit } from './traffic.ts';

const HEADERS_TIMEOUT_MS = 15_000;
/** Longest a request may take to arrive: 64 MiB at 2.5 Mbit/s. */
const REQUEST_TIMEOUT_MS = 240_000;
const KEEP_ALIVE_MS = 65_000;
/** Time in which the rest of a refused body is read and dropped, so that its sender gets to read the answer. */
const LINGER_MS = 5_000;
/** A media type as RFC 9110 section 8.3.1 spells it. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;
/** What the log says instead of a status when the client left before its answer; the usual number for it. */
const CLIENT_GONE = 499;
const LIVENESS = '/health/live';
const READINESS = '/health/ready';
/** Failures of the framework's router that mean: nothing has this address. */
const NO_SUCH_ADDRESS = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);
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
  readonly traffic: Traffic;
  /** Proxies whose `X-Forwarded-For` says who calls; none: the one who connects does. */
  readonly trustedProxies: readonly string[];
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
    /** Asked again and again: a line of the access log only where something is wrong. */
    polled?: boolean;
    timeoutMs?: number;
  }
  interface FastifyRequest {
    /** Instant of arrival on the system's clock, for the access log. */
    startedAt: number;
    sellerId?: string;
    visit: Visit;
    /** Set by the route that takes the request. */
    deadline?: Deadline;
  }
}

/** 96 random bits, those of a UUID that are: nobody meets another's, or guesses one. */
function madeUp(): string {
  const uuid = randomUUID();
  return `req_${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(24)}`;
}

function requestId(header: string | string[] | undefined): string {
  const given = Array.isArray(header) ? undefined : header;
  return given !== undefined && SANE_REQUEST_ID.test(given) ? given : madeUp();
}

/**
 * Lets a refused body run out into nothing. Closing at once would reset the connection, and a client that is
 * still sending would see that instead of the answer.
 */
function linger(raw: FastifyRequest['raw'], reply: FastifyReply): void {
  // Asked of the answer, and now: a request whose reading was broken off has no connection any more, and
  // nobody would tell it that its sender has gone.
  const { socket } = reply.raw;
  const timer = setTimeout(() => {
    if (!raw.complete) socket?.destroy();
  }, LINGER_MS);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
  raw.once('error', () => undefined);
  raw.resume();
}

/** Until a body has run out into nothing, or its sender has had long enough. */
async function runOut(raw: FastifyRequest['raw']): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, LINGER_MS);
  for (const event of ['end', 'close', 'error']) raw.once(event, () => over.resolve());
  raw.resume();
  await over.promise;
  clearTimeout(timer);
}

/** Whether the connection ends with this answer because its sender has asked for that, or cannot do otherwise. */
const isLastOf = ({ headers, httpVersion }: FastifyRequest['raw']): boolean =>
  /\bclose\b/i.test(headers.connection ?? '') || httpVersion === '1.0';

/**
 * Whether something failed. A 503 that the contract has, said on purpose and brought about by no other error, is
 * part of an ordinary day: the access log has its line, and a stack would only hide the failures.
 */
const isFailure = (error: unknown, { status, cause }: ApiError): boolean =>
  status >= 500 &&
  !(status === coreErrors.unavailable.status && error instanceof ApiError && cause === undefined);

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const refused = toApiError(error);
  if (isFailure(error, refused)) {
    // Whoever hangs up in the middle of its body is no fault of ours.
    const level = reply.raw.destroyed ? 'info' : 'error';
    new RequestLog(request)[level]({ err: refused.cause ?? error, code: refused.code }, 'request failed');
  }
  if (!request.raw.complete) {
    // The end of such an answer is the end of the connection: whoever is still sending must have sent it all before.
    // Waiting keeps a request in work, so that strangers are not waited for.
    const waits = request.sellerId !== undefined && refused.status !== coreErrors.request_timeout.status;
    if (waits && isLastOf(request.raw)) await runOut(request.raw);
    else linger(request.raw, reply);
  }
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
      'X-Request-Id, ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ' +
      'Content-Disposition, X-Row-Count, X-Part, X-Part-Count',
  });
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Content-Encoding, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id',
  'access-control-max-age': '600',
};

/** What is still answered by a server that has too much to do, or leaves. */
function refuseWhenFull({ traffic }: ServerOptions, request: FastifyRequest): void {
  const path = request.routeOptions.url;
  // A process that is busy must not be taken for one that is dead.
  if (path === LIVENESS) return;
  const leaves = traffic.phase === 'closing' || (traffic.phase === 'leaving' && path === READINESS);
  if (!leaves && !traffic.overloaded) return;
  throw fail(coreErrors.unavailable, {
    ...(leaves ? { detail: 'The service is shutting down.' } : {}),
    headers: { 'retry-after': '1' },
  });
}

/** Writes the access log and the metrics of a request whose answer is out, or whose client is gone. */
function report(
  { observe, systemNow }: ServerOptions,
  access: PinoLogger,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const route = request.routeOptions.config.routeId ?? 'none';
  const seconds = (systemNow() - request.startedAt) / 1000;
  const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE;
  observe({ route, method: request.method, status, seconds });
  const ms = Math.round(seconds * 1000);
  const level = request.routeOptions.config.polled === true && status < 400 ? 'debug' : 'info';
  access[level](
    { request_id: request.id, route, method: request.method, status, ms, seller: request.sellerId },
    'request',
  );
}

/** A server without routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, traffic } = options;
  const access = withoutRedaction(log);
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // See RequestLog: the framework itself has nothing to say of a request.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Looked at below, so that its refusal has the form of every other.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => {
      const rate = options.rateHeaders(socket.remoteAddress ?? '');
      const id = requestId(undefined);
      refuseBytes(error, socket, id, { ...SECURITY_HEADERS, ...rate, 'x-request-id': id });
    },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 200, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      const rate = options.rateHeaders(request.ip);
      reply.headers({ ...SECURITY_HEADERS, ...rate, 'x-request-id': request.id });
      const refused = NO_SUCH_ADDRESS.has(error.code) ? fail(coreErrors.route_not_found) : error;
      sendError(refused, request, reply).catch(() => reply.raw.destroy());
    },
  });
  // Bodies are read by the mount, after the checks that need none.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  // Hooks that need not wait take no promise: they run for every request.
  server.addHook('onRequest', (request, reply, done) => {
    request.startedAt = options.systemNow();
    const visit = traffic.enter();
    request.visit = visit;
    // Not "finish": a client that goes away before its answer would be counted for ever.
    reply.raw.once('close', () => {
      visit.end();
      if (!reply.raw.writableFinished) request.deadline?.pass();
      // What comes past the ports is the demo's own past, and nobody's traffic.
      if (!('isLightMyRequest' in reply.raw)) report(options, access, request, reply);
    });
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    // What is no media type is refused like an unknown one: by the route, after the checks that come before.
    // QUERY must have one, the framework says; what the path says about the method comes first.
    const type = request.raw.headers['content-type'] ?? (request.method === 'QUERY' ? '' : undefined);
    if (type !== undefined && !MEDIA_TYPE.test(type))
      request.raw.headers['content-type'] = 'application/octet-stream';
    if (request.raw.httpVersion === '1.1' && request.raw.headers.host === undefined)
      throw fail(coreErrors.bad_request, { detail: 'The Host header is missing.' });
    if (options.corsOrigins.length > 0 && cors(options.corsOrigins, request, reply)) {
      reply.code(204).headers(PREFLIGHT).send();
      return;
    }
    refuseWhenFull(options, request);
    done();
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    // Who keeps its connection would come back to a server that is leaving.
    if (traffic.phase !== 'serving') reply.header('connection', 'close');
    const headers = reply.hasHeader('ratelimit') ? undefined : options.rateHeaders(request.ip);
    if (headers !== undefined) reply.headers(headers);
    done();
  });
  // Nobody has to wait for a promise that is not made: an unknown expectation is passed over.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
  });
  server.setErrorHandler(sendError);
  server.setNotFoundHandler(async (request) => options.notFound(request));
  return server;
}
