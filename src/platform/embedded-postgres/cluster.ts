import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';
import type { Binaries } from './packaged-binaries.ts';
import { programPath } from './packaged-binaries.ts';
import type { Durability } from './settings.ts';
import type { SystemUser } from './system-user.ts';

const run = promisify(execFile);

/** The superuser that owns the cluster; the service itself logs in as another. */
export const SUPERUSER = 'postgres';
/** The major version whose data directories these binaries can open. */
export const MAJOR_VERSION = '18';

const DRAFT = 'data.part';

/** The process environment of the server's programs: nothing of the service's secrets goes in. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Makes the data directory of a new server in `home`, unless it exists. It appears under its name only
 * when it is whole, so a start that was killed half-way leaves nothing a later one could mistake for data.
 *
 * Text sorts and folds by PostgreSQL's own C.UTF-8, the same on every machine whatever its libc.
 *
 * @returns whether it was made now
 */
export async function ensureCluster(options: {
  binaries: Binaries;
  home: string;
  dataPath: string;
  password: string;
  user: SystemUser | undefined;
  durability: Durability;
}): Promise<boolean> {
  const { home, dataPath, user } = options;
  if (existsSync(dataPath) && readdirSync(dataPath).length > 0) {
    checkVersion(dataPath);
    return false;
  }
  const draft = join(home, DRAFT);
  const passwordFile = join(home, 'password.part');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (user) for (const path of [draft, passwordFile]) chownSync(path, user.uid, user.gid);
  try {
    await initialise(options, draft, passwordFile);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, dataPath);
  return true;
}

async function initialise(
  options: { binaries: Binaries; user: SystemUser | undefined; durability: Durability },
  directory: string,
  passwordFile: string,
): Promise<void> {
  const program = programPath(options.binaries, 'initdb');
  const args = [
    ...['--pgdata', directory, '--username', SUPERUSER, '--pwfile', passwordFile],
    ...['--auth-local=reject', '--auth-host=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(options.durability === 'none' ? ['--no-sync'] : []),
  ];
  const identity = options.user ? { uid: options.user.uid, gid: options.user.gid } : {};
  try {
    await run(program, args, { cwd: '/', env: serverEnvironment(), ...identity });
  } catch (thrown) {
    throw new EmbeddedServerError(`initdb failed: ${explain(thrown)}`);
  }
}

function explain(thrown: unknown): string {
  const said = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr).trim() : '';
  if (said.includes('effective user ID')) {
    return `${said}\nThis user has no entry in /etc/passwd, which PostgreSQL asks for: add one, or set DATABASE_URL.`;
  }
  if (said !== '') return said;
  return `${reasonOf(thrown)}. The binaries need the GNU C library; elsewhere set DATABASE_URL.`;
}

function checkVersion(dataPath: string): void {
  const file = join(dataPath, 'PG_VERSION');
  if (!existsSync(file)) {
    throw new EmbeddedServerError(`${dataPath} is not empty and holds no PostgreSQL data: move it away.`);
  }
  const version = readFileSync(file, 'utf8').trim();
  if (version !== MAJOR_VERSION) {
    throw new EmbeddedServerError(
      `${dataPath} holds data of PostgreSQL ${version}, the embedded server is ${MAJOR_VERSION}: dump it with the old release and restore it into an empty data directory.`,
    );
  }
}
