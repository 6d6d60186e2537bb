/** The SQL files of `db/migrations`, and what a database needs of them (db/README.md). */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../db/migrations/', import.meta.url));
/** For example `20261123T0930_orders.sql`: the UTC time at which its author began it, and its subject. */
const MIGRATION_NAME = /^\d{8}T\d{4}_[a-z0-9_]+\.sql$/;

/** The migrations do not fit the database; the message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/**
 * The files of a folder in the order in which they apply.
 *
 * @throws MigrationError if the name of a file does not give its place in the order
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = names.find((name) => !MIGRATION_NAME.test(name));
  if (wrong !== undefined)
    throw new MigrationError(
      `The migration ${wrong} has no place in the order; name it like 20261123T0930_orders.sql (UTC).`,
    );
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${folder}${name}`, 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * The migrations that a database lacks. Migrations of a later release are ignored: they are newer than all files.
 *
 * @param applied name → SHA-256 of the file when it was applied
 * @throws MigrationError if the database cannot be upgraded: it was made between two releases, an applied file has
 *   changed, or a new file is older than an applied one
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, string>,
): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  const last = migrations.at(-1)?.name ?? '';
  const unreleased = [...applied.keys()].find((name) => name < last && !known.has(name));
  if (unreleased !== undefined)
    throw new MigrationError(
      `This database was made during development, between two releases (it has the migration ${unreleased}). ` +
        'No release can upgrade it. Delete it and start again: for the embedded database delete the folder of ' +
        'DATA_DIR (.data by default); for another one drop the database of DATABASE_URL and create it anew.',
    );
  const changed = migrations.find(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256);
  if (changed !== undefined)
    throw new MigrationError(
      `The migration ${changed.name} was changed after it had been applied; write a new one instead.`,
    );
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const newest = [...applied.keys()].sort().at(-1);
  const late = pending.find(({ name }) => newest !== undefined && name < newest);
  if (late !== undefined)
    throw new MigrationError(
      `The migration ${late.name} is older than ${newest}, which the database has already; ` +
        'give it a name with the present time.',
    );
  return pending;
}
