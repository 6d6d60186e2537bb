/**
 * The service as in operation: `bin/spp.mjs` in a process of its own, on its own embedded PostgreSQL with full
 * durability and with rate limits. It does not run in development, where the service checks every answer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DemoMarketplace, startDemoMarketplace } from '../../demo/index.ts';
import { connectionUrl, DATABASE, SUPERUSER } from '../../src/platform/embedded-postgres/cluster.ts';

import { readState } from '../../src/platform/embedded-postgres/data-directory.ts';

const SPP = fileURLToPath(new URL('../../bin/spp.mjs', import.meta.url));
export const INTERNAL_TOKEN = 'bench-internal-token-0123456789';
const POLL_MS = 20;
/** A migrated, empty database to use instead, for example behind PgBouncer, and a superuser of it for the limits. */
const { BENCH_DATABASE_URL: POOLED_URL, BENCH_SUPERUSER_URL: SUPERUSER_URL } = process.env;
/** Limits that are on and never reached. */
const RATE_LIMITS = ['read', 'write', 'feed', 'export', 'auth', 'public']
  .map((name) => `${name}=900000000/60`)
  .join(',');

export interface Service {
  readonly url: string;
  readonly internalUrl: string;
  readonly pid: number;
  /** Connects to its database without row-level security, for the limits on the same server. */
  readonly superuserUrl: string;
  readonly marketplace: DemoMarketplace;
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node itself, for example `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

/** Makes a directory for a service and deletes it with its content. */
export async function inTemporaryDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'spp-bench-'));
  try {
    return await work(dir);
  } finally {
    // If root starts the service, PostgreSQL has another user, and its data are in a folder that this user can read.
    const home = readState(dir)?.home;
    if (home !== undefined) await rm(home, { recursive: true, force: true });
    await rm(dir, { recursive: true, force: true });
  }
}

/** Waits for a line of the program's output, which goes to a file so that reading it does not affect the figures. */
async function untilLine(child: ChildProcess, logFile: string, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(await readFile(logFile, 'utf8'));
    if (match !== null) return match;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(POLL_MS);
  }
}

const logFileOf = (dataDir: string): string => join(dataDir, 'service.log');

/** Spawns the program on `dataDir`; the caller waits for it and ends it. */
export function spawnMain(
  dataDir: string,
  marketplace: DemoMarketplace,
  { env = {}, nodeOptions = [] }: ServiceOptions = {},
): ChildProcess {
  const log = openSync(logFileOf(dataDir), 'w');
  const child = spawn(process.execPath, [SPP], {
    stdio: ['ignore', log, 'inherit'],
    env: {
      PATH: process.env['PATH'],
      APP_ENV: 'staging',
      PORT: '0',
      INTERNAL_PORT: '0',
      INTERNAL_TOKEN,
      DATA_DIR: dataDir,
      MARKETPLACE_ISSUER: marketplace.issuer,
      MARKETPLACE_AUDIENCE: marketplace.audience,
      MARKETPLACE_JWKS_URL: marketplace.jwksUrl,
      RATE_LIMITS,
      MAX_SYNC_SECONDS: '600',
      NODE_OPTIONS: nodeOptions.join(' '),
      ...(POOLED_URL !== undefined && { DATABASE_URL: POOLED_URL }),
      ...env,
    },
  });
  closeSync(log);
  return child;
}

/** Starts the service on `dir` and waits until it listens. */
export async function startService(dir: string, options: ServiceOptions = {}): Promise<Service> {
  const marketplace = await startDemoMarketplace({ port: 0, dataDir: dir });
  const child = spawnMain(dir, marketplace, options);
  const [, url = '', internalUrl = ''] = await untilLine(
    child,
    logFileOf(dir),
    /Seller Partner Service: (\S+)\s+marketplace listener: (\S+)/,
  );
  const record = readState(dir);
  return {
    url,
    internalUrl,
    pid: child.pid ?? 0,
    superuserUrl:
      SUPERUSER_URL ?? connectionUrl(SUPERUSER, record?.superuserPassword ?? '', record?.port ?? 0, DATABASE),
    marketplace,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await marketplace.stop();
    },
  };
}
