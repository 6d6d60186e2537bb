/** The NOLOGIN roles of the service. All databases of a cluster share them. */
import pg from 'pg';

/** The roles that requests and jobs take. */
export const RUNTIME_ROLES = ['spp_app', 'spp_system'] as const;
const MIGRATION_ROLE = 'spp_migration';
/** Since PostgreSQL 16, membership in a role does not include the right to take it (`set`). */
const SET_OPTION_SINCE = 160_000;

async function create(client: pg.Client, role: string): Promise<void> {
  await client.query(`do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then
      create role ${role} nologin nosuperuser nobypassrls noinherit;
    end if;
  exception when duplicate_object or unique_violation then null; end $$`);
}

/** Grants a role, unless the login may already take it. A login that got it from an administrator may not grant it. */
async function grant(client: pg.Client, role: string, login: string, option: string): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_has_role($1, $2, $3) as taken', [
    login,
    role,
    option,
  ]);
  if (!rows[0]?.taken) await client.query(`grant ${role} to ${pg.escapeIdentifier(login)}`);
}

/**
 * Creates missing roles and grants. If an administrator has created all of them, nothing is changed.
 *
 * @param runtimeLogin the login of the service, if another login migrates
 */
export async function ensureRoles(client: pg.Client, runtimeLogin: string | undefined): Promise<void> {
  const { rows } = await client.query<{ login: string; version: number }>(
    "select current_user as login, current_setting('server_version_num')::int as version",
  );
  const { login: owner = '', version = 0 } = rows[0] ?? {};
  const option = version >= SET_OPTION_SINCE ? 'set' : 'member';
  // Membership alone gives the login no rights, so outside a scope it sees nothing.
  if (runtimeLogin !== undefined)
    await client.query(`alter role ${pg.escapeIdentifier(runtimeLogin)} noinherit`);
  for (const role of [...RUNTIME_ROLES, MIGRATION_ROLE]) {
    await create(client, role);
    await grant(client, role, owner, option);
    if (runtimeLogin !== undefined && role !== MIGRATION_ROLE)
      await grant(client, role, runtimeLogin, option);
  }
  await client.query(`grant usage, create on schema public to ${MIGRATION_ROLE}`);
  await client.query(`grant usage on schema public to ${RUNTIME_ROLES.join(', ')}`);
}
