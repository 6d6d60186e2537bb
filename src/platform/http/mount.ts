/**
 * Turns declared routes into a running server. Only `handle` has the order of the checks
 * (docs/design/wire.md#order-of-checks).
 */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { CursorDb, SellerCtx, SellerPrincipal, Standing } from '../../kernel/context.ts';
import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import type { RateClassName } from '../../kernel/rate-limits.ts';
import { type AnyRoute, isSellerAccess, type RouteResult, type SellerAccess } from '../../kernel/route.ts';
import { acting } from '../acting.ts';
import { bearerToken, refuseStanding, tokenMissing } from '../crypto/authenticate.ts';
import { isOtherToken } from '../crypto/service-tokens.ts';
import type { TxMode } from '../db/scope-settings.ts';
import { KeyedAnswers } from '../keys/request-key.ts';
import { clientOf } from '../net/ip-prefix.ts';
import type { Services } from '../services.ts';
import { checkDeclared } from './check-declared.ts';
import { headersWithoutBody } from './compress.ts';
import { Deadline } from './deadline.ts';
import { etagMatches } from './etag.ts';
import { Exchange, type MountDeps, type MountedRoute } from './exchange.ts';
import { withHead } from './head.ts';
import { namesMissing } from './missing-object.ts';
import { type RateVerdict, rateHeaders } from './rate.ts';
import { readRequest } from './read-request.ts';
import { flagOf, refuseAccount } from './refuse-account.ts';
import type { RequestAudit } from './request-audit.ts';
import { RequestView, type Validated } from './request-view.ts';
import { READ_STANDING } from './require-seller.ts';
import { type Answer, createAnswerer } from './respond.ts';
import { memberOf, refuseSetup } from './setup-access.ts';
import { compileChecks, type RouteChecks } from './validate.ts';

/** The longest time of an ordinary request. Other routes declare their own limit. */
const TIMEOUT_MS = 30_000;
/**
 * Counts refused service tokens by address. The limit is generous, because many sellers may share an address, and every
 * token is refused after it has expired.
 */
const REFUSED_TOKENS = 'public';

type Handler = (ctx: unknown, request: unknown) => Promise<RouteResult>;

async function authenticate(exchange: Exchange): Promise<void> {
  const { deps, request, access } = exchange;
  if (!isSellerAccess(access)) {
    if (countsRefused(access)) showRate(exchange, deps.rate.peek(refusedKey(exchange), access.rate));
    else await takeRate(exchange, `address:${clientOf(request.ip)}`);
    if (access.auth === 'marketplace') {
      const token = bearerToken(request.headers.authorization, 'marketplace');
      exchange.identity = await deps.services.marketplaceTokens.verify(token);
    }
    return;
  }
  const { authorization } = request.headers;
  const byIdentity = access.auth === 'setup' && isOtherToken(authorization);
  try {
    if (byIdentity) exchange.seller = await memberOf(exchange, authorization);
    else {
      const verified = deps.verifyToken(authorization);
      const principal = verified instanceof Promise ? await verified : verified;
      exchange.seller = principal;
      exchange.sid = principal.sid;
    }
  } catch (error) {
    if (isRefusal(error))
      await takeRate(exchange, refusedKey(exchange), byIdentity ? 'auth' : REFUSED_TOKENS);
    throw error;
  }
  request.caller = exchange.seller;
  exchange.audit?.as(exchange.sid === undefined ? exchange.seller : { ...exchange.seller, aal: 'aal2' });
}

/** Whether the request itself has caused the error. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500;

const UNSIGNED = 401;
/** Whether the limit counts refused requests only. */
const countsRefused = (access: AnyRoute['access']): access is AnyRoute['access'] & { rate: RateClassName } =>
  access.rate === 'auth' || (!isSellerAccess(access) && access.counts !== undefined);
const isCounted = (access: AnyRoute['access'], error: unknown): boolean =>
  countsRefused(access) &&
  isRefusal(error) &&
  (access.rate === 'auth' || (error instanceof ApiError && error.status === UNSIGNED));

/** Refused credentials of an address are counted with this key. Valid ones are not counted. */
const refusedKey = ({ request }: Exchange): string => `refused:${clientOf(request.ip)}`;

function showRate({ reply }: Exchange, verdict: RateVerdict | undefined): void {
  if (verdict !== undefined) reply.headers(rateHeaders(verdict));
}

/** @throws ApiError 429 */
async function takeRate(exchange: Exchange, key: string, rate = exchange.access.rate): Promise<void> {
  if (rate === 'none') return;
  const taken = exchange.deps.rate.take(key, rate);
  const verdict = taken instanceof Promise ? await taken : taken;
  showRate(exchange, verdict);
  if (verdict?.allowed !== false) return;
  throw fail(coreErrors.rate_limited, { headers: { 'retry-after': String(verdict.resetSeconds) } });
}

/** The seller's present standing. The first query reads it. It is read alone only if it is needed before that query. */
async function standingOf(exchange: Exchange): Promise<Standing> {
  if (exchange.standing !== undefined) return exchange.standing;
  const ask = (db: CursorDb) => db.run(READ_STANDING);
  // A request that holds a connection must not wait for a second one: that could deadlock.
  if (exchange.db !== undefined) await ask(exchange.db);
  else
    await exchange.deps.services.withSeller(
      sellerOf(exchange).seller_id,
      'read',
      ask,
      scopeOptions(exchange),
    );
  return standingOf(exchange);
}

/** The principal of a route that acts for a seller. Authentication has set it. */
function sellerOf({ seller }: Exchange): SellerPrincipal {
  if (seller === undefined) throw tokenMissing();
  return seller;
}

function scopeOptions(exchange: Exchange) {
  const { access, sid, seller } = exchange;
  return {
    ...(sid !== undefined ? { sid } : seller && { member: seller }),
    onStanding: (standing: Standing, sessionLive: boolean): void => {
      exchange.standing = standing;
      if (access.auth === 'setup')
        refuseSetup(
          exchange.mounted.route,
          standing,
          sessionLive || (sid === undefined ? 'member' : 'ended'),
        );
      else refuseStanding(standing, sessionLive);
      refuseAccount(exchange, standing);
    },
  };
}

const modeOf = ({ mounted: { route } }: Exchange): TxMode | 'own' =>
  route.tx ?? (route.method === 'GET' ? 'read' : 'write');
/** Whether the standing of the first statement is soon enough for flag and plan: a read changes nothing before it. */
const checksLater = (exchange: Exchange): boolean => ['read', 'snapshot'].includes(modeOf(exchange));

async function moduleAndPlan(exchange: Exchange, access: SellerAccess): Promise<void> {
  const isGated = flagOf(exchange) !== undefined || access.plan !== undefined;
  if (!exchange.seller?.permissions.includes(access.permission)) {
    // A revoked token, a suspended seller and a missing flag are refused before a missing permission.
    await standingOf(exchange);
    throw fail(coreErrors.permission_denied, { facts: { permission: access.permission } });
  }
  // The standing that is read later is checked when it arrives.
  exchange.permitted = true;
  if (isGated && !checksLater(exchange)) await standingOf(exchange);
  try {
    await takeSellerRate(exchange, exchange.seller);
  } catch (error) {
    if (isGated) await standingOf(exchange);
    throw error;
  }
}

/** @throws ApiError 429 */
async function takeSellerRate(exchange: Exchange, { seller_id }: SellerPrincipal): Promise<void> {
  exchange.counted = true;
  await takeRate(exchange, `seller:${seller_id}`);
}

/**
 * Writes the refusal of a write request into the activity log. It counts against the seller's rate, so that no member
 * fills the log.
 *
 * @throws ApiError 429
 */
async function recordRefusal(exchange: Exchange, error: unknown): Promise<void> {
  const { audit, seller, counted } = exchange;
  if (audit?.isRefusal(error) !== true) return;
  if (!counted && seller !== undefined) await takeSellerRate(exchange, seller);
  await audit.refuse(error);
}

async function validate(exchange: Exchange, checks: RouteChecks): Promise<Validated> {
  const { request, mounted, deps, deadline } = exchange;
  try {
    return await readRequest(request, {
      route: mounted.route,
      checks,
      maxBodyBytes: deps.services.config.MAX_BODY_BYTES,
      signal: deadline.signal,
    });
  } catch (error) {
    // A suspended seller is refused before a validation error.
    if (exchange.seller !== undefined) await standingOf(exchange);
    throw error;
  }
}

/** The Idempotency-Key of the request; only requests of sellers have one. */
function keyOf(
  { deps, mounted, seller, audit }: Exchange,
  { key }: Validated,
  mayWrite: boolean,
): KeyedAnswers {
  return new KeyedAnswers({
    sellerId: seller?.seller_id ?? '',
    key,
    secrets: deps.services.secrets,
    secret: mounted.route.secretAnswer === true,
    now: deps.services.now,
    record: mayWrite ? audit?.write : undefined,
  });
}

const ignore = (): void => undefined;
const recordNothing = async (): Promise<void> => undefined;

function contextOf(exchange: Exchange, db: CursorDb | undefined, input: Validated): object {
  const { services } = exchange.deps;
  const { audit } = exchange;
  const request_id = exchange.request.id;
  const ofRequest = {
    log: exchange.log,
    request_id,
    services,
    identity: exchange.identity,
    auditAs: audit?.as ?? ignore,
    record: audit?.record ?? recordNothing,
  };
  const seller = exchange.seller;
  if (seller === undefined) return { db, now: services.now, ids: services.ids, ...ofRequest };
  const ctx: SellerCtx & { services: Services } = {
    ...acting(services, {
      db: db as CursorDb,
      seller_id: seller.seller_id,
      by: { kind: 'member', id: seller.member_id },
      correlation: { request_id, idempotency_key: input.key?.key ?? null },
      ...(audit && { audit: audit.add }),
    }),
    ...ofRequest,
    seller,
    standing: () => standingOf(exchange),
    transaction: (mode, fn) => services.withSeller(seller.seller_id, mode, fn, scopeOptions(exchange)),
    longTransaction: (mode, fn, options) =>
      services.withSellerLong(seller.seller_id, mode, fn, { ...scopeOptions(exchange), ...options }),
    snapshotStream: (fn) => services.sellerStream(seller.seller_id, fn, scopeOptions(exchange)),
    in: (other) => contextOf(exchange, other, input) as typeof ctx,
  };
  return ctx;
}

/** Runs the handler inside its transaction; the idempotency record is part of it. */
async function execute(
  exchange: Exchange,
  input: Validated,
  answer: (result: RouteResult) => Answer,
): Promise<Answer> {
  const { deps, mounted, seller, deadline, audit } = exchange;
  const { route } = mounted;
  const handler = route.handler as Handler;
  const mode = modeOf(exchange);
  const key = keyOf(exchange, input, mode === 'own' || mode === 'write');
  const toAnswer = audit === undefined ? answer : audit.seeing(answer);
  const view = new RequestView(exchange.request, deadline, input, key.forHandler(toAnswer));
  if (mode === 'own' || seller === undefined) {
    if (seller !== undefined) await standingOf(exchange);
    return toAnswer(await handler(contextOf(exchange, undefined, input), view));
  }
  return deps.services.withSeller(
    seller.seller_id,
    mode,
    async (db) => {
      exchange.db = db;
      const earlier = await key.earlier(db);
      if (earlier.answer !== undefined) return earlier.answer;
      const result = toAnswer(
        await handler(contextOf(exchange, db, input), view).catch(async (error: unknown) => {
          // What the handler refuses before its first statement comes after the standing.
          if (exchange.standing === undefined && isRefusal(error)) await standingOf(exchange);
          throw error;
        }),
      );
      if (exchange.standing === undefined) await standingOf(exchange);
      await key.keep(db, result);
      // A request that is too late here is rolled back. After this line the commit decides.
      if (deadline.passed) throw fail(coreErrors.timeout);
      return result;
    },
    { ...scopeOptions(exchange), prompt: true },
  );
}

/** Checks and answers one request. */
async function handle(
  exchange: Exchange,
  checks: RouteChecks,
  answer: (result: RouteResult) => Answer,
): Promise<Answer> {
  await authenticate(exchange);
  if (isSellerAccess(exchange.access)) await moduleAndPlan(exchange, exchange.access);
  const input = await validate(exchange, checks);
  exchange.audit?.checked(input.query);
  return execute(exchange, input, answer);
}

/** Writes the entry of a request that has had no transaction of its own for it. Without the entry nothing is sent. */
async function completeEntry(audit: RequestAudit, answer: Answer): Promise<void> {
  try {
    await audit.complete(answer);
  } catch (error) {
    if (answer.payload instanceof Readable) answer.payload.destroy();
    throw error;
  }
}

/** Registers one route. */
export function mountRoute(
  server: FastifyInstance,
  deps: MountDeps,
  mounted: MountedRoute,
  path: string,
): void {
  const { route } = mounted;
  const checks = compileChecks(route);
  const answer = createAnswerer(route, deps.strict);
  const timeoutMs = route.timeoutMs ?? TIMEOUT_MS;
  server.route({
    method: withHead(route.method),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: false,
    config: { routeId: route.id, timeoutMs },
    handler: async (request, reply) => {
      const deadline = new Deadline(timeoutMs);
      request.deadline = deadline;
      const exchange = new Exchange(deps, mounted, request, reply, deadline);
      if (mounted.module.stage !== undefined) reply.header('x-api-stage', mounted.module.stage);
      try {
        const result = await handle(exchange, checks, answer);
        if (
          route.method === 'GET' &&
          result.headers['etag'] !== undefined &&
          etagMatches(request.headers['if-none-match'], result.headers['etag'])
        ) {
          // A browser puts these headers in the place of those that it keeps (RFC 9111 section 3.2), the policy of a
          // page among them.
          const { 'content-type': _type, ...kept } = result.headers;
          reply.code(304).headers(kept);
          headersWithoutBody(request, reply, result);
          return await reply.send();
        }
        if (exchange.audit?.settled === false) await completeEntry(exchange.audit, result);
        reply.code(result.status).headers(result.headers);
        // HEAD sends the headers of the whole answer, but does not make the file.
        if (request.method !== 'HEAD' || !(result.payload instanceof Readable))
          return await reply.send(result.payload);
        headersWithoutBody(request, reply, result);
        result.payload.destroy();
        return await reply.send();
      } catch (error) {
        if (isCounted(route.access, error)) await takeRate(exchange, refusedKey(exchange));
        await recordRefusal(exchange, error);
        if (deps.strict) checkDeclared(error, route, exchange.log);
        throw namesMissing(error, route, request.params);
      } finally {
        deadline.end();
      }
    },
  });
}
