/** Builds the handles that everything else is given. No ports are opened here. */
import type { Logger as PinoLogger } from 'pino';
import type { Config } from '../config.ts';
import { createCursors } from '../kernel/cursor.ts';
import { createIds } from '../kernel/ids.ts';
import { openManualClock, type ServiceClock, systemClock } from './db/clock.ts';
import { createPool } from './db/pool.ts';
import { createSellerStream, createWithSeller, createWithSystem } from './db/scope.ts';
import { createFiles } from './files/files.ts';
import { createJobs } from './jobs/jobs.ts';
import type { Services } from './services.ts';

export interface BuiltServices {
  readonly services: Services;
  readonly clock: ServiceClock;
  /** Connections in use and waiting, for metrics. */
  poolState(): { readonly total: number; readonly idle: number; readonly waiting: number };
  stop(): Promise<void>;
}

export interface ServiceInputs {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly cursorKey: Buffer;
  readonly log: PinoLogger;
}

/** Connects to the database and builds the services on the configured clock. */
export async function buildServices({ config, databaseUrl, cursorKey, log }: ServiceInputs): Promise<BuiltServices> {
  const short = createPool({ url: databaseUrl, max: config.DB_POOL_SIZE, name: 'short', log });
  const long = createPool({ url: databaseUrl, max: config.DB_LONG_POOL_SIZE, name: 'long', log });
  const withSystem = createWithSystem(short);
  const clock = config.CLOCK === 'manual' ? await openManualClock(withSystem, config.CLOCK_START) : systemClock;
  const ids = createIds(clock.now);
  const services: Services = {
    config,
    now: clock.now,
    ids,
    log,
    withSeller: createWithSeller(short),
    withSystem,
    longSeller: createWithSeller(long),
    longSystem: createWithSystem(long),
    sellerStream: createSellerStream(long),
    files: createFiles(ids),
    jobs: createJobs({ withSystem, ids, now: clock.now, systemNow: systemClock.now, log }),
    cursors: createCursors(cursorKey),
  };
  return {
    services,
    clock,
    poolState: () => ({
      total: short.totalCount + long.totalCount,
      idle: short.idleCount + long.idleCount,
      waiting: short.waitingCount + long.waitingCount,
    }),
    async stop() {
      clock.stop();
      await Promise.allSettled([short.end(), long.end()]);
    },
  };
}
