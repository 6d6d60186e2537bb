/** Starts and stops the PostgreSQL process. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { type Binaries, programPath } from './binaries.ts';
import { type Durability, LOOPBACK, serverEnvironment } from './cluster.ts';
import type { Site } from './data-directory.ts';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';
import { isAlive, pollUntil, RECOVERY_LIMIT_MS, readPostmaster } from './running-server.ts';

const MIB = 1024 * 1024;
/** An eighth of the memory: on a small machine the service and the page cache need the rest. */
const SHARED_BUFFERS_SHARE = 8;
const SHARED_BUFFERS_MIN_MIB = 128;
const SHARED_BUFFERS_MAX_MIB = 256;
/** A larger log is renamed at the next start, over the one before. */
const LOG_LIMIT_BYTES = 10 * MIB;
const POLL_MS = 20;
/** The service drains before; together both end within 10 s. */
const FAST_STOP_MS = 5_000;
const IMMEDIATE_STOP_MS = 1_500;

type StartFailure = 'port_taken' | 'memory_in_use' | 'data_in_use' | 'other';

/** Why the server did not start, by its messages, which LC_ALL=C keeps in English. */
const FAILURES: ReadonlyArray<readonly [StartFailure, RegExp]> = [
  ['port_taken', /could not (bind|create any TCP\/IP sockets)/],
  ['memory_in_use', /pre-existing shared memory block/],
  ['data_in_use', /lock file "postmaster\.pid" already exists/],
];

/**
 * How often each failure is retried, and after what wait. Another program may take the port after it was found
 * free. Sessions of a killed server hold its memory until `client_connection_check_interval` ends their statement.
 */
const RETRIES: Record<StartFailure, { times: number; waitMs: number }> = {
  port_taken: { times: 5, waitMs: 0 },
  memory_in_use: { times: 120, waitMs: 500 },
  data_in_use: { times: 0, waitMs: 0 },
  other: { times: 0, waitMs: 0 },
};

/**
 * The server's settings. They stand on its command line, so that a new release brings its own and no old data
 * directory overrides them.
 */
export function serverSettings(port: number, durability: Durability): Record<string, string> {
  return {
    listen_addresses: LOOPBACK,
    port: String(port),
    // TCP on loopback is enough, and a socket path may be longer than the 107 bytes the kernel takes.
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: `${sharedBuffersMib(totalmem())}MB`,
    maintenance_work_mem: '64MB',
    // Rewritten pages compress well; every build has the built-in method.
    wal_compression: 'pglz',
    max_wal_size: '2GB',
    // Local disks seek cheaply; the default of 4 keeps the planner away from indexes.
    random_page_cost: '1.1',
    // Containers often give /dev/shm 64 MB only, where a parallel hash join fails outright.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The messages of refused statements hold sellers' data: the log keeps the server's own events only.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // The statements of a killed service must not run on and hold their locks.
    client_connection_check_interval: '1s',
    ...(durability === 'full'
      ? {
          fsync: 'on',
          synchronous_commit: 'on',
          full_page_writes: 'on',
          // A plan from a nearly empty table stays until the next statistics. With the default of a minute, a new
          // seller's first thousand orders are each looked up by reading all the others.
          autovacuum_naptime: '10s',
        }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** `shared_buffers` in MiB for a machine with `totalBytes` of memory. */
export function sharedBuffersMib(totalBytes: number): number {
  const share = Math.floor(totalBytes / MIB / SHARED_BUFFERS_SHARE);
  return Math.min(SHARED_BUFFERS_MAX_MIB, Math.max(SHARED_BUFFERS_MIN_MIB, share));
}

/** A free loopback port: `preferred` when it is free, so that the address stays the same, else any. */
export async function freePort(preferred: number | undefined): Promise<number> {
  const kept = preferred === undefined ? undefined : await tryPort(preferred).catch(() => undefined);
  return kept ?? (await tryPort(0));
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, LOOPBACK, () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('the probe has no port'));
        else resolve(address.port);
      });
    });
  });
}

interface ServerOptions {
  readonly site: Pick<Site, 'dataPath' | 'logPath' | 'user'>;
  readonly binaries: Binaries;
  readonly durability: Durability;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts the server of `site` on the port it had before, or on another one when that is taken.
 *
 * @throws EmbeddedServerError with the server's own words when it does not start
 */
export async function startServer(
  options: ServerOptions & { readonly port: number | undefined; readonly log: (line: string) => void },
): Promise<{ pid: number; port: number }> {
  const { site, log, signal } = options;
  let preferred = options.port;
  for (let tries = 0; ; tries += 1) {
    const port = await freePort(preferred);
    const started = await spawnServer(options, port);
    if (!('failure' in started)) return { pid: started.pid, port };
    const { times, waitMs } = RETRIES[started.failure];
    if (tries >= times)
      throw new EmbeddedServerError(
        `The embedded PostgreSQL did not start: ${started.output}\nIts log is ${site.logPath}.`,
      );
    if (tries === 0) log(`The embedded PostgreSQL starts again: ${started.failure.replaceAll('_', ' ')}.`);
    if (started.failure === 'port_taken') preferred = undefined;
    await after(waitMs, undefined, signal ? { signal } : {});
  }
}

/**
 * Starts a server in a session of its own: a terminal sends Ctrl-C to every process of the foreground group, and
 * would end the database before the service has drained. Its output goes to a file, because a pipe breaks with
 * the service and the server may outlive it.
 */
async function spawnServer(
  { site, binaries, durability, signal }: ServerOptions,
  port: number,
): Promise<{ pid: number } | { failure: StartFailure; output: string }> {
  const { dataPath, logPath, user } = site;
  if (existsSync(logPath) && statSync(logPath).size > LOG_LIMIT_BYTES) renameSync(logPath, `${logPath}.1`);
  const log = openSync(logPath, 'a', 0o600);
  const logSize = statSync(logPath).size;
  const settings = Object.entries(serverSettings(port, durability));
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(programPath(binaries, 'postgres'), ['-D', dataPath, ...flags], {
    cwd: '/',
    detached: true,
    env: serverEnvironment(),
    stdio: ['ignore', log, log],
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  });
  closeSync(log);
  server.unref();
  let end: string | undefined;
  server.once('error', (error) => {
    end = reasonOf(error);
  });
  server.once('exit', (code, by) => {
    end = `it ended with ${by ?? `exit code ${code}`}`;
  });
  const probe = (): number | string | undefined => {
    const postmaster = readPostmaster(dataPath);
    return end ?? (postmaster?.pid === server.pid && postmaster?.status === 'ready' ? server.pid : undefined);
  };
  const result = await pollUntil(probe, { everyMs: POLL_MS, limitMs: RECOVERY_LIMIT_MS, signal }).catch(
    (thrown) => {
      server.kill('SIGINT');
      throw thrown;
    },
  );
  if (typeof result === 'number') return { pid: result };
  const written = readFileSync(logPath).subarray(logSize).toString('utf8').trimStart();
  const output = `${written}${result ?? 'it was not ready in time'}`;
  return { failure: FAILURES.find(([, words]) => words.test(output))?.[0] ?? 'other', output };
}

/**
 * Stops a server: fast (it cuts the sessions and writes everything out), and when that takes too long, immediately.
 * That loses nothing either: the next start replays the log.
 *
 * @returns whether it ended
 */
export async function stopServer(pid: number): Promise<boolean> {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return true;
    }
    if (await pollUntil(() => (isAlive(pid) ? undefined : true), { everyMs: POLL_MS, limitMs })) return true;
  }
  return !isAlive(pid);
}
