import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { atEnd } from './at-end.ts';
import { runOn, withDatabase } from './test-server.ts';

/** A migrated database that only one test file uses. */
export interface TestDatabase {
  readonly name: string;
  /** Connects as the service does: a login that owns nothing and may only take the runtime roles. */
  readonly url: string;
  /** Connects as the owner of the database, to bypass row-level security. */
  readonly adminUrl: string;
}

/**
 * Makes a database for the calling test file and drops it after its last test, sessions and all. Call it
 * once at the top: `const database = await testDatabase();`
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { adminUrl, template, strategy, login, loginPassword } = inject('testServer');
  const name = `${template.replace(/template$/, '')}${randomBytes(6).toString('hex')}`;
  await runOn(adminUrl, async (client) => {
    await client.query(`create database ${name} template ${template} strategy ${strategy}`);
    // As docs/operations.md asks of every server; the embedded one has it already.
    await client.query(`alter database ${name} set random_page_cost = 1.1`);
  });
  atEnd(() => runOn(adminUrl, (client) => client.query(`drop database ${name} with (force)`)));
  const url = new URL(withDatabase(adminUrl, name));
  url.username = login;
  url.password = loginPassword;
  return { name, url: url.href, adminUrl: withDatabase(adminUrl, name) };
}
