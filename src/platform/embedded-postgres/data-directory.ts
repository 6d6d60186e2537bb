/** Decides where the data of an embedded server are stored, and reads and writes its state file. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf, EmbeddedServerError, reasonOf } from './embedded-server-error.ts';
import { type SystemUser, serverUser } from './system-user.ts';

/** The directories of a server and the user that runs it. */
export interface Site {
  /** The service's own directory, absolute and without links. */
  readonly dataDir: string;
  /** Holds the server's data, log and lock. */
  readonly home: string;
  readonly dataPath: string;
  readonly logPath: string;
  /** Undefined for the user of this process. */
  readonly user: SystemUser | undefined;
}

/** The file `embedded-postgres.json` of DATA_DIR. */
export interface ServerState {
  /** The directory with data, log and lock, absolute. */
  readonly home: string;
  /** The port of the last start. The next start uses it again, if it is free. */
  readonly port?: number | undefined;
  readonly superuserPassword: string;
  readonly loginPassword: string;
}

const STATE_FILE = 'embedded-postgres.json';
const PASSWORD_BYTES = 24;
const OWNER_ONLY = 0o600;
/** The server's user must be able to enter these directories. Only the data are secret, and they have another mode. */
export const PASSABLE = 0o711;
const EXECUTE = { owner: 0o100, group: 0o010, other: 0o001 } as const;
/**
 * Directories that are kept after a restart of the machine and that every user may enter. The first usable one
 * counts.
 */
const SHARED_ROOTS = ['/var/lib', '/srv', '/opt'];
const SHARED_NAME = 'seller-partner-service';

/**
 * Decides which directories the server of `dataDir` uses, and makes them.
 *
 * @throws EmbeddedServerError if the home in the state file does not exist, or the server's user cannot enter it
 */
export function prepareSite(dataDir: string): Site {
  const own = makeDirectory(resolve(dataDir));
  const state = readState(own);
  const user = serverUser(join(state?.home ?? join(own, 'postgres'), 'data'));
  if (state !== undefined) checkHome(own, state.home, user);
  const home = state?.home ?? homeFor(own, user);
  makeDirectory(home);
  if (user) fs.chmodSync(home, PASSABLE);
  return { dataDir: own, home, dataPath: join(home, 'data'), logPath: join(home, 'server.log'), user };
}

/**
 * The directory that holds the server's data, log and lock.
 *
 * @param dataDir the service's own directory, absolute
 * @param user the user that runs the server, if it is not the user of this process
 * @returns a directory below `dataDir` if the server's user can enter it, otherwise a shared one named after `dataDir`
 */
export function homeFor(dataDir: string, user: SystemUser | undefined): string {
  if (user === undefined || canReach(user, dataDir)) return join(dataDir, 'postgres');
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join(sharedRoot(), `data-${key}`);
}

/** The directory where root keeps what another user must read. */
export function sharedRoot(roots: readonly string[] = SHARED_ROOTS): string {
  for (const root of roots) {
    const shared = join(root, SHARED_NAME);
    try {
      if (!fs.existsSync(shared)) fs.mkdirSync(shared, { mode: 0o755 });
      fs.accessSync(shared, fs.constants.W_OK);
      return shared;
    } catch {
      // It is read-only or does not exist, so try the next one.
    }
  }
  throw new EmbeddedServerError(
    `None of ${roots.join(', ')} can be written, and PostgreSQL, which does not run as root, needs a directory ` +
      'that its user can enter. Start the service as an ordinary user or set DATABASE_URL.',
  );
}

/**
 * Whether the mode bits let `user` enter `path` and its parents. A path that does not exist yet counts as accessible.
 */
export function canReach(user: SystemUser, path: string): boolean {
  if (fs.existsSync(path) && !mayEnter(user, path)) return false;
  const parent = dirname(path);
  return parent === path || canReach(user, parent);
}

function mayEnter(user: SystemUser, path: string): boolean {
  const { mode, uid, gid } = fs.statSync(path);
  if (uid === user.uid) return (mode & EXECUTE.owner) !== 0;
  if (gid === user.gid) return (mode & EXECUTE.group) !== 0;
  return (mode & EXECUTE.other) !== 0;
}

const isOutside = (path: string): boolean => path.startsWith('..') || isAbsolute(path);

function checkHome(dataDir: string, home: string, user: SystemUser | undefined): void {
  if (isOutside(relative(dataDir, home)) && !fs.existsSync(home))
    throw new EmbeddedServerError(
      `The database of ${dataDir} was kept in ${home}, which is gone. Put it back, or start with another DATA_DIR.`,
    );
  if (user && !canReach(user, home))
    throw new EmbeddedServerError(
      `The database of ${dataDir} is kept in ${home}, which the user "${user.name}" it runs as can no longer enter. ` +
        'Let others pass through the directories above it (chmod o+x).',
    );
}

function makeDirectory(path: string): string {
  try {
    fs.mkdirSync(path, { recursive: true });
    return fs.realpathSync(path);
  } catch (thrown) {
    throw new EmbeddedServerError(`Cannot use ${path} as DATA_DIR: ${reasonOf(thrown)}.`);
  }
}

/** The state of a new server, with new passwords. */
export function newState(home: string): ServerState {
  const password = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
  return { home, superuserPassword: password(), loginPassword: password() };
}

/**
 * Reads the state file of `dataDir`; undefined if there is none.
 *
 * @throws EmbeddedServerError if the file cannot be read, because a new database would look like a loss of all data
 */
export function readState(dataDir: string): ServerState | undefined {
  const file = join(dataDir, STATE_FILE);
  if (!fs.existsSync(file)) return undefined;
  try {
    return parseState(JSON.parse(fs.readFileSync(file, 'utf8')), dataDir);
  } catch (thrown) {
    const hint =
      codeOf(thrown) === 'EACCES'
        ? ' The service ran here as another user before: start it as that one.'
        : '';
    throw new EmbeddedServerError(`Cannot read ${file}: ${reasonOf(thrown)}.${hint}`);
  }
}

/** Writes the state file. Only its owner can read it. After a crash it is complete: the old one or the new one. */
export function writeState(dataDir: string, state: ServerState): void {
  const file = join(dataDir, STATE_FILE);
  // A home below DATA_DIR is stored as a relative path, so that the whole directory can be moved.
  const below = relative(dataDir, state.home);
  const stored = { ...state, home: isOutside(below) ? state.home : below };
  fs.writeFileSync(`${file}.part`, `${JSON.stringify(stored, null, 2)}\n`, { mode: OWNER_ONLY, flush: true });
  // If root starts the service in a user's directory, that user must be able to start it later.
  const { uid, gid } = fs.statSync(dataDir);
  if (process.getuid?.() === 0) fs.chownSync(`${file}.part`, uid, gid);
  fs.renameSync(`${file}.part`, file);
}

function parseState(value: unknown, dataDir: string): ServerState {
  if (typeof value !== 'object' || value === null) throw new Error('it is not an object');
  const fields = new Map<string, unknown>(Object.entries(value));
  const text = (name: string): string => {
    const field = fields.get(name);
    if (typeof field !== 'string' || field === '') throw new Error(`"${name}" is missing`);
    return field;
  };
  const port = fields.get('port');
  return {
    home: resolve(dataDir, text('home')),
    port: typeof port === 'number' ? port : undefined,
    superuserPassword: text('superuserPassword'),
    loginPassword: text('loginPassword'),
  };
}
