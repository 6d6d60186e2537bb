/**
 * The marketplace's side: a listener on a port of its own, which sellers cannot reach. Each route asks for the
 * marketplace's bearer token. Source: docs/design/wire.md#internal-listener.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger as PinoLogger } from 'pino';
import type { Config } from '../config.ts';
import { coreErrors, fail } from '../kernel/errors.ts';
import type { DueSource, ModuleDef } from '../kernel/route.ts';
import { MODULES } from '../modules.ts';
import { type ServiceClock, systemNow } from '../platform/db/clock.ts';
import { withHead } from '../platform/http/head.ts';
import { createServer } from '../platform/http/server.ts';
import type { Traffic } from '../platform/http/traffic.ts';
import type { Metrics } from '../platform/log/metrics.ts';
import type { Services } from '../platform/services.ts';
import { createAuthorise } from './authorise.ts';
import { createRoutes, type InternalRoute } from './routes.ts';

interface MarketplaceListenerOptions {
  readonly config: Config;
  readonly services: Services;
  readonly clock: ServiceClock;
  readonly metrics: Metrics;
  readonly log: PinoLogger;
  /** What the marketplace sends as `Authorization: Bearer …`. */
  readonly token: string;
  readonly traffic: Traffic;
  /** What runs when the clock is moved. Default: the jobs. */
  readonly due?: readonly DueSource[];
  /** The modules whose marketplace events the listener takes. */
  readonly modules?: readonly ModuleDef[];
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/';

/** Builds the listener. The caller opens its port. */
export function createMarketplaceListener(options: MarketplaceListenerOptions): FastifyInstance {
  const { config, services, clock, metrics, log, token, traffic, modules = MODULES } = options;
  const authorise = createAuthorise(token);
  const events = modules.flatMap((module) => module.marketplaceEvents ?? []);
  const due = options.due ?? [services.jobs];
  const routes = createRoutes({ config, services, clock, metrics, events, due });
  const server = createServer({
    log,
    traffic,
    https: false,
    tracer: services.tracer,
    trustedProxies: [],
    corsOrigins: [],
    // The marketplace has no rate limit.
    rateHeaders: () => undefined,
    observe: metrics.observe,
    systemNow,
    notFound: async (request) => {
      const here = routes.filter((route) => route.path === pathOf(request));
      const methods = here.flatMap((route) => withHead(route.method));
      if (methods.length === 0) throw fail(coreErrors.route_not_found);
      throw fail(coreErrors.method_not_allowed, {
        headers: { allow: methods.join(', ') },
        facts: { allowed: methods },
      });
    },
  });
  for (const route of routes) mountInternal(server, route, authorise);
  return server;
}

function mountInternal(
  server: FastifyInstance,
  { id, method, path, polled = false, handler }: InternalRoute,
  authorise: ReturnType<typeof createAuthorise>,
): void {
  server.route({
    method: withHead(method),
    url: path,
    exposeHeadRoute: false,
    config: { routeId: id, polled },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      authorise(request.headers.authorization);
      const { type = 'application/json; charset=utf-8', payload, headers } = await handler(request);
      const all = { 'content-type': type, 'cache-control': 'no-store', ...headers };
      return reply.code(200).headers(all).send(payload);
    },
  });
}
