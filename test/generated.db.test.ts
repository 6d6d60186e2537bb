/**
 * The file that is generated from a migrated database; `npm run check` tests the other generated files. PostgreSQL 18
 * makes it: earlier versions write some views with a longer text, which means the same.
 */
import { expect, test } from 'vitest';
import { databaseArtefacts, outdated } from '../scripts/gen/artefacts.ts';
import { catalogueOf } from '../scripts/gen/migrated-database.ts';
import { testDatabase } from './support/pg.ts';
import { runOn } from './support/test-server.ts';

const database = await testDatabase();
const { rows } = await runOn(database.adminUrl, (client) => client.query('show server_version_num'));
const version = Number(rows[0]?.server_version_num);

test.skipIf(version < 180_000)('schema.sql is that of the migrated database', async () => {
  const catalogue = await catalogueOf(database.adminUrl);
  expect(outdated(databaseArtefacts(catalogue)), 'run "npm run gen"').toEqual([]);
});
