/** Composition only: which parts the service is made of, and in which order they start and stop. */
import type { FastifyInstance } from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import type { Config } from './config.ts';
import { routePath } from './kernel/route-path.ts';
import { createMarketplaceListener } from './marketplace/index.ts';
import { MODULES } from './modules.ts';
import { buildServices, type MarketplaceIdentityProvider } from './platform/build-services.ts';
import { createKeys } from './platform/crypto/keys.ts';
import { systemNow } from './platform/db/clock.ts';
import { type MountDeps, mountRoute } from './platform/http/mount.ts';
import { createNotFound, type KnownPath, pathPattern } from './platform/http/not-found.ts';
import { createRateLimiter, rateHeaders } from './platform/http/rate.ts';
import { requireSeller } from './platform/http/require-seller.ts';
import { createServer } from './platform/http/server.ts';
import { registerJob } from './platform/jobs/define-job.ts';
import { createMetrics } from './platform/log/metrics.ts';
import type { Services } from './platform/services.ts';

/** Requests in work are given this long before their connections are closed. */
const DRAIN_MS = 8_000;

export interface App {
  readonly api: FastifyInstance;
  readonly internal: FastifyInstance;
  readonly services: Services;
  /** Starts the worker where the role has one. */
  startWorker(): Promise<void>;
  stop(): Promise<void>;
}

export interface AppInputs {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly log: PinoLogger;
  /** Address under which sellers reach the API; issuer and audience of the service's tokens. */
  readonly publicUrl: string;
  readonly marketplace: MarketplaceIdentityProvider;
}

function mountModules(api: FastifyInstance, deps: MountDeps, production: boolean): void {
  for (const module of MODULES) {
    for (const route of module.routes) {
      if (route.outsideProduction && production) continue;
      mountRoute(api, deps, { module, route }, routePath(module, route));
    }
  }
}

function knownPaths(production: boolean): KnownPath[] {
  return MODULES.flatMap((module) =>
    module.routes
      .filter((route) => !(route.outsideProduction && production))
      .map((route) => {
        const path = routePath(module, route);
        return { method: route.method, path, pattern: pathPattern(path) };
      }),
  );
}

/** Builds the whole service on an already migrated database; ports are opened by the caller. */
export async function buildApp({
  config,
  databaseUrl,
  log,
  publicUrl,
  marketplace,
}: AppInputs): Promise<App> {
  const production = config.APP_ENV === 'production';
  const keys = await createKeys(config);
  const built = await buildServices({ config, databaseUrl, keys, log, publicUrl, marketplace });
  const { services } = built;
  const metrics = createMetrics(built.poolState);
  const rate = createRateLimiter({
    limits: config.RATE_LIMITS,
    withSystem: services.withSystem,
    log,
    systemNow,
  });
  const verifyToken = services.tokens.verify;
  const api = createServer({
    log,
    maxInFlight: config.MAX_IN_FLIGHT,
    corsOrigins: config.CORS_ORIGINS,
    observe: metrics.observe,
    systemNow,
    rateHeaders: (address) => {
      const verdict = rate.peek(`address:${address}`, 'public');
      return verdict && rateHeaders(verdict);
    },
    notFound: createNotFound({
      modules: MODULES,
      known: knownPaths(production),
      authenticate: (request) => requireSeller(services, request.headers.authorization),
    }),
  });
  mountModules(api, { services, rate, verifyToken, strict: config.APP_ENV === 'development' }, production);
  const internal = createMarketplaceListener({
    config,
    services,
    clock: built.clock,
    metrics,
    log,
    token: keys.internalToken,
  });
  const jobs = MODULES.flatMap((module) => module.jobs ?? []);
  for (const job of jobs) registerJob(services, job);
  return {
    api,
    internal,
    services,
    async startWorker() {
      if (config.ROLE === 'api') return;
      for (const job of jobs.filter(({ recurring }) => recurring))
        await services.jobs.ensure({ kind: job.kind, firstDueAt: services.now() });
      services.jobs.start();
    },
    async stop() {
      const force = setTimeout(() => api.server.closeAllConnections(), DRAIN_MS);
      await Promise.allSettled([api.close(), internal.close(), services.jobs.stop(DRAIN_MS)]);
      clearTimeout(force);
      await built.stop();
    },
  };
}
