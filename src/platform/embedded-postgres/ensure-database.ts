import pg from 'pg';
import type { SuperuserAddress } from './connect.ts';
import { asSuperuser } from './connect.ts';

/** The service's database. */
export const DATABASE = 'spp';
/** The role the service logs in as; what it may do it is granted by the migrations. */
export const LOGIN = 'spp_login';

/** Makes the service's login and database where they are missing. Safe to repeat after any interruption. */
export async function ensureDatabase(
  server: Omit<SuperuserAddress, 'database'>,
  loginPassword: string,
): Promise<void> {
  await asSuperuser({ ...server, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ login: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as login,
              exists (select from pg_database where datname = $2) as database`,
      [LOGIN, DATABASE],
    );
    if (!rows[0]?.login) {
      await client.query(
        `create role ${LOGIN} login nosuperuser nocreatedb nocreaterole nobypassrls password ${pg.escapeLiteral(loginPassword)}`,
      );
    }
    if (!rows[0]?.database) await client.query(`create database ${DATABASE}`);
  });
}
