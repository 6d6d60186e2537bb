/**
 * Brings a database to the newest schema. It applies the SQL files of `db/migrations`, each in a transaction of its
 * own, in a new database several together, and records their checksums. Several processes may run it at the same time.
 */
import pg from 'pg';
import { explainRefusal } from './check-pool.ts';
import { ensureRoles, RUNTIME_ROLES } from './ensure-roles.ts';
import {
  MIGRATIONS_FOLDER,
  type Migration,
  MigrationError,
  pendingMigrations,
  readMigrations,
} from './migration-files.ts';
import { addressOf, requireWritable } from './pool.ts';
import { codeOf } from './unavailable.ts';

/** Any fixed number: the process with this lock migrates, and the others wait for it. */
const MIGRATION_LOCK = 7_204_211;
/** A migration fails if it waits this long for a table, because all later statements on that table wait behind it. */
const LOCK_TIMEOUT_MS = 10_000;
/**
 * No request uses the tables of a new database yet, so a transaction applies several migrations there. This takes half
 * of the time. All at once would need 2,000 locks, for which small servers have no room.
 */
const NEW_DATABASE_AT_ONCE = 40;
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

async function pendingOn(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migration',
  );
  return pendingMigrations(migrations, new Map(rows.map(({ name, sha256 }) => [name, sha256])));
}

/**
 * Connects to the first host that answers and, if the URL asks for it, accepts writes.
 *
 * @throws MigrationError when no host does; its message does not contain the password
 */
async function connect(url: string): Promise<pg.Client> {
  const { urls, writable } = addressOf(url);
  const refusals: string[] = [];
  let cause: unknown;
  for (const connectionString of urls) {
    let client: pg.Client | undefined;
    try {
      // It reads the files of certificates.
      client = new pg.Client({
        connectionString,
        application_name: 'spp-migrate',
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      });
      // The error of a connection that breaks between two statements would end the process. The next statement has it
      // too.
      client.on('error', () => undefined);
      await client.connect();
      if (writable) await requireWritable(client);
      return client;
    } catch (error) {
      cause = error;
      await client?.end().catch(() => undefined);
      const { host, pathname } = new URL(connectionString);
      refusals.push(`${host}${pathname}: ${(error as Error).message || String(codeOf(error))}`);
    }
  }
  throw new MigrationError(`DATABASE_URL: no connection to PostgreSQL at ${refusals.join('; ')}.`, { cause });
}

/** Runs `work` in a transaction. No setting outlives it, because behind a pooler the session belongs to others too. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const value = await work();
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Whether no migration is pending. The rights of the service are enough for this check. */
async function isCurrent(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  try {
    return await inTransaction(client, async () => {
      for (const role of RUNTIME_ROLES) await client.query(`set local role ${role}`);
      return (await pendingOn(client, migrations)).length === 0;
    });
  } catch (error) {
    if (NOT_THERE_YET.has(String(codeOf(error)))) return false;
    throw error;
  }
}

/** Runs `work` in a transaction that no other process that migrates enters at the same time. */
const alone = <T>(client: pg.Client, work: () => Promise<T>): Promise<T> =>
  inTransaction(client, async () => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    return work();
  });

/** @returns whether no migration has been applied */
async function prepare(client: pg.Client, runtimeLogin: string | undefined): Promise<boolean> {
  await ensureRoles(client, runtimeLogin);
  await client.query('set local role spp_migration');
  await client.query(
    'create table if not exists schema_migration (name text primary key, sha256 text not null, applied_at timestamptz not null)',
  );
  // So a service without the right to change the schema can see that no migration is pending.
  await client.query('grant select on schema_migration to spp_system');
  const { rowCount } = await client.query('select from schema_migration limit 1');
  return rowCount === 0;
}

async function apply(client: pg.Client, { name, text, sha256 }: Migration): Promise<void> {
  await client.query(text).catch((error: Error) => {
    error.message = `${name}: ${error.message}`;
    throw error;
  });
  await client.query('insert into schema_migration values ($1, $2, clock_timestamp())', [name, sha256]);
}

/** Applies the first `atOnce` pending migrations. @returns their names */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
  atOnce: number,
): Promise<string[]> {
  await client.query('set local role spp_migration');
  const next = (await pendingOn(client, migrations)).slice(0, atOnce);
  for (const migration of next) await apply(client, migration);
  return next.map(({ name }) => name);
}

async function bringUpToDate(
  client: pg.Client,
  migrations: readonly Migration[],
  { runtimeLogin, log }: MigrateOptions,
): Promise<void> {
  const isNew = await alone(client, () => prepare(client, runtimeLogin));
  const applied: string[] = [];
  for (;;) {
    const names = await alone(client, () => applyNext(client, migrations, isNew ? NEW_DATABASE_AT_ONCE : 1));
    if (names.length === 0) break;
    applied.push(...names);
  }
  if (applied.length > 0) log?.(`Migrations applied: ${applied.length}, the last one ${applied.at(-1)}.`);
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
    const sentence = explainRefusal(error);
    if (sentence !== undefined) throw new MigrationError(`DATABASE_URL: ${sentence}`, { cause: error });
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new MigrationError(
      `The database is not up to date, and the login ${JSON.stringify(client.user)} may not change it ` +
        `(${(error as Error).message}): run "migrate" with the login that owns it first, see docs/operations.md.`,
    );
  } finally {
    await client.end();
  }
}
