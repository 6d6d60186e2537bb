/**
 * The file that is generated from a migrated database; `npm run check` tests the other generated files. It is the same
 * on every supported version of PostgreSQL.
 */
import { expect, test } from 'vitest';
import { databaseArtefacts, outdated } from '../scripts/gen/artefacts.ts';
import { catalogueOf } from '../scripts/gen/migrated-database.ts';
import { testDatabase } from './support/pg.ts';

const database = await testDatabase();

test('schema.sql is that of the migrated database', async () => {
  const catalogue = await catalogueOf(database.adminUrl);
  expect(outdated(databaseArtefacts(catalogue)), 'run "npm run gen"').toEqual([]);
});
