import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
/** The files of a killed process can take a moment to close, more than one that restarts it needs. */
const PATIENCE_MS = 250;

/** The locks this process holds: one that nobody referred to would be collected, and so released. */
const held = new Set<DatabaseSync>();

/**
 * Claims a directory for this process until it ends, however it ends.
 *
 * Node offers no file lock; SQLite does. An exclusive transaction on an empty database file is a POSIX
 * lock that the kernel drops when the process dies, `kill -9` included, so no stale lock can be left and
 * no process id has to be trusted. The pid beside it serves the message only.
 *
 * @throws EmbeddedServerError when another process holds the directory
 * @returns gives the directory back
 */
export function lockDirectory(directory: string, inUse: (holder: string) => string): () => void {
  const pidFile = join(directory, 'service.pid');
  const database = openLockFile(join(directory, 'service.lock'));
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN EXCLUSIVE`);
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
