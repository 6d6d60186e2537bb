import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { serverEnvironment } from './cluster.ts';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';
import type { Binaries } from './packaged-binaries.ts';
import { programPath } from './packaged-binaries.ts';
import { pollUntil } from './poll-until.ts';
import { readPostmaster } from './postmaster.ts';
import type { SystemUser } from './system-user.ts';

/** The log of earlier starts is kept once; more than this nobody reads. */
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
/** Replaying the log after a crash reads at most `max_wal_size` (2 GB), which slow disks need minutes for. */
const READY_LIMIT_MS = 300_000;
const READY_POLL_MS = 20;

/** Why a server that was started ended before it was ready. */
export type StartFailure = 'port_taken' | 'memory_in_use' | 'data_in_use' | 'other';

/** What the server's own words say about why it did not start. Its messages are English by LC_ALL=C. */
const FAILURES: ReadonlyArray<readonly [StartFailure, RegExp]> = [
  ['port_taken', /could not (bind|create any TCP\/IP sockets)/],
  ['memory_in_use', /pre-existing shared memory block/],
  ['data_in_use', /lock file "postmaster\.pid" already exists/],
];

/**
 * Starts a server in a session of its own: the terminal's Ctrl-C reaches every process of its foreground
 * group, and would shoot the database before the service has finished its requests. Its output goes to a
 * file, because a pipe would break with the service and the server may outlive it.
 *
 * @returns the process when it takes connections, else why it ended
 */
export async function startServer(options: {
  binaries: Binaries;
  dataPath: string;
  logPath: string;
  settings: Record<string, string>;
  user: SystemUser | undefined;
  signal?: AbortSignal | undefined;
}): Promise<ChildProcess | { failure: StartFailure; said: string }> {
  const { dataPath, logPath, user } = options;
  rotate(logPath);
  const output = openSync(logPath, 'a', 0o600);
  const before = statSync(logPath).size;
  const flags = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(programPath(options.binaries, 'postgres'), ['-D', dataPath, ...flags], {
    cwd: '/',
    detached: true,
    env: serverEnvironment(),
    stdio: ['ignore', output, output],
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  });
  closeSync(output);
  server.unref();
  const ended = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(reasonOf(error)));
    server.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  const isReady = await ready(server, dataPath, options.signal);
  if (isReady === true) return server;
  const said = `${tail(logPath, before)}${isReady === false ? await ended : 'it was not ready in time'}`;
  return { failure: FAILURES.find(([, words]) => words.test(said))?.[0] ?? 'other', said };
}

/** The error for a start that cannot be repeated. */
export function startError(said: string, logPath: string): EmbeddedServerError {
  return new EmbeddedServerError(`The embedded PostgreSQL did not start: ${said}\nIts log is ${logPath}.`);
}

/** True when it takes connections, false when it ended, undefined when the time was not enough. */
async function ready(
  server: ChildProcess,
  dataPath: string,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const probe = (): boolean | undefined => {
    if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return false;
    const postmaster = readPostmaster(dataPath);
    return postmaster?.pid === server.pid && postmaster?.status === 'ready' ? true : undefined;
  };
  try {
    return await pollUntil(probe, { everyMs: READY_POLL_MS, limitMs: READY_LIMIT_MS, signal });
  } catch (thrown) {
    server.kill('SIGINT');
    throw thrown;
  }
}

function rotate(logPath: string): void {
  if (existsSync(logPath) && statSync(logPath).size > LOG_LIMIT_BYTES) renameSync(logPath, `${logPath}.1`);
}

function tail(logPath: string, from: number): string {
  return readFileSync(logPath).subarray(from).toString('utf8').trimStart();
}
