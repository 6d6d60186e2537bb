import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { codeOf, EmbeddedServerError, reasonOf } from './embedded-server-error.ts';

/** What one start leaves for the next. */
export interface ServerRecord {
  /** The directory with data, log and lock, absolute. */
  readonly home: string;
  /** The port of the last start, taken again when it is free. */
  readonly port?: number | undefined;
  readonly superuserPassword: string;
  readonly loginPassword: string;
}

const FILE = 'embedded-postgres.json';
const PASSWORD_BYTES = 24;
const OWNER_ONLY = 0o600;

/** A record for a server that is still to be made, with fresh passwords. */
export function newRecord(home: string): ServerRecord {
  const password = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
  return { home, superuserPassword: password(), loginPassword: password() };
}

/**
 * Reads the record of `dataDir`.
 *
 * @throws EmbeddedServerError when there is one that cannot be read: a fresh database in its place would
 *   look like a loss of all data
 */
export function readRecord(dataDir: string): ServerRecord | undefined {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return checked(JSON.parse(readFileSync(file, 'utf8')), dataDir);
  } catch (thrown) {
    const hint =
      codeOf(thrown) === 'EACCES'
        ? ' The service ran here as another user before: start it as that one.'
        : '';
    throw new EmbeddedServerError(`Cannot read ${file}: ${reasonOf(thrown)}.${hint}`);
  }
}

/** Writes the record so that a crash leaves the old one or the new one, readable by its owner only. */
export function writeRecord(dataDir: string, record: ServerRecord): void {
  const file = join(dataDir, FILE);
  const draft = `${file}.part`;
  // Below the data directory the path is kept relative, so that the whole can be moved.
  const within = relative(dataDir, record.home);
  const home = within.startsWith('..') ? record.home : within;
  const handle = openSync(draft, 'w', OWNER_ONLY);
  writeSync(handle, `${JSON.stringify({ ...record, home }, null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  keepOwner(dataDir, draft);
  renameSync(draft, file);
}

/** A start by root in a user's directory must not lock that user out of the next one. */
function keepOwner(dataDir: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  chownSync(path, uid, gid);
}

function checked(value: unknown, dataDir: string): ServerRecord {
  if (typeof value !== 'object' || value === null) throw new Error('it is not an object');
  const fields = new Map<string, unknown>(Object.entries(value));
  const text = (name: string): string => {
    const field = fields.get(name);
    if (typeof field !== 'string' || field === '') throw new Error(`"${name}" is missing`);
    return field;
  };
  const home = text('home');
  const port = fields.get('port');
  return {
    home: isAbsolute(home) ? home : join(dataDir, home),
    port: typeof port === 'number' ? port : undefined,
    superuserPassword: text('superuserPassword'),
    loginPassword: text('loginPassword'),
  };
}
