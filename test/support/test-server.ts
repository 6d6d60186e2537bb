import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/platform/db/migrate.ts';
import { readState } from '../../src/platform/embedded-postgres/data-directory.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import {
  isAlive,
  readPostmaster,
  servesDirectory,
} from '../../src/platform/embedded-postgres/running-server.ts';

/** The data from which a test file makes its own database; plain data, passed to the test processes. */
export interface TestServerAddress {
  /** URL of a login that may create databases, with a database that always exists. */
  readonly adminUrl: string;
  /** The migrated database that test files copy. */
  readonly template: string;
  /** The strategy of the copy, for `create database`. */
  readonly strategy: 'file_copy' | 'wal_log';
  /** The login the service runs as. */
  readonly login: string;
  readonly loginPassword: string;
}

/** A PostgreSQL for one run of the tests. */
export interface TestServer {
  readonly address: TestServerAddress;
  close(): Promise<void>;
}

const DIRECTORY_PREFIX = 'spp-test-postgres-';
/** A file system in memory. */
const MEMORY = '/dev/shm';
/** The databases of a run have far less, so that the rest of the machine keeps its memory. */
const MEMORY_FREE_BYTES = 4 * 1024 ** 3;
const RUNTIME_ROLES = ['spp_app', 'spp_system', 'spp_migration'];

/**
 * The folder for the server's files: in memory, if there is enough. Each database has 1,500 files, and on some disks
 * the system takes a second to make them soon after others were deleted.
 */
function serverRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) >= MEMORY_FREE_BYTES) return MEMORY;
  } catch {
    // Not every system has it.
  }
  return tmpdir();
}

/** Starts one embedded server for the run, in a temporary directory that is removed with it. */
export async function startTestServer(): Promise<TestServer> {
  const root = serverRoot();
  sweep(root);
  const dataDir = mkdtempSync(join(root, `${DIRECTORY_PREFIX}${process.pid}-`));
  // The server's user must be able to enter root's temporary directory.
  chmodSync(dataDir, 0o755);
  const server = await startEmbedded({ dataDir, log: () => undefined, durability: 'none' });
  // Ctrl-C and process.exit also stop the server.
  const home = dirname(server.dataPath);
  const atExit = (): void => discard(dataDir, home, server.pid);
  process.once('exit', atExit);
  const template = 'spp_test_template';
  const adminUrl = withDatabase(server.superuserUrl, 'postgres');
  await trustLocalClients(adminUrl);
  await makeTemplate(adminUrl, template, server.user);
  return {
    address: {
      adminUrl,
      template,
      // `file_copy` flushes the server's memory, which is free on a throw-away server, and saves a third of the work.
      strategy: 'file_copy',
      login: server.user,
      loginPassword: server.password,
    },
    close: async () => {
      process.removeListener('exit', atExit);
      await server.stop();
      discard(dataDir, home, undefined);
    },
  };
}

/** A SCRAM handshake costs more than most statements, and the tests open thousands of connections. */
async function trustLocalClients(adminUrl: string): Promise<void> {
  await runOn(adminUrl, async (client) => {
    const { rows } = await client.query<{ hba_file: string }>('show hba_file');
    const path = rows[0]?.hba_file ?? '';
    const rules = 'local all all trust\nhost all all samehost trust\n';
    writeFileSync(path, `${rules}${readFileSync(path, 'utf8')}`);
    await client.query('select pg_reload_conf()');
  });
}

/**
 * Prepares a server that runs already.
 *
 * @param url - a superuser of it, or a login with CREATEDB and CREATEROLE
 */
export async function useServer(url: string): Promise<TestServer> {
  const run = `spp_test_${process.pid}`;
  const login = `${run}_login`;
  const before = await runOn(url, async (client) => {
    const roles = await client.query<{ rolname: string }>('select rolname from pg_roles');
    await client.query(`create role ${login} login password '${run}'`);
    // A login that is not a superuser needs the membership to end the sessions.
    await client.query(`grant ${login} to current_user`);
    return roles.rows.map((row) => row.rolname);
  });
  const template = `${run}_template`;
  await makeTemplate(url, template, login);
  return {
    address: { adminUrl: url, template, strategy: 'wal_log', login, loginPassword: run },
    close: async () => {
      const mine = RUNTIME_ROLES.filter((role) => !before.includes(role));
      await runOn(url, (client) => removeAll(client, run, [login, ...mine]));
    },
  };
}

/** The same server and login, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Runs `work` on a session of its own. */
export async function runOn<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function makeTemplate(adminUrl: string, template: string, login: string): Promise<void> {
  await runOn(adminUrl, (client) =>
    client.query(`create database ${template} template template0 encoding 'UTF8'`),
  );
  await migrate({ url: withDatabase(adminUrl, template), runtimeLogin: login });
}

async function removeAll(client: pg.Client, prefix: string, roles: string[]): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [`${prefix}_`],
  );
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  for (const role of roles) {
    // Another run on the same server may use the shared roles; then they stay.
    await client.query(`drop role if exists ${role}`).catch(() => undefined);
  }
}

/** Removes the leftovers of killed runs. */
function sweep(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const owner = Number(name.slice(DIRECTORY_PREFIX.length).split('-')[0]);
    if (isAlive(owner)) continue;
    const directory = join(root, name);
    try {
      const home = readState(directory)?.home ?? directory;
      const data = join(home, 'data');
      const left = readPostmaster(data);
      discard(directory, home, left && servesDirectory(left.pid, data) ? left.pid : undefined);
    } catch {
      // It belongs to another user, or is gone.
    }
  }
}

/** Kills a server and removes its data. */
function discard(directory: string, home: string, pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
  } catch {
    // It has ended already.
  }
  for (const path of [home, directory]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
