/** Makes the data directory, the login and the database. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Binaries, programPath } from './binaries.ts';
import type { Site } from './data-directory.ts';
import { EmbeddedServerError, reasonOf } from './embedded-server-error.ts';

/** `full`: the server keeps all commits after a power cut. `none`: only for tests. */
export type Durability = 'full' | 'none';

const run = promisify(execFile);

/** Loopback, because other machines must not connect to the embedded server. */
export const LOOPBACK = '127.0.0.1';
/** The superuser that owns the cluster; the service itself logs in as LOGIN. */
export const SUPERUSER = 'postgres';
/** The login of the service. The migrations grant its rights. */
export const LOGIN = 'spp_login';
export const DATABASE = 'spp';
/** The major version whose data directories these binaries can open. */
const MAJOR_VERSION = '18';
/** A server that recovers from a crash may accept a connection but not answer. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The environment of the server's programs, without the service's secrets. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** A connection URL for a server on loopback. */
export function connectionUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${LOOPBACK}:${port}/${database}`;
}

/** Runs `work` on one superuser session of the embedded server and ends the session. */
export async function asSuperuser<T>(
  address: { readonly port: number; readonly password: string; readonly database: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const timeout = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const client = new pg.Client({ host: LOOPBACK, user: SUPERUSER, ssl: false, ...timeout, ...address });
  // If the session breaks between two statements, the next one fails. Without a listener the error would end the
  // process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Makes the data directory of a new server, unless it exists. It gets its name only when it is complete, so a killed
 * process leaves nothing that looks like data. The locale is PostgreSQL's own C.UTF-8, which sorts text in the same
 * way on all machines.
 *
 * @returns whether it was made now
 */
export async function ensureCluster(
  options: Pick<Site, 'home' | 'dataPath' | 'user'> & {
    readonly binaries: Binaries;
    readonly password: string;
    readonly durability: Durability;
  },
): Promise<boolean> {
  const { home, dataPath, user, binaries, password, durability } = options;
  if (fs.existsSync(dataPath) && fs.readdirSync(dataPath).length > 0) {
    checkVersion(dataPath);
    return false;
  }
  const draft = join(home, 'data.part');
  const passwordFile = join(home, 'password.part');
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { mode: 0o700 });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [draft, passwordFile]) fs.chownSync(path, user.uid, user.gid);
  const args = [
    ...['--pgdata', draft, '--username', SUPERUSER, '--pwfile', passwordFile],
    ...['--auth-local=reject', '--auth-host=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(durability === 'none' ? ['--no-sync'] : []),
  ];
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  try {
    await run(programPath(binaries, 'initdb'), args, { cwd: '/', env: serverEnvironment(), ...identity });
  } catch (thrown) {
    throw new EmbeddedServerError(`initdb failed: ${explain(thrown)}`);
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
  fs.renameSync(draft, dataPath);
  return true;
}

function explain(thrown: unknown): string {
  const output = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr).trim() : '';
  if (output.includes('effective user ID'))
    return `${output}\nThis user has no entry in /etc/passwd, which PostgreSQL asks for: add one, or set DATABASE_URL.`;
  if (output !== '') return output;
  return `${reasonOf(thrown)}. The binaries need the GNU C library; elsewhere set DATABASE_URL.`;
}

function checkVersion(dataPath: string): void {
  const file = join(dataPath, 'PG_VERSION');
  if (!fs.existsSync(file))
    throw new EmbeddedServerError(`${dataPath} is not empty and holds no PostgreSQL data: move it away.`);
  const version = fs.readFileSync(file, 'utf8').trim();
  if (version !== MAJOR_VERSION)
    throw new EmbeddedServerError(
      `${dataPath} holds data of PostgreSQL ${version}, the embedded server is ${MAJOR_VERSION}: dump it with the old release and restore it into an empty data directory.`,
    );
}

/** Makes the service's login and database, if they are missing. It is safe to repeat. */
export async function ensureDatabase(
  server: { readonly port: number; readonly password: string },
  loginPassword: string,
): Promise<void> {
  await asSuperuser({ ...server, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ login: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as login,
              exists (select from pg_database where datname = $2) as database`,
      [LOGIN, DATABASE],
    );
    if (!rows[0]?.login)
      await client.query(
        `create role ${LOGIN} login nosuperuser nocreatedb nocreaterole nobypassrls password ${pg.escapeLiteral(loginPassword)}`,
      );
    if (!rows[0]?.database) await client.query(`create database ${DATABASE}`);
  });
}
