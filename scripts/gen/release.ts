/** The last released schema, frozen in db/released.sql: which migrations it has, and what they make (db/README.md). */
import { readFileSync } from 'node:fs';
import { MIGRATIONS_FOLDER, readMigrations } from '../../src/platform/db/migration-files.ts';
import type { Artefact } from './artefacts.ts';
import type { Catalogue } from './catalogue.ts';
import { schemaDump } from './schema-dump.ts';

const PATH = 'db/released.sql';
const RECORD = /^-- released: (\S+) ([0-9a-f]{64})$/gm;

interface Release {
  /** Name of each released migration → SHA-256 of its file. */
  readonly migrations: ReadonlyMap<string, string>;
  /** Makes the released schema in an empty database, as spp_migration. */
  readonly text: string;
}

export function readRelease(): Release {
  const text = readFileSync(new URL(`../../${PATH}`, import.meta.url), 'utf8');
  return {
    migrations: new Map([...text.matchAll(RECORD)].map(([, name = '', sha = '']) => [name, sha])),
    text,
  };
}

/** The file for a release of the migrations as they are now. */
export async function releaseArtefact(catalogue: Catalogue): Promise<Artefact> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER);
  const records = migrations.map(({ name, sha256 }) => `-- released: ${name} ${sha256}`);
  const head =
    '-- The schema of the last release; written by "npm run gen -- --release", otherwise never changed.';
  const [, ...dump] = schemaDump(catalogue).split('\n');
  return { path: PATH, text: [head, ...records, ...dump].join('\n') };
}
