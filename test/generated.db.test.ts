/**
 * The files that are made from a migrated database; `npm run check` looks after the others. They are the same
 * whichever supported version of PostgreSQL they are read from.
 */
import { expect, test } from 'vitest';
import { databaseArtefacts, outdated } from '../scripts/gen/artefacts.ts';
import { catalogueOf } from '../scripts/gen/migrated-database.ts';
import { testDatabase } from './support/pg.ts';

const database = await testDatabase();

test('types.gen.ts and schema.sql are those of the migrated database', async () => {
  const catalogue = await catalogueOf(database.adminUrl);
  expect(outdated(databaseArtefacts(catalogue)), 'run "npm run gen"').toEqual([]);
});
