import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
/** A restart may begin before the kernel has closed the files of the killed process. */
const LOCK_TIMEOUT_MS = 250;

/** Keeps a reference to each lock, because the garbage collector would release a lock without a reference. */
const held = new Set<DatabaseSync>();

/**
 * Locks a directory until this process ends, even by `kill -9`.
 *
 * Node has no file locks, but SQLite has. An exclusive transaction on an empty database file is a POSIX lock. The
 * kernel releases it when the process dies, so there are no stale locks. The file with the process number is only for
 * the message.
 *
 * @throws EmbeddedServerError when another process holds the lock
 * @returns unlocks the directory
 */
export function lockDirectory(directory: string, inUse: (holder: string) => string): () => void {
  const pidFile = join(directory, 'service.pid');
  const database = openLockFile(join(directory, 'service.lock'));
  try {
    database.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}; BEGIN EXCLUSIVE`);
  } catch (thrown) {
    database.close();
    if (!isBusy(thrown)) {
      throw new EmbeddedServerError(`Cannot lock ${directory}: ${reasonOf(thrown)}.`);
    }
    throw new EmbeddedServerError(inUse(holderOf(pidFile)));
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  held.add(database);
  return () => {
    if (!held.delete(database)) return;
    rmSync(pidFile, { force: true });
    database.close();
  };
}

function openLockFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (thrown) {
    throw new EmbeddedServerError(`Cannot open ${path}: ${reasonOf(thrown)}.`);
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === SQLITE_BUSY;
}

function holderOf(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, 'utf8').trim()}`;
  } catch {
    return 'another process';
  }
}
