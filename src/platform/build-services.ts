/** Builds the services that the modules use. It opens no ports. */
import type { Logger as PinoLogger } from 'pino';
import type { Config } from '../config.ts';
import { createCursors } from '../kernel/cursor.ts';
import { createIds } from '../kernel/ids.ts';
import type { Count, ModuleDef } from '../kernel/route.ts';
import { createJwksCache } from './crypto/jwks-cache.ts';
import type { Keys } from './crypto/keys.ts';
import { createMarketplaceTokens } from './crypto/marketplace-tokens.ts';
import { createServiceTokens } from './crypto/service-tokens.ts';
import { checkRowShapes } from './db/batch.ts';
import { checkPool } from './db/check-pool.ts';
import { openManualClock, type ServiceClock, systemClock } from './db/clock.ts';
import { forWrites, waitingFor } from './db/fair-connections.ts';
import { createPool } from './db/pool.ts';
import { createSellerStream, createWithSeller, createWithSystem } from './db/scope.ts';
import { createFiles } from './files/files.ts';
import { createJobs } from './jobs/jobs.ts';
import { createLanes } from './jobs/lanes.ts';
import type { PoolState } from './log/metrics.ts';
import { createEventCheck } from './outbox/check-events.ts';
import { createEventWaiters } from './outbox/event-waiters.ts';
import { createFillEvents } from './outbox/fill-events.ts';
import type { Services } from './services.ts';
import type { Tracer } from './trace/tracer.ts';

/** Places of writes for long work that feed runs do not use, so that uploads, events and clean-up have some. */
const OTHER_LONG_WORK = 2;

export interface BuiltServices {
  readonly services: Services;
  readonly clock: ServiceClock;
  /** The state of each pool, for metrics. */
  poolStates(): Readonly<Record<string, PoolState>>;
  /** Ends all long polls. */
  leave(): void;
  stop(): Promise<void>;
}

interface ServiceInputs {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly keys: Keys;
  readonly log: PinoLogger;
  /** The address of the API for sellers. It is the issuer and the audience of the service's tokens. */
  readonly publicUrl: string;
  readonly marketplace: MarketplaceIdentityProvider;
  /** Replaces the system's clock, unless the configuration asks for a manual clock. */
  readonly clock?: ServiceClock;
  readonly modules: readonly ModuleDef[];
  readonly count: Count;
  readonly tracer: Tracer;
}

/** The exchange accepts session tokens of this issuer. */
export interface MarketplaceIdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

const stateOf = (pool: ReturnType<typeof createPool>): PoolState => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: waitingFor(pool),
});

/** Opens the pools, and checks that each can do its work. @throws DatabaseRefused */
async function openPools(config: Config, url: string, log: PinoLogger) {
  const short = createPool({ url, max: config.DB_POOL_SIZE, name: 'short', log });
  const long = createPool({ url, max: config.DB_LONG_POOL_SIZE, name: 'long', log, longWork: true });
  const end = () => Promise.allSettled([short.end(), long.end()]);
  try {
    await Promise.all([checkPool(short, 'DB_POOL_SIZE'), checkPool(long, 'DB_LONG_POOL_SIZE')]);
  } catch (error) {
    await end();
    throw error;
  }
  return { short, long, end };
}

/** Connects to the database and builds the services on the configured clock. */
export async function buildServices({
  config,
  databaseUrl,
  keys,
  log,
  publicUrl,
  marketplace,
  clock: given = systemClock,
  modules,
  count,
  tracer,
}: ServiceInputs): Promise<BuiltServices> {
  // The check costs one comparison for each statement of a connection.
  checkRowShapes(config.APP_ENV !== 'production');
  const { short, long, end } = await openPools(config, databaseUrl, log);
  const reasons = modules.flatMap(({ systemReasons = [] }) => systemReasons);
  const withSystem = createWithSystem(short, reasons);
  const clock = config.CLOCK === 'manual' ? await openManualClock(withSystem, config.CLOCK_START) : given;
  const ids = createIds(clock.now);
  const leaving = new AbortController();
  // Addresses are made from the one under which the service is reached, given or not.
  const ownConfig = { ...config, PUBLIC_URL: publicUrl };
  const services: Services = {
    config: ownConfig,
    now: clock.now,
    ids,
    log,
    withSeller: createWithSeller(short),
    withSystem,
    withSellerLong: createWithSeller(long),
    withSystemLong: createWithSystem(long, reasons),
    sellerStream: createSellerStream(long),
    files: createFiles(ids),
    jobs: createJobs({ withSystem, ids, now: clock.now, systemNow: systemClock.now, log, tracer }),
    feedLanes: createLanes(
      Math.max(1, forWrites(config.DB_LONG_POOL_SIZE) - OTHER_LONG_WORK),
      systemClock.now,
    ),
    cursors: createCursors(keys.cursorKey),
    modules,
    checkEvents:
      config.APP_ENV === 'development'
        ? createEventCheck(modules.flatMap(({ events = [] }) => events))
        : undefined,
    fillEvents: createFillEvents(
      modules.flatMap(({ eventObjects = [] }) => eventObjects),
      { now: clock.now, config: ownConfig },
    ),
    waiters: createEventWaiters(withSystem, leaving.signal),
    tokens: createServiceTokens({
      keys: keys.signing,
      now: clock.now,
      issuer: publicUrl,
      audience: `${publicUrl}/api/v1`,
    }),
    marketplaceTokens: createMarketplaceTokens({
      jwks: createJwksCache({ url: marketplace.jwksUrl, systemNow: systemClock.now, log }),
      issuer: marketplace.issuer,
      audience: marketplace.audience,
      now: clock.now,
    }),
    secrets: keys.secrets,
    count,
    tracer,
  };
  return {
    services,
    clock,
    poolStates: () => ({ short: stateOf(short), long: stateOf(long) }),
    leave: () => leaving.abort(),
    async stop() {
      clock.stop();
      await end();
    },
  };
}
