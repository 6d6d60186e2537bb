/** The HTTP server around the mounted routes: request ids, logs, headers, load shedding, draining, error handler. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import type { SellerPrincipal, TokenPrincipal } from '../../kernel/context.ts';
import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import { withoutRedaction } from '../log/log.ts';
import type { RequestObserver } from '../log/metrics.ts';
import { createThrottle, type Throttle } from '../log/throttle.ts';
import { inTrace, readTrace, traceIdOf } from '../trace/trace-context.ts';
import type { Span, Tracer } from '../trace/tracer.ts';
import { compressAnswer } from './compress.ts';
import type { Deadline } from './deadline.ts';
import { errorBody, toApiError } from './errors.ts';
import { refuseBytes } from './refuse-bytes.ts';
import { RequestLog } from './request-log.ts';
import type { Traffic, Visit } from './traffic.ts';

const HEADERS_TIMEOUT_MS = 15_000;
/** The longest time in which a request must arrive: enough for 64 MiB at 2.5 Mbit/s. */
const REQUEST_TIMEOUT_MS = 240_000;
const KEEP_ALIVE_MS = 65_000;
/** How long the rest of a refused body is read and dropped, so that the sender can read the answer. */
const LINGER_MS = 5_000;
/** A media type as RFC 9110 section 8.3.1 spells it. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;
/** The status in the log if the client disconnected before its answer, as in nginx. */
const CLIENT_GONE = 499;
const LIVENESS = '/health/live';
const READINESS = '/health/ready';
/** Errors of the framework's router that mean an unknown path. */
const NO_SUCH_ADDRESS = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** No answer may be framed, sniffed or read by another site. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
/** Only where the service is reached by https: behind a proxy of a developer it would pin localhost to https. */
const OVER_HTTPS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
/** A longer name of a client is cut off in the log. */
const USER_AGENT_CHARS_MAX = 200;

export interface ServerOptions {
  readonly log: PinoLogger;
  readonly traffic: Traffic;
  /** Whether clients reach the server by https. */
  readonly https: boolean;
  readonly tracer: Tracer;
  /** Proxies whose `X-Forwarded-For` is trusted; without any, the connecting address is the client's. */
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly observe: RequestObserver;
  readonly systemNow: () => number;
  /** The rate limit headers of an address, for answers before a limit was checked. */
  readonly rateHeaders: (address: string) => Readonly<Record<string, string>> | undefined;
  /** Answers requests without a route. */
  readonly notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<never>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    routeId?: string;
    /** Load balancers call this often, so it is logged only if it fails. */
    polled?: boolean;
    timeoutMs?: number;
  }
  interface FastifyRequest {
    /** The instant of arrival on the system's clock, for the access log. */
    startedAt: number;
    /** The bytes that its connection had sent before. */
    sentBefore: number;
    /** The member who sends it. */
    caller?: SellerPrincipal & Partial<Pick<TokenPrincipal, 'sid'>>;
    /** The code of its error. */
    errorCode?: string;
    /** Only of a request that belongs to a trace. */
    span?: Span;
    visit: Visit;
    /** Set by the route of the request. */
    deadline?: Deadline;
  }
}

/** 96 random bits of a UUID: ids neither collide nor can be guessed. */
function newRequestId(): string {
  const uuid = randomUUID();
  return `req_${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(24)}`;
}

function requestId(header: string | string[] | undefined): string {
  const given = Array.isArray(header) ? undefined : header;
  return given !== undefined && SANE_REQUEST_ID.test(given) ? given : newRequestId();
}

/**
 * Reads and drops the rest of a refused body. If the connection were closed immediately, it would be reset, and a
 * client that is still sending would not see the answer.
 */
function linger(raw: FastifyRequest['raw'], reply: FastifyReply): void {
  // The socket is read now, because a request whose body was not read completely has none later.
  const { socket } = reply.raw;
  const timer = setTimeout(() => {
    if (!raw.complete) socket?.destroy();
  }, LINGER_MS);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
  raw.once('error', () => undefined);
  raw.resume();
}

/** Resolves when the rest of the body has been dropped, or after {@link LINGER_MS}. */
async function runOut(raw: FastifyRequest['raw']): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, LINGER_MS);
  for (const event of ['end', 'close', 'error']) raw.once(event, () => over.resolve());
  raw.resume();
  await over.promise;
  clearTimeout(timer);
}

/** Whether the connection closes after this answer, by the client's request or because of HTTP/1.0. */
const isLastOf = ({ headers, httpVersion }: FastifyRequest['raw']): boolean =>
  /\bclose\b/i.test(headers.connection ?? '') || httpVersion === '1.0';

/**
 * Whether to log the error. A 503 that the service answers on purpose, without another error as its cause, is ordinary
 * load shedding: the access log has a line for it.
 */
const isFailure = (error: unknown, { status, cause }: ApiError): boolean =>
  status >= 500 &&
  !(status === coreErrors.unavailable.status && error instanceof ApiError && cause === undefined);

/** Logs why a request failed. Of temporary failures, which many requests share, it logs only some. */
function logFailure(
  error: unknown,
  refused: ApiError,
  request: FastifyRequest,
  level: 'info' | 'error',
  throttle: Throttle,
) {
  const err = refused.cause ?? error;
  const isTemporary = refused.status === coreErrors.unavailable.status;
  const omitted = isTemporary ? throttle(String(err)) : 0;
  if (omitted === undefined) return;
  const fields = { err, code: refused.code, ...(omitted > 0 && { omitted }) };
  new RequestLog(request)[level](fields, 'request failed');
}

/** Headers about the content of an answer. */
const OF_CONTENT =
  /^(content-(type|length|encoding|disposition)|etag|location|last-modified|resume-since|x-(row|part)-.*|x-part)$/;

async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  throttle: Throttle,
): Promise<void> {
  const refused = toApiError(error);
  request.errorCode = refused.code;
  // If a client disconnects while it sends its body, the service has not failed.
  const level = reply.raw.destroyed ? 'info' : 'error';
  if (isFailure(error, refused)) logFailure(error, refused, request, level, throttle);
  if (!request.raw.complete) {
    // If the connection closes after the answer, the server first waits for the rest of the body. Waiting keeps a
    // request in flight, so it does this only for signed-in sellers.
    const waits = request.caller !== undefined && refused.status !== coreErrors.request_timeout.status;
    if (waits && isLastOf(request.raw)) await runOut(request.raw);
    else linger(request.raw, reply);
  }
  // A file that fails before its first bytes are sent has set its own.
  for (const name of Object.keys(reply.getHeaders())) if (OF_CONTENT.test(name)) reply.removeHeader(name);
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
      'Content-Disposition, Resume-Since, X-Row-Count, X-Part, X-Part-Count, X-Api-Stage, WWW-Authenticate',
  });
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Content-Encoding, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id, ' +
    'traceparent, tracestate',
  'access-control-max-age': '600',
};

/** Refuses requests when the server is full or shutting down. */
function refuseWhenFull({ traffic }: ServerOptions, request: FastifyRequest): void {
  const path = request.routeOptions.url;
  // Health checks are answered even if the process is busy.
  if (path === LIVENESS) return;
  const leaves = traffic.phase === 'closing' || (traffic.phase === 'leaving' && path === READINESS);
  if (!leaves && !traffic.overloaded) return;
  throw fail(coreErrors.unavailable, {
    ...(leaves ? { detail: 'The service is shutting down.' } : {}),
    headers: { 'retry-after': '1' },
  });
}

function endSpan(span: Span, request: FastifyRequest, route: string, status: number): void {
  const facts = {
    'http.request.method': request.method,
    'http.route': request.routeOptions.url,
    'http.response.status_code': status,
    'spp.request_id': request.id,
    'spp.seller_id': request.caller?.seller_id,
  };
  span.end(`${request.method} ${route}`, facts, request.errorCode);
}

/** Writes the access log, the metrics and the span of a request that was answered or whose client has disconnected. */
function report(
  { observe, systemNow }: ServerOptions,
  access: PinoLogger,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, caller, errorCode, span } = request;
  // The request of a client that has left may have none.
  const socket: Socket | null = request.raw.socket;
  const route = request.routeOptions.config.routeId ?? 'none';
  const seconds = (systemNow() - request.startedAt) / 1000;
  const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE;
  observe({ route, method, status, seconds });
  if (span !== undefined) endSpan(span, request, route, status);
  const level = request.routeOptions.config.polled === true && status < 400 ? 'debug' : 'info';
  access[level](
    {
      request_id: request.id,
      route,
      method,
      status,
      code: errorCode,
      ms: Math.round(seconds * 1000),
      bytes: socket === null ? undefined : socket.bytesWritten - request.sentBefore,
      seller: caller?.seller_id,
      member: caller?.member_id,
      session: caller?.sid,
      address: request.ip,
      user_agent: request.headers['user-agent']?.slice(0, USER_AGENT_CHARS_MAX),
      trace_id: span && traceIdOf(span.trace),
    },
    'request',
  );
}

/** Counts the request and remembers what the log line needs. A request of a trace has a span. */
function arrive({ traffic, tracer, systemNow }: ServerOptions, request: FastifyRequest): Visit {
  request.startedAt = systemNow();
  request.sentBefore = request.raw.socket.bytesWritten;
  const { traceparent, tracestate } = request.headers;
  const parent = traceparent === undefined ? undefined : readTrace(traceparent, tracestate);
  const span = tracer.begin('request', parent);
  if (span !== undefined) request.span = span;
  request.visit = traffic.enter();
  return request.visit;
}

/** A server without routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, traffic } = options;
  const access = withoutRedaction(log);
  const throttle = createThrottle(options.systemNow);
  const security = options.https ? { ...SECURITY_HEADERS, ...OVER_HTTPS } : SECURITY_HEADERS;
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // The framework does not log requests; see RequestLog.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // The limit is checked below, so that the error has the usual form.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => {
      const rate = options.rateHeaders(socket.remoteAddress ?? '');
      const id = requestId(undefined);
      refuseBytes(error, socket, id, { ...security, ...rate, 'x-request-id': id });
    },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 200, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      const rate = options.rateHeaders(request.ip);
      reply.headers({ ...security, ...rate, 'x-request-id': request.id });
      const refused = NO_SUCH_ADDRESS.has(error.code) ? fail(coreErrors.route_not_found) : error;
      sendError(refused, request, reply, throttle).catch(() => reply.raw.destroy());
    },
  });
  // The mount reads bodies, after the checks that do not need them.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  // The hooks are synchronous, because they run for every request and a promise costs time.
  server.addHook('onRequest', (request, reply, done) => {
    const visit = arrive(options, request);
    // The event is not "finish", because a request whose client disconnects early would be counted forever.
    reply.raw.once('close', () => {
      visit.end();
      if (!reply.raw.writableFinished) request.deadline?.pass();
      // Injected requests belong to the demo's past and are not traffic.
      if (!('isLightMyRequest' in reply.raw)) report(options, access, request, reply);
    });
    reply.headers(security).header('x-request-id', request.id);
    // The route refuses a malformed content type like an unknown one, after the checks that come before. The framework
    // would refuse QUERY without a content type before the path is known.
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
    inTrace(request.span?.trace, done);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    // On a kept-alive connection further requests would arrive at a server that shuts down.
    if (traffic.phase !== 'serving') reply.header('connection', 'close');
    const headers = reply.hasHeader('ratelimit') ? undefined : options.rateHeaders(request.ip);
    if (headers !== undefined) reply.headers(headers);
    compressAnswer(request, reply, payload, done);
  });
  // An unknown `Expect` is ignored instead of being refused.
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
  });
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, throttle));
  server.setNotFoundHandler(async (request, reply) => options.notFound(request, reply));
  return server;
}
