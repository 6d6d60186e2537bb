/** Starts the parts of the service in order, and stops them in the opposite one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { App } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { Clock } from './kernel/context.ts';
import { createKeys } from './platform/crypto/keys.ts';
import { createPastClock, systemNow } from './platform/db/clock.ts';
import { migrate } from './platform/db/migrate.ts';
import { createPool } from './platform/db/pool.ts';
import { createWithSystem } from './platform/db/scope.ts';
import {
  backUpEmbedded,
  type EmbeddedServer,
  runningUrl,
  startEmbedded,
} from './platform/embedded-postgres/index.ts';
import { explainListenError } from './platform/http/explain-listen-error.ts';
import { reportJobs, retryJobs } from './platform/jobs/jobs-report.ts';
import { fileOutput } from './platform/log/file-output.ts';
import { createLog } from './platform/log/log.ts';
import type { OperatorOutput } from './platform/log/operator-output.ts';

export interface Running {
  readonly app: App;
  /** Undefined for a worker, which serves the internal listener only. */
  readonly apiUrl: string | undefined;
  readonly internalUrl: string;
  /** What to try first, if a demo marketplace runs beside an API. */
  readonly greeting: string | undefined;
  /** The file that has the log; undefined when standard output has it. */
  readonly logFile: string | undefined;
  /** Resolves with a sentence for the operator when the service has lost its database server. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** The stop functions of all started parts; called in the opposite order. */
class Stack {
  private readonly stops: (() => Promise<void>)[] = [];
  private stopping: Promise<void> | undefined;

  push(stop: () => Promise<void>): void {
    this.stops.push(stop);
  }

  stop(): Promise<void> {
    this.stopping ??= (async () => {
      for (const stop of this.stops.reverse()) await stop();
    })();
    return this.stopping;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;

interface Database {
  readonly url: string;
  readonly migrationUrl: string;
  readonly runtimeLogin: string | undefined;
  readonly lost: Promise<string>;
}

const never = new Promise<string>(() => undefined);
/** After this time the embedded server, or initdb, has been spawned. */
const SPAWN_MS = 50;

/** Opens the configured database: an external one, or the embedded server below DATA_DIR. */
async function openDatabase(
  config: Config,
  stack: Stack,
  print: Print,
  signal?: AbortSignal,
): Promise<Database> {
  if (config.DATABASE_URL !== undefined) {
    return {
      url: config.DATABASE_URL,
      migrationUrl: config.DATABASE_URL,
      runtimeLogin: undefined,
      lost: never,
    };
  }
  const embedded: EmbeddedServer = await startEmbedded({
    dataDir: config.DATA_DIR,
    log: print,
    production: config.APP_ENV === 'production',
    signal,
  });
  stack.push(() => embedded.stop());
  return {
    url: embedded.url,
    migrationUrl: embedded.superuserUrl,
    runtimeLogin: embedded.user,
    lost: embedded.lost,
  };
}

/** Opens the database with the core settings only, because the modules and their settings are not loaded yet. */
async function openEarly(
  env: Environment,
  stack: Stack,
  print: Print,
  signal: AbortSignal,
): Promise<Database> {
  const core = readConfig(env, []);
  // Keys of production are given and may be wrong, so they are checked before the database is opened.
  if (core.APP_ENV === 'production') await createKeys(core);
  return openDatabase(core, stack, print, signal);
}

/** Loads the service while PostgreSQL starts. Each takes about half a second, and loading blocks this process. */
async function openAndLoad(env: Environment, stack: Stack, print: Print, signal: AbortSignal) {
  const opening = openEarly(env, stack, print, signal);
  const settled = opening.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, after(SPAWN_MS)]);
  try {
    const config = await readFullConfig(env);
    const { buildApp } = await import('./app.ts');
    return { config, buildApp, database: await opening };
  } catch (error) {
    await settled;
    throw error;
  }
}

/**
 * Reads the settings of the core and of all modules.
 *
 * @throws ConfigError that names every problem
 */
async function readFullConfig(env: Environment): Promise<Config> {
  const { MODULE_SETTINGS } = await import('./modules.ts');
  return readConfig(env, MODULE_SETTINGS);
}

const DEMO = new URL('../demo/index.ts', import.meta.url);

/**
 * Returns the marketplace whose sessions count: the configured one, else in development the demo marketplace. The
 * folder `demo` is loaded here and nowhere else, so that an installation can leave it out.
 */
async function openMarketplace(config: Config, stack: Stack, now: Clock) {
  const {
    MARKETPLACE_ISSUER: issuer,
    MARKETPLACE_AUDIENCE: audience,
    MARKETPLACE_JWKS_URL: jwksUrl,
  } = config;
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined)
    return { provider: { issuer, audience, jwksUrl }, demo: undefined };
  if (!existsSync(DEMO))
    throw new ConfigError(
      'The demo marketplace (folder demo) is not installed: ' +
        'set MARKETPLACE_ISSUER, MARKETPLACE_AUDIENCE and MARKETPLACE_JWKS_URL.',
    );
  const { openDemo } = await import('../demo/index.ts');
  const demo = await explained(config.DEMO_PORT, 'DEMO_PORT', () => openDemo(config, now));
  stack.push(() => demo.stop());
  return { provider: demo.provider, demo };
}

/** Opens a port. If this fails, the error says why and what to do. */
async function explained<T>(port: number, variable: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const sentence = explainListenError(error, port, variable);
    throw sentence === undefined ? error : new ConfigError(sentence);
  }
}

/** The demo trades all the time. On a terminal its access log would scroll everything else away. */
const logFileOf = ({ APP_ENV, DATA_DIR }: Config): string | undefined =>
  APP_ENV === 'development' && process.stdout.isTTY ? join(DATA_DIR, 'service.log') : undefined;

/**
 * Starts everything that the environment configures.
 *
 * @throws ConfigError and EmbeddedServerError with sentences for the operator, after all started parts are stopped
 */
export async function start(
  env: Environment,
  { print, log: destination }: Pick<OperatorOutput, 'print' | 'log'>,
  signal: AbortSignal,
): Promise<Running> {
  const stack = new Stack();
  // The demo needs the service's clock, which exists once the service is built.
  let clock: Clock = systemNow;
  try {
    const { config, database, buildApp } = await openAndLoad(env, stack, print, signal);
    const logFile = logFileOf(config);
    const log = createLog(config.LOG_LEVEL, logFile === undefined ? destination : fileOutput(logFile));
    await migrate({
      url: database.migrationUrl,
      log: print,
      ...(database.runtimeLogin === undefined ? {} : { runtimeLogin: database.runtimeLogin }),
    });
    const { provider, demo } = await openMarketplace(config, stack, () => clock());
    const publicUrl = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
    const pastClock = createPastClock();
    const app = await buildApp({
      config: { ...config, ...demo?.settings },
      databaseUrl: database.url,
      log,
      publicUrl,
      marketplace: provider,
      clock: pastClock,
    });
    clock = app.services.now;
    stack.push(() => app.stop());
    await demo?.replayPast(app, pastClock, print, signal);
    const { HOST, PORT, INTERNAL_HOST, INTERNAL_PORT } = config;
    const listening = config.ROLE !== 'worker';
    const internalUrl = await explained(INTERNAL_PORT, 'INTERNAL_PORT', () =>
      app.internal.listen({ host: INTERNAL_HOST, port: INTERNAL_PORT }),
    );
    const apiUrl = listening
      ? await explained(PORT, 'PORT', () => app.api.listen({ host: HOST, port: PORT }))
      : undefined;
    await app.startWorker();
    const trade = await demo?.startTrade(app, { internalUrl, apiUrl });
    if (trade !== undefined) stack.push(() => trade.stop());
    const greeting = demo?.greeting({ internalUrl, apiUrl });
    const { lost } = database;
    return { app, apiUrl, internalUrl, greeting, logFile, lost, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Migrates the database and ends, for operators who migrate before they roll out. */
export async function migrateOnly(env: Environment, print: Print): Promise<void> {
  const stack = new Stack();
  try {
    const config = await readFullConfig(env);
    const database = await openDatabase(config, stack, print);
    await migrate({
      url: database.migrationUrl,
      log: print,
      ...(database.runtimeLogin === undefined ? {} : { runtimeLogin: database.runtimeLogin }),
    });
  } finally {
    await stack.stop();
  }
}

/** Copies the embedded database into a folder while the service runs. */
export async function backUp(env: Environment, folder: string | undefined, print: Print): Promise<void> {
  const config = await readFullConfig(env);
  if (config.DATABASE_URL !== undefined)
    throw new ConfigError(
      'DATABASE_URL is set: back that server up with its own tools, see docs/operations.md.',
    );
  if (folder === undefined) throw new ConfigError('Say which folder the backup goes to: backup <folder>');
  await backUpEmbedded(config.DATA_DIR, folder);
  print(`Backed up to ${folder}; a service with this DATA_DIR starts on it.`);
}

/**
 * Says how jobs, events and webhooks stand, or with `retry <kind>` makes the failed jobs of a kind due now. It reads
 * the database of DATABASE_URL, or the embedded one of a running service.
 */
export async function jobs(env: Environment, given: readonly string[]): Promise<string> {
  const [verb, kind] = given;
  if (verb !== undefined && (verb !== 'retry' || kind === undefined))
    throw new ConfigError('Say "jobs", or "jobs retry <kind>" with a kind that "jobs" lists.');
  const { MODULES } = await import('./modules.ts');
  const config = await readFullConfig(env);
  const url = config.DATABASE_URL ?? runningUrl(config.DATA_DIR);
  const pool = createPool({ url, max: 1, name: 'jobs', log: createLog('silent') });
  const reasons = MODULES.flatMap(({ systemReasons = [] }) => systemReasons);
  const withSystem = createWithSystem(pool, reasons);
  try {
    return await (kind === undefined ? reportJobs(withSystem, MODULES) : retryJobs(withSystem, kind));
  } finally {
    await pool.end();
  }
}
