/**
 * Finds the server that runs on a data directory, from the file that it writes there and from the kernel's processes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type Binaries, programPath } from './binaries.ts';
import { asSuperuser, connectionUrl, DATABASE, LOGIN } from './cluster.ts';
import { readState, type ServerState } from './data-directory.ts';
import { codeOf, EmbeddedServerError } from './embedded-server-error.ts';

/** What a running server writes into its data directory. */
interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Seconds since 1970, the server's own start. */
  readonly startedAt: number;
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

/** Lines of `postmaster.pid`, counted from 0 (PostgreSQL source, `miscadmin.h`, LOCK_FILE_LINE_…). */
const LINE = { pid: 0, startedAt: 2, port: 3, status: 7 } as const;
const STATUSES = ['starting', 'stopping', 'ready', 'standby'] as const;
const POLL_MS = 100;
/** A crashed server replays up to `max_wal_size` (2 GB) of log, for which a slow disk needs minutes. */
export const RECOVERY_LIMIT_MS = 300_000;
/** PostgreSQL's `invalid_password`. */
const INVALID_PASSWORD = '28P01';

export const postmasterFile = (dataPath: string): string => join(dataPath, 'postmaster.pid');

/** Reads `postmaster.pid`; undefined if there is none or it is incomplete. */
export function readPostmaster(dataPath: string): Postmaster | undefined {
  const file = postmasterFile(dataPath);
  return existsSync(file) ? parsePostmaster(readFileSync(file, 'utf8')) : undefined;
}

/** Parses the text of a `postmaster.pid`. */
export function parsePostmaster(text: string): Postmaster | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[LINE.pid]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const status = STATUSES.find((known) => known === lines[LINE.status]) ?? 'unknown';
  return { pid, port: Number(lines[LINE.port]), startedAt: Number(lines[LINE.startedAt]), status };
}

/** Whether the kernel knows the process number: a running process of any user, or a zombie. */
function isPidTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}

/** Whether a process runs. A zombie has ended, although in a container its parent may never collect it. */
export function isAlive(pid: number): boolean {
  return isPidTaken(pid) && processState(pid) !== 'Z';
}

/** The kernel's one-letter state of a process; undefined where there is no `/proc`. */
function processState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name is in parentheses and may contain parentheses, so read after the last one.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}

/**
 * Whether process `pid` is the server of `dataPath`, and not another process that got the same number later. The
 * server's working directory is its data directory. Without `/proc`, `ps` shows its command line.
 */
export function servesDirectory(pid: number, dataPath: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataPath);
    const command = execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(dataPath);
  } catch {
    return false;
  }
}

/**
 * Calls `probe` until it returns something other than undefined. The time is that of the monotonic clock.
 *
 * @returns the probe's answer, or undefined after `limitMs`
 */
export async function pollUntil<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  limits: { everyMs: number; limitMs: number; signal?: AbortSignal | undefined },
): Promise<T | undefined> {
  const deadline = performance.now() + limits.limitMs;
  for (;;) {
    limits.signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (performance.now() >= deadline) return undefined;
    await after(limits.everyMs, undefined, limits.signal ? { signal: limits.signal } : {});
  }
}

/** The server of an earlier start. */
type EarlierServer =
  | { readonly kind: 'none' }
  /** The server was killed. The next one recovers the data from the log. */
  | { readonly kind: 'crashed' }
  | { readonly kind: 'running'; readonly postmaster: Postmaster; readonly sameBinaries: boolean };

/**
 * Finds out whether the server of `dataPath` still runs after the service that started it has ended. It waits for a
 * server that is starting or stopping. A server counts as running if the kernel says that it works in this directory,
 * and if it names this directory itself in a session with the stored password.
 *
 * @throws EmbeddedServerError if it runs but refuses the stored password, or does not get ready
 */
export async function findEarlierServer(options: {
  dataPath: string;
  binaries: Binaries;
  password: string;
  signal?: AbortSignal | undefined;
}): Promise<EarlierServer> {
  const { dataPath, binaries, password, signal } = options;
  const found = await pollUntil(
    async (): Promise<EarlierServer | undefined> => {
      const postmaster = readPostmaster(dataPath);
      if (postmaster === undefined) return { kind: 'none' };
      const { pid, port, status } = postmaster;
      if (!servesDirectory(pid, dataPath)) {
        // PostgreSQL does not start while the number in the file belongs to any process, even a zombie.
        if (isPidTaken(pid)) rmSync(postmasterFile(dataPath), { force: true });
        return { kind: 'crashed' };
      }
      if (status !== 'ready' || !(await confirmsDirectory(port, password, dataPath))) return undefined;
      return { kind: 'running', postmaster, sameBinaries: runsFrom(pid, binaries) };
    },
    { everyMs: POLL_MS, limitMs: RECOVERY_LIMIT_MS, signal },
  );
  if (found) return found;
  throw new EmbeddedServerError(`The server of ${dataPath} runs but is not ready: see its log, or stop it.`);
}

async function confirmsDirectory(port: number, password: string, dataPath: string): Promise<boolean> {
  try {
    const directory = await asSuperuser({ port, password, database: 'postgres' }, async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory;
    });
    return directory !== undefined && realpathSync(directory) === realpathSync(dataPath);
  } catch (thrown) {
    if (codeOf(thrown) !== INVALID_PASSWORD) return false;
    throw new EmbeddedServerError(`The server of ${dataPath} does not take the password recorded for it.`);
  }
}

/** Whether a process runs this program file. `/proc` shows a file that was replaced as "… (deleted)". */
function runsFrom(pid: number, binaries: Binaries): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(programPath(binaries, 'postgres'));
  } catch {
    return false;
  }
}

/**
 * The running server of `dataDir`, for programs beside the service.
 *
 * @param instead what the operator can do if it does not run
 * @throws EmbeddedServerError when there is no database, or its server does not run
 */
export function runningServer(
  dataDir: string,
  instead: string,
): { readonly state: ServerState; readonly dataPath: string; readonly port: number } {
  const state = existsSync(dataDir) ? readState(realpathSync(dataDir)) : undefined;
  if (state === undefined)
    throw new EmbeddedServerError(
      `${dataDir} holds no embedded database. DATA_DIR names another folder, DATABASE_URL another server.`,
    );
  const dataPath = join(state.home, 'data');
  const server = readPostmaster(dataPath);
  if (server === undefined || !servesDirectory(server.pid, dataPath))
    throw new EmbeddedServerError(`The embedded PostgreSQL of ${dataDir} is not running: ${instead}.`);
  return { state, dataPath, port: server.port };
}

/** Connects to the running server as the service's login. @throws EmbeddedServerError as above */
export function runningUrl(dataDir: string): string {
  const { state, port } = runningServer(dataDir, 'start the service first');
  return connectionUrl(LOGIN, state.loginPassword, port, DATABASE);
}
