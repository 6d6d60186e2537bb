/**
 * Migrations: forward-only numbered SQL files in `db/migrations`, each in its own transaction, recorded with
 * its checksum. Safe to start from several processes at once.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ensureRoles, RUNTIME_ROLES } from './ensure-roles.ts';

const DIRECTORY = fileURLToPath(new URL('../../../db/migrations/', import.meta.url));
/** Any fixed number; whoever holds it migrates, the others wait. */
const MIGRATION_LOCK = 7_204_211;
/** A change that cannot have its table by then is given up: everything that came after it would wait too. */
const LOCK_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 8_000;
const INSUFFICIENT_PRIVILEGE = '42501';
/** What the question for the state of a database is answered with where there is none yet. */
const NOT_THERE_YET = new Set([INSUFFICIENT_PRIVILEGE, '42P01', '22023']);

export interface MigrateOptions {
  /** A login that may create roles, or one for which the roles exist already (docs/operations.md). */
  readonly url: string;
  /** Login that the service runs as, when it is another one: it is given the runtime roles. */
  readonly runtimeLogin?: string;
  readonly log?: (line: string) => void;
}

/** The database cannot be brought up to date; the message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${DIRECTORY}${name}`, 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/**
 * What is still to be applied.
 *
 * @throws MigrationError when an applied file has been changed since
 */
async function pendingOf(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migration',
  );
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  return migrations.filter(({ name, sha256 }) => {
    const before = applied.get(name);
    if (before !== undefined && before !== sha256)
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied; write a new one instead.`,
      );
    return before === undefined;
  });
}

/** @throws MigrationError when the database does not let us in, without the password that we tried it with */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'spp-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    const place = `${client.host}:${client.port}, database ${JSON.stringify(client.database)}`;
    throw new MigrationError(
      `DATABASE_URL: no connection to PostgreSQL at ${place}: ${(error as Error).message || String(codeOf(error))}.`,
      { cause: error },
    );
  }
}

/** Whether nothing is to be done, asked with no more rights than the service itself needs. */
async function isCurrent(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  try {
    for (const role of RUNTIME_ROLES) await client.query(`set role ${role}`);
    return (await pendingOf(client, migrations)).length === 0;
  } catch (error) {
    if (NOT_THERE_YET.has(String(codeOf(error)))) return false;
    throw error;
  } finally {
    await client.query('reset role');
  }
}

async function apply(client: pg.Client, { name, text, sha256 }: Migration): Promise<void> {
  await client.query('begin');
  await client.query(text);
  await client.query('insert into schema_migration values ($1, $2, clock_timestamp())', [name, sha256]);
  await client.query('commit');
}

async function bringUpToDate(
  client: pg.Client,
  migrations: readonly Migration[],
  { runtimeLogin, log }: MigrateOptions,
): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await ensureRoles(client, runtimeLogin);
  await client.query('set role spp_migration');
  await client.query(
    'create table if not exists schema_migration (name text primary key, sha256 text not null, applied_at timestamptz not null)',
  );
  // So that a service without rights to change anything can tell that nothing is to be changed.
  await client.query('grant select on schema_migration to spp_system');
  for (const migration of await pendingOf(client, migrations)) {
    log?.(`migrating: ${migration.name}`);
    await apply(client, migration);
  }
}

/**
 * Brings the database to the newest version. Where nothing is to be done it asks for no more rights than the
 * service has; migrations of a later release are left alone.
 *
 * @throws MigrationError when an applied file has been changed since, or the login may not do what is to be done
 * @throws what PostgreSQL says of a statement that fails (its file is then rolled back)
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations();
  const client = await connect(options.url);
  try {
    if (options.runtimeLogin === undefined && (await isCurrent(client, migrations))) return;
    await bringUpToDate(client, migrations, options);
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new MigrationError(
      `The database is not up to date, and the login ${JSON.stringify(client.user)} may not change it ` +
        `(${(error as Error).message}): run "migrate" with the login that owns it first, see docs/operations.md.`,
    );
  } finally {
    await client.end();
  }
}
