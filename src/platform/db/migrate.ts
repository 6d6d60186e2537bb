/**
 * Brings a database to the newest schema. It applies the SQL files of `db/migrations`, each in a transaction of its
 * own, and records their checksums. Several processes may run it at the same time.
 */
import pg from 'pg';
import { ensureRoles, RUNTIME_ROLES } from './ensure-roles.ts';
import {
  MIGRATIONS_FOLDER,
  type Migration,
  MigrationError,
  pendingMigrations,
  readMigrations,
} from './migration-files.ts';

/** Any fixed number: the process with this lock migrates, and the others wait for it. */
const MIGRATION_LOCK = 7_204_211;
/** A migration fails if it waits this long for a table, because all later statements on that table wait behind it. */
const LOCK_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 8_000;
const INSUFFICIENT_PRIVILEGE = '42501';
/** The errors of a database that has no roles or no tables yet. */
const NOT_THERE_YET = new Set([INSUFFICIENT_PRIVILEGE, '42P01', '22023']);

interface MigrateOptions {
  /** A login that may create roles, or one for which the roles exist (docs/operations.md). */
  readonly url: string;
  /** The login of the service, if it is another one. It gets the runtime roles. */
  readonly runtimeLogin?: string;
  readonly log?: (line: string) => void;
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

async function pendingOn(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migration',
  );
  return pendingMigrations(migrations, new Map(rows.map(({ name, sha256 }) => [name, sha256])));
}

/** @throws MigrationError when the database refuses the login; its message does not contain the password */
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

/** Whether no migration is pending. The rights of the service are enough for this check. */
async function isCurrent(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  try {
    for (const role of RUNTIME_ROLES) await client.query(`set role ${role}`);
    return (await pendingOn(client, migrations)).length === 0;
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
  // So a service without the right to change the schema can see that no migration is pending.
  await client.query('grant select on schema_migration to spp_system');
  for (const migration of await pendingOn(client, migrations)) {
    log?.(`migrating: ${migration.name}`);
    await apply(client, migration);
  }
}

/**
 * Brings the database to the newest schema. If no migration is pending, the rights of the service are enough.
 * Migrations of a later release are ignored.
 *
 * @throws MigrationError if the migrations do not fit the database, or the login may not apply them
 * @throws the error of PostgreSQL if a statement fails; its file is then rolled back
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER);
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
