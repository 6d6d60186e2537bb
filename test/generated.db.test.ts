/**
 * The file that is made from a migrated database; `npm run check` looks after the others. It is the same
 * whichever supported version of PostgreSQL it is read from.
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
