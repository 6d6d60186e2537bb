/**
 * Migrations: forward-only numbered SQL files in `db/migrations`, each in its own transaction, recorded with
 * its checksum. Safe to start from several processes at once.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const DIRECTORY = fileURLToPath(new URL('../../../db/migrations/', import.meta.url));
/** Any fixed number; whoever holds it migrates, the others wait. */
const MIGRATION_LOCK = 7_204_211;

export interface MigrateOptions {
  /** A login that may create roles, or one for which the roles exist already (docs/operations.md). */
  readonly url: string;
  /** Login that the service runs as, when it is another one: it is given the runtime roles. */
  readonly runtimeLogin?: string;
  readonly log?: (line: string) => void;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Creates the NOLOGIN roles when they are missing; a cluster may hold several databases of the service. */
async function ensureRoles(client: pg.Client, runtimeLogin: string | undefined): Promise<void> {
  // The login must not see anything by mere membership: outside a scope it has no rights at all.
  if (runtimeLogin !== undefined)
    await client.query(`alter role ${pg.escapeIdentifier(runtimeLogin)} noinherit`);
  for (const role of ['spp_app', 'spp_system', 'spp_migration']) {
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then
        create role ${role} nologin nosuperuser nobypassrls noinherit;
      end if;
    exception when duplicate_object or unique_violation then null; end $$`);
    for (const login of new Set([
      'current_user',
      ...(runtimeLogin ? [pg.escapeIdentifier(runtimeLogin)] : []),
    ])) {
      if (role === 'spp_migration' && login !== 'current_user') continue;
      await client.query(`grant ${role} to ${login}`);
    }
  }
  const database = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
  await client.query(
    `grant create, connect, temporary on database ${database.rows[0]?.name} to spp_migration`,
  );
  await client.query('grant usage, create on schema public to spp_migration');
  await client.query('grant usage on schema public to spp_app, spp_system');
}

/**
 * Brings the database to the newest version.
 *
 * @throws when an applied file has been changed since, or a statement fails (that file is then rolled back)
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.url, application_name: 'spp-migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await ensureRoles(client, options.runtimeLogin);
    await client.query('set role spp_migration');
    await client.query(
      'create table if not exists schema_migration (name text primary key, sha256 text not null, applied_at timestamptz not null)',
    );
    const applied = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from schema_migration',
    );
    const known = new Map(applied.rows.map((row) => [row.name, row.sha256]));
    const files = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.sql')).sort();
    for (const name of files) {
      const text = await readFile(`${DIRECTORY}${name}`, 'utf8');
      const before = known.get(name);
      if (before !== undefined && before !== sha256(text)) {
        throw new Error(`migration ${name} was changed after it had been applied; write a new one instead`);
      }
      if (before !== undefined) continue;
      options.log?.(`migrating: ${name}`);
      await client.query('begin');
      await client.query(text);
      await client.query('insert into schema_migration values ($1, $2, clock_timestamp())', [
        name,
        sha256(text),
      ]);
      await client.query('commit');
    }
  } finally {
    await client.end();
  }
}
