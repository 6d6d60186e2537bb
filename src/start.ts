/** Starts the parts of the service in order, and stops them in the opposite one. */
import type { Logger as PinoLogger } from 'pino';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import type { Clock } from './kernel/context.ts';
import {
  type DemoMarketplace,
  liveHistory,
  PAST_OWNER,
  type Past,
  startDemoMarketplace,
  startTrade,
} from './marketplace/demo/index.ts';
import type { MarketplaceIdentityProvider } from './platform/build-services.ts';
import { createKeys } from './platform/crypto/keys.ts';
import { createPastClock, type PastClock, systemNow } from './platform/db/clock.ts';
import { migrate } from './platform/db/migrate.ts';
import { backUpEmbedded, type EmbeddedServer, startEmbedded } from './platform/embedded-postgres/index.ts';
import { explainListenError } from './platform/http/explain-listen-error.ts';

export interface Running {
  readonly app: App;
  /** Absent in a worker, which serves the internal listener only. */
  readonly apiUrl: string | undefined;
  readonly internalUrl: string;
  /** Address of the demo marketplace, where one runs. */
  readonly demoUrl: string | undefined;
  /** Whether a shop of it has traded for a while. */
  readonly hasPast: boolean;
  /** Resolves with a sentence when something the service stands on is gone. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** What was started so far; stopped in the opposite order. */
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

interface Database {
  readonly url: string;
  readonly migrationUrl: string;
  readonly runtimeLogin: string | undefined;
  readonly lost: Promise<string>;
}

const never = new Promise<string>(() => undefined);

/** The database of the configuration: an external one, or the embedded server under DATA_DIR. */
async function openDatabase(
  config: Config,
  stack: Stack,
  print: (line: string) => void,
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

async function marketplaceOf(
  config: Config,
  stack: Stack,
  now: Clock,
): Promise<{ provider: MarketplaceIdentityProvider; demo: DemoMarketplace | undefined }> {
  const {
    MARKETPLACE_ISSUER: issuer,
    MARKETPLACE_AUDIENCE: audience,
    MARKETPLACE_JWKS_URL: jwksUrl,
  } = config;
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined)
    return { provider: { issuer, audience, jwksUrl }, demo: undefined };
  // Only development gets here: elsewhere the configuration asks for all three.
  const demo = await explained(config.DEMO_PORT, 'DEMO_PORT', () =>
    startDemoMarketplace({ port: config.DEMO_PORT, dataDir: config.DATA_DIR, now }),
  );
  stack.push(() => demo.stop());
  return { provider: { issuer: demo.issuer, audience: demo.audience, jwksUrl: demo.jwksUrl }, demo };
}

/** Opens a port; when it cannot be opened, says why and what to do instead of showing a stack. */
async function explained<T>(port: number, variable: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const sentence = explainListenError(error, port, variable);
    throw sentence === undefined ? error : new ConfigError(sentence);
  }
}

/** The token with which the demo marketplace reaches the internal listener. */
async function internalTokenOf(config: Config): Promise<string> {
  const { internalToken } = await createKeys(config);
  return internalToken.split(',', 1)[0]?.trim() ?? '';
}

interface Trading {
  readonly config: Config;
  readonly demo: DemoMarketplace;
  readonly app: App;
  readonly log: PinoLogger;
}

const sessionOf = (demo: DemoMarketplace) => (): Promise<string> => demo.mint({ email: PAST_OWNER });

/** Before the ports open: nobody else may see a clock that runs through the past. */
async function tellPast(
  { config, demo, app }: Trading,
  clock: PastClock,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Past | undefined> {
  const { DEMO_PAST_DAYS: days, DEMO_TRADE, CLOCK, ROLE } = config;
  if (DEMO_TRADE === 'off' || CLOCK === 'manual' || ROLE !== 'all') return undefined;
  const { services, due, api, internal } = app;
  const internalToken = await internalTokenOf(config);
  const session = sessionOf(demo);
  return liveHistory({ services, clock, due, api, internal, internalToken, session, days, signal, print });
}

async function trade(
  { config, demo, app, log }: Trading,
  stack: Stack,
  internalUrl: string,
  apiUrl: string | undefined,
  past: Past | undefined,
): Promise<void> {
  if (config.DEMO_TRADE === 'off') return;
  const internalToken = await internalTokenOf(config);
  const { now } = app.services;
  const session = sessionOf(demo);
  const trading = startTrade({ internalUrl, internalToken, apiUrl, now, log, past, session });
  stack.push(() => trading.stop());
}

/**
 * Starts everything that the configuration asks for.
 *
 * @throws ConfigError and EmbeddedServerError with sentences for the operator; what was started is stopped
 */
export async function start(
  config: Config,
  log: PinoLogger,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Running> {
  const stack = new Stack();
  // The demo issues sessions of the service's time, which is known once the service is built.
  let clock: Clock = systemNow;
  try {
    // Before anything is touched: in production keys are given, and may be wrong.
    if (config.APP_ENV === 'production') await createKeys(config);
    const database = await openDatabase(config, stack, print, signal);
    await migrate({
      url: database.migrationUrl,
      log: print,
      ...(database.runtimeLogin === undefined ? {} : { runtimeLogin: database.runtimeLogin }),
    });
    const { provider, demo } = await marketplaceOf(config, stack, () => clock());
    const publicUrl = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
    const pastClock = createPastClock();
    const app = await buildApp({
      config,
      databaseUrl: database.url,
      log,
      publicUrl,
      marketplace: provider,
      clock: pastClock,
    });
    clock = app.services.now;
    stack.push(() => app.stop());
    const trading = demo && { config, demo, app, log };
    const past = trading && (await tellPast(trading, pastClock, print, signal));
    const { HOST, PORT, INTERNAL_HOST, INTERNAL_PORT } = config;
    const listening = config.ROLE !== 'worker';
    const internalUrl = await explained(INTERNAL_PORT, 'INTERNAL_PORT', () =>
      app.internal.listen({ host: INTERNAL_HOST, port: INTERNAL_PORT }),
    );
    const apiUrl = listening
      ? await explained(PORT, 'PORT', () => app.api.listen({ host: HOST, port: PORT }))
      : undefined;
    await app.startWorker();
    if (trading !== undefined) await trade(trading, stack, internalUrl, apiUrl, past);
    const [demoUrl, hasPast] = [demo?.url, past !== undefined];
    return { app, apiUrl, internalUrl, demoUrl, hasPast, lost: database.lost, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Only brings the database up to date: for operators who migrate before they roll out. */
export async function migrateOnly(config: Config, print: (line: string) => void): Promise<void> {
  const stack = new Stack();
  try {
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
export async function backUp(
  config: Config,
  folder: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  if (config.DATABASE_URL !== undefined)
    throw new ConfigError(
      'DATABASE_URL is set: back that server up with its own tools, see docs/operations.md.',
    );
  if (folder === undefined) throw new ConfigError('Say which folder the backup goes to: backup <folder>');
  await backUpEmbedded(config.DATA_DIR, folder);
  print(`Backed up to ${folder}; a service with this DATA_DIR starts on it.`);
}
