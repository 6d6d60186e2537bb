/** The files that are made from a migrated database; `npm run check` looks after the others. */
import { expect, test } from 'vitest';
import { databaseArtefacts, outdated } from '../scripts/gen/artefacts.ts';
import { catalogueOf } from '../scripts/gen/migrated-database.ts';
import { testDatabase } from './support/pg.ts';
import { runOn } from './support/test-server.ts';

/** Major version whose wording of definitions is committed: the embedded one's. */
const MAJOR = 18;

const database = await testDatabase();
const major = await runOn(database.adminUrl, async (client) => {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  return rows[0]?.version;
});

test.skipIf(major !== MAJOR)(
  `types.gen.ts and schema.sql are those of the migrated database (PostgreSQL ${MAJOR})`,
  async () => {
    const catalogue = await catalogueOf(database.adminUrl);
    expect(outdated(databaseArtefacts(catalogue)), 'run "npm run gen"').toEqual([]);
  },
);
