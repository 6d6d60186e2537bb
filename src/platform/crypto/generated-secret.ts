/** Secrets that are not configured. Outside production they are generated once and stored below DATA_DIR. */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** The file of a generated secret. */
export function generatedSecretPath(dataDir: string, name: string): string {
  return join(resolve(dataDir), 'keys', name);
}

/**
 * Reads the secret `name` below `dataDir`; generates it with `make` the first time. Two processes that start at once
 * get the same secret, and a process that dies while writing leaves no half-written one.
 */
export function generatedSecret(dataDir: string, name: string, make: () => string): string {
  const path = generatedSecretPath(dataDir, name);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const directory = join(path, '..');
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  chmodSync(directory, OWNER_ONLY_DIRECTORY);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${make()}\n`, { mode: OWNER_ONLY_FILE, flag: 'wx', flush: true });
    // `link` never replaces a file: the first of two processes wins, and the second reads its secret.
    linkSync(draft, path);
  } catch (error) {
    if (!isTaken(error)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
