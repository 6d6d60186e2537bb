/** Starts the parts of the service in order, and stops them in the opposite one. */
import type { Logger as PinoLogger } from 'pino';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError } from './config.ts';
import { startDemoMarketplace } from './marketplace/demo/index.ts';
import type { MarketplaceIdentityProvider } from './platform/build-services.ts';
import { migrate } from './platform/db/migrate.ts';
import { type EmbeddedServer, startEmbedded } from './platform/embedded-postgres/index.ts';
import { explainListenError } from './platform/http/explain-listen-error.ts';

/** Audience of the sessions of the demo marketplace. */
const DEMO_AUDIENCE = 'authenticated';

export interface Running {
  readonly app: App;
  readonly apiUrl: string;
  readonly internalUrl: string;
  /** Address of the demo marketplace, where one runs. */
  readonly demoUrl: string | undefined;
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
export async function openDatabase(
  config: Config,
  stack: Stack,
  print: (line: string) => void,
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
): Promise<{ provider: MarketplaceIdentityProvider; demoUrl: string | undefined }> {
  const {
    MARKETPLACE_ISSUER: issuer,
    MARKETPLACE_AUDIENCE: audience,
    MARKETPLACE_JWKS_URL: jwksUrl,
  } = config;
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined)
    return { provider: { issuer, audience, jwksUrl }, demoUrl: undefined };
  if (config.APP_ENV !== 'development') {
    throw new ConfigError(
      'MARKETPLACE_ISSUER, MARKETPLACE_AUDIENCE and MARKETPLACE_JWKS_URL: all three are needed outside development',
    );
  }
  const demo = await startDemoMarketplace({
    port: config.DEMO_PORT,
    dataDir: config.DATA_DIR,
    audience: audience ?? DEMO_AUDIENCE,
  });
  stack.push(() => demo.stop());
  return {
    provider: { issuer: demo.issuer, audience: demo.audience, jwksUrl: demo.jwksUrl },
    demoUrl: demo.url,
  };
}

interface Listens {
  listen(options: { host: string; port: number }): Promise<string>;
  server: { address(): unknown };
}

async function listen(server: Listens, host: string, port: number, variable: string): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw new ConfigError(explainListenError(error, port, variable));
  }
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
): Promise<Running> {
  const stack = new Stack();
  try {
    const database = await openDatabase(config, stack, print);
    await migrate({
      url: database.migrationUrl,
      log: print,
      ...(database.runtimeLogin === undefined ? {} : { runtimeLogin: database.runtimeLogin }),
    });
    const { provider, demoUrl } = await marketplaceOf(config, stack);
    const publicUrl = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
    const app = await buildApp({ config, databaseUrl: database.url, log, publicUrl, marketplace: provider });
    stack.push(() => app.stop());
    const internalUrl =
      config.ROLE === 'worker'
        ? ''
        : await listen(app.internal, config.INTERNAL_HOST, config.INTERNAL_PORT, 'INTERNAL_PORT');
    const apiUrl = config.ROLE === 'worker' ? '' : await listen(app.api, config.HOST, config.PORT, 'PORT');
    await app.startWorker();
    return { app, apiUrl, internalUrl, demoUrl, lost: database.lost, stop: () => stack.stop() };
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
