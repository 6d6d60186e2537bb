/** Composes the service: its parts, and the order in which they start and stop. */
import { Server } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import type { Config } from './config.ts';
import type { AnyRoute, DueSource, Environment, ModuleDef, WorkLoop } from './kernel/route.ts';
import { routePath } from './kernel/route-path.ts';
import { createMarketplaceListener } from './marketplace/index.ts';
import { MODULES } from './modules.ts';
import {
  type BuiltServices,
  buildServices,
  type MarketplaceIdentityProvider,
} from './platform/build-services.ts';
import { createKeys } from './platform/crypto/keys.ts';
import { type ServiceClock, systemNow } from './platform/db/clock.ts';
import type { MountDeps } from './platform/http/exchange.ts';
import { withHead } from './platform/http/head.ts';
import { mountRoute } from './platform/http/mount.ts';
import { createNotFound, type KnownPath, pathPattern, shadowedMethods } from './platform/http/not-found.ts';
import { createRateLimiter, type RateLimiter, rateHeaders } from './platform/http/rate.ts';
import { requireSeller } from './platform/http/require-seller.ts';
import { createServer } from './platform/http/server.ts';
import { createTraffic, type Traffic } from './platform/http/traffic.ts';
import { registerJob } from './platform/jobs/define-job.ts';
import { createLoop } from './platform/jobs/define-loop.ts';
import { createMetrics, type Metrics } from './platform/log/metrics.ts';
import { clientOf } from './platform/net/ip-prefix.ts';
import { createSequencer } from './platform/outbox/sequencer.ts';
import type { Services } from './platform/services.ts';
import { createTracer } from './platform/trace/create-tracer.ts';

/** The time that running requests have, including the notice. With what follows, a stop takes under 10 s. */
const DRAIN_MS = 7_000;
/** The time in which jobs roll back after they are aborted, and in which the pools close. */
const LAST_WORDS_MS = 500;
/**
 * The time in which clients learn that the service stops: first new connections are refused with an answer, then open
 * ones get their last answer.
 */
const FAREWELL_MS = 500;

export interface App {
  readonly api: FastifyInstance;
  readonly internal: FastifyInstance;
  readonly services: Services;
  /** All sources of work that becomes due on the service's clock. */
  readonly due: readonly DueSource[];
  /** Starts the worker, if the role has one. */
  startWorker(): Promise<void>;
  stop(): Promise<void>;
}

interface AppInputs {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly log: PinoLogger;
  /** The address of the sellers' API. It is also the issuer and the audience of the service's tokens. */
  readonly publicUrl: string;
  readonly marketplace: MarketplaceIdentityProvider;
  /** A clock instead of the machine's. A manual clock of the configuration goes before it. */
  readonly clock?: ServiceClock;
  /** Milliseconds that clients have at the stop to learn of it, twice; default: {@link FAREWELL_MS}. */
  readonly farewellMs?: number;
}

/** The modules whose routes the internal listener has too. A worker has no other port for health checks. */
const HEALTH = MODULES.filter(({ name }) => name === 'platform');

function mountModules(
  api: FastifyInstance,
  modules: readonly ModuleDef[],
  deps: MountDeps,
  environment: Environment,
): void {
  const paths: KnownPath[] = [];
  for (const module of modules) {
    for (const route of module.routes) {
      if (!existsIn(environment, route)) continue;
      const path = routePath(module, route);
      mountRoute(api, deps, { module, route }, path);
      paths.push({ method: route.method, path, pattern: pathPattern(path) });
    }
  }
  for (const { method, path } of shadowedMethods(paths))
    api.route({
      method: withHead(method),
      url: path,
      exposeHeadRoute: false,
      handler: (_request, reply) => reply.callNotFound(),
    });
}

const existsIn = (environment: Environment, { environments }: AnyRoute): boolean =>
  environments?.includes(environment) !== false;

function knownPaths(environment: Environment): KnownPath[] {
  return MODULES.flatMap((module) =>
    module.routes
      .filter((route) => existsIn(environment, route))
      .map((route) => {
        const path = routePath(module, route);
        return { method: route.method, path, pattern: pathPattern(path) };
      }),
  );
}

/** Waits until all work has ended, successfully or not, but at most so many milliseconds. */
async function atMost(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  const done = new AbortController();
  const late = after(ms, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(work), late]);
  done.abort();
}

/**
 * Takes no new connection. Resolves when each open one has had its last answer, which closes it. Node's own
 * `close` of a server would cut connections whose next request has been sent and not been read yet.
 */
const untilAllLeft = (server: FastifyInstance): Promise<void> =>
  new Promise((resolve) => {
    Server.prototype.close.call(server.server, () => resolve());
  });

interface Stoppable {
  readonly inputs: AppInputs;
  readonly traffics: readonly Traffic[];
  readonly servers: readonly FastifyInstance[];
  readonly built: BuiltServices;
  readonly loops: readonly WorkLoop[];
}

/** Announces the stop, lets running work end, and closes everything. It takes under 9 s. */
async function stopInOrder({ inputs, traffics, servers, built, loops }: Stoppable): Promise<void> {
  const { config, farewellMs = FAREWELL_MS } = inputs;
  const noticeMs = config.SHUTDOWN_NOTICE_SECONDS * 1000;
  for (const traffic of traffics) traffic.leave();
  built.leave();
  await after(noticeMs);
  const drainMs = DRAIN_MS - noticeMs;
  const hasClients = servers.some(({ server }) => server.listening);
  const work = [
    ...traffics.map((traffic) => traffic.close()),
    ...[built.services.jobs, ...loops].map((loop) => loop.stop(drainMs)),
    after(hasClients ? farewellMs : 0),
  ];
  await atMost(drainMs + LAST_WORDS_MS, work);
  await atMost(farewellMs, servers.map(untilAllLeft));
  const closed: Promise<unknown>[] = servers.map((server) => server.close());
  for (const { server } of servers) server.closeAllConnections();
  // The transactions of work that is aborted here are rolled back. The next worker executes its feed runs again.
  await atMost(LAST_WORDS_MS, [...closed, built.stop(), built.services.tracer.stop()]);
}

/** The loops of the worker: the sequencer of events, and the loops of the modules. */
function createLoops(services: Services, metrics: Metrics): WorkLoop[] {
  const sequencer = createSequencer({
    withSystem: services.withSystemLong,
    ids: services.ids,
    now: services.now,
    log: services.log,
    events: MODULES.flatMap((module) => module.events ?? []),
    fillEvents: services.fillEvents,
    onNumbered: MODULES.flatMap(({ onNumbered = [] }) => onNumbered),
    countEvent: metrics.countNumbered,
  });
  const own = MODULES.flatMap((module) => module.loops ?? []);
  return [sequencer, ...own.map((loop) => createLoop(services, loop))];
}

/** Makes the sellers' server without its routes. */
function createApi(
  { config, log }: AppInputs,
  services: Services,
  rate: RateLimiter,
  metrics: Metrics,
  traffic: Traffic,
): FastifyInstance {
  return createServer({
    log,
    traffic,
    https: services.config.PUBLIC_URL?.startsWith('https:') === true,
    tracer: services.tracer,
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    observe: metrics.observe,
    systemNow,
    rateHeaders: (address) => {
      const verdict = rate.peek(`address:${clientOf(address)}`, 'public');
      return verdict && rateHeaders(verdict);
    },
    notFound: createNotFound({
      modules: MODULES,
      known: knownPaths(config.APP_ENV),
      authenticate: (request) => requireSeller(services, request.headers.authorization),
    }),
  });
}

/** Builds the whole service on a migrated database. The caller opens the ports. */
export async function buildApp(inputs: AppInputs): Promise<App> {
  const { config, log } = inputs;
  const keys = await createKeys(config);
  const metrics = createMetrics(() => built.poolStates(), MODULES);
  const tracer = await createTracer(config, log);
  const built = await buildServices({
    ...inputs,
    keys,
    modules: MODULES,
    count: metrics.count,
    tracer,
  });
  const { services } = built;
  const rate = createRateLimiter({
    limits: config.RATE_LIMITS,
    withSystem: services.withSystem,
    log,
    systemNow,
  });
  const bounds = { maxInFlight: config.MAX_IN_FLIGHT, maxWaiting: config.MAX_WAITING };
  const traffic = createTraffic(bounds);
  const internalTraffic = createTraffic(bounds);
  const api = createApi(inputs, services, rate, metrics, traffic);
  const deps = {
    services,
    rate,
    verifyToken: services.tokens.verify,
    strict: config.APP_ENV === 'development',
  };
  mountModules(api, MODULES, deps, config.APP_ENV);
  const loops = createLoops(services, metrics);
  const due = [services.jobs, ...loops.flatMap((loop) => loop.due ?? [])];
  const internal = createMarketplaceListener({
    config,
    services,
    clock: built.clock,
    metrics,
    log,
    token: keys.internalToken,
    traffic: internalTraffic,
    due,
  });
  mountModules(internal, HEALTH, deps, config.APP_ENV);
  const jobs = MODULES.flatMap((module) => module.jobs ?? []);
  for (const job of jobs) registerJob(services, job);
  return {
    api,
    internal,
    services,
    due,
    async startWorker() {
      if (config.ROLE === 'api') return;
      for (const job of jobs.filter(({ recurring }) => recurring))
        await services.jobs.ensure({
          kind: job.kind,
          firstDueAt: job.firstAt?.(services.now()) ?? services.now(),
        });
      services.jobs.start(() => traffic.inFlight > config.DB_POOL_SIZE);
      for (const loop of loops) loop.start();
    },
    stop: () =>
      stopInOrder({
        inputs,
        traffics: [traffic, internalTraffic],
        servers: [api, internal],
        built,
        loops,
      }),
  };
}
