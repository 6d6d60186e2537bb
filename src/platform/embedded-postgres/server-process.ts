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
/** The server gets an eighth of the memory. On a small machine the service and the page cache need the rest. */
const SHARED_BUFFERS_SHARE = 8;
const SHARED_BUFFERS_MIN_MIB = 128;
const SHARED_BUFFERS_MAX_MIB = 256;
/** A larger log is renamed at the next start and replaces the previous one. */
const LOG_LIMIT_BYTES = 10 * MIB;
const POLL_MS = 20;
/** The service drains before the server stops. Together both end within 10 s. */
const FAST_STOP_MS = 5_000;
const IMMEDIATE_STOP_MS = 1_500;

interface StartFailure {
  readonly name: string;
  /** A text in the server's messages, which are in English because of LC_ALL=C. */
  readonly words: RegExp;
  readonly retries: number;
  readonly waitMs: number;
}
const PORT_TAKEN = 'port taken';
/**
 * Failures that are retried. Another program may have taken the port after the check. Sessions of a killed server
 * keep its memory until `client_connection_check_interval` ends their statements.
 */
const FAILURES: readonly StartFailure[] = [
  { name: PORT_TAKEN, words: /could not (bind|create any TCP\/IP sockets)/, retries: 5, waitMs: 0 },
  { name: 'memory in use', words: /pre-existing shared memory block/, retries: 120, waitMs: 500 },
];

/**
 * The server's settings. They are on its command line, so that a new release has new settings even for an old data
 * directory.
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
    // Full pages in the log compress well, and all builds have the built-in method.
    wal_compression: 'pglz',
    max_wal_size: '2GB',
    // On local disks random reads are cheap. With the default of 4 the planner would avoid indexes.
    random_page_cost: '1.1',
    // In containers /dev/shm often has only 64 MB, in which a parallel hash join fails.
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The messages of refused statements have sellers' data, so the log keeps only events of the server itself.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // The statements of a killed service must not continue and keep their locks.
    client_connection_check_interval: '1s',
    ...(durability === 'full'
      ? {
          fsync: 'on',
          synchronous_commit: 'on',
          full_page_writes: 'on',
          // A plan that was made for a nearly empty table is used until the next statistics. With the default of a
          // minute, each of a new seller's first thousand orders would be found by reading all orders.
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

/** A free loopback port: `preferred` if it is free, so that the address does not change, otherwise any. */
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
 * Starts the server of `site` on its last port, or on another one if that is in use.
 *
 * @throws EmbeddedServerError with the server's message if it does not start
 */
export async function startServer(
  options: ServerOptions & { readonly port: number | undefined; readonly log: (line: string) => void },
): Promise<{ pid: number; port: number }> {
  const { site, log, signal } = options;
  let preferred = options.port;
  for (let tries = 0; ; tries += 1) {
    const port = await freePort(preferred);
    const started = await spawnServer(options, port);
    if ('pid' in started) return { pid: started.pid, port };
    const failure = FAILURES.find(({ words }) => words.test(started.output));
    if (failure === undefined || tries >= failure.retries)
      throw new EmbeddedServerError(
        `The embedded PostgreSQL did not start: ${started.output}\nIts log is ${site.logPath}.`,
      );
    if (tries === 0) log(`The embedded PostgreSQL starts again: ${failure.name}.`);
    if (failure.name === PORT_TAKEN) preferred = undefined;
    await after(failure.waitMs, undefined, signal ? { signal } : {});
  }
}

/**
 * Starts a server in a session of its own. Otherwise Ctrl-C in a terminal would go to all processes of the foreground
 * group, and would stop the database before the service has drained. The output goes to a file, because a pipe would
 * break when the service ends before the server.
 */
async function spawnServer(
  { site, binaries, durability, signal }: ServerOptions,
  port: number,
): Promise<{ pid: number } | { output: string }> {
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
  return { output: `${written}${result ?? 'it was not ready in time'}` };
}

/**
 * Stops a server. The mode is "fast": it ends the sessions and writes all data. If that takes too long, the mode is
 * "immediate", which also loses no data, because the next start replays the log.
 *
 * @returns whether it has ended
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
