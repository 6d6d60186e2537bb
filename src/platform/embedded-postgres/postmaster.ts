import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './embedded-server-error.ts';

/** What a running server writes about itself into its data directory. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Seconds since 1970, the server's own start. */
  readonly startedAt: number;
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

/** Lines of `postmaster.pid`, counted from 0 (PostgreSQL source, `miscadmin.h`, LOCK_FILE_LINE_…). */
const LINE = { pid: 0, startedAt: 2, port: 3, status: 7 } as const;
const STATUSES = ['starting', 'stopping', 'ready', 'standby'] as const;

/** The path of the file in which the server of `dataPath` describes itself. */
export function postmasterFile(dataPath: string): string {
  return join(dataPath, 'postmaster.pid');
}

/** Reads `postmaster.pid`; undefined when there is none or the server has only begun to write it. */
export function readPostmaster(dataPath: string): Postmaster | undefined {
  const file = postmasterFile(dataPath);
  return existsSync(file) ? parsePostmaster(readFileSync(file, 'utf8')) : undefined;
}

/** The meaning of the text of a `postmaster.pid`. */
export function parsePostmaster(text: string): Postmaster | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[LINE.pid]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const status = STATUSES.find((known) => known === lines[LINE.status]) ?? 'unknown';
  return { pid, port: Number(lines[LINE.port]), startedAt: Number(lines[LINE.startedAt]), status };
}

/** Whether the kernel still knows the number: a process that runs, anyone's, or one that nobody collected. */
export function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}

/** Whether a process runs. A zombie has ended: in a container nobody may ever collect it. */
export function isAlive(pid: number): boolean {
  return isNumberTaken(pid) && procState(pid) !== 'Z';
}

/**
 * Whether process `pid` is the server of `dataPath`, and not one that was given the same number later.
 * The server's working directory is its data directory, which the kernel tells; elsewhere `ps` has to do.
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

/** The kernel's one-letter state of a process, where the kernel tells it as a file. */
function procState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it is in parentheses and may hold any character, so look behind the last one.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}
