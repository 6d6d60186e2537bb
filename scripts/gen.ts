/**
 * Writes every generated file: `npm run gen`. Two of them need a database, which is started for them; with
 * `--sources` they are left out. `--check` writes nothing and names what is outdated of the others.
 */
import { databaseArtefacts, outdated, sourceArtefacts, write } from './gen/artefacts.ts';
import { migratedCatalogue } from './gen/migrated-database.ts';

const options = new Set(process.argv.slice(2));

if (options.has('--check')) {
  const paths = outdated(sourceArtefacts());
  if (paths.length > 0) console.error(`Outdated: ${paths.join(', ')}. Run "npm run gen".`);
  process.exitCode = paths.length > 0 ? 1 : 0;
} else {
  const changed = write(sourceArtefacts());
  if (!options.has('--sources')) changed.push(...write(databaseArtefacts(await migratedCatalogue())));
  console.log(
    changed.length === 0 ? 'All generated files are up to date.' : `Written: ${changed.join(', ')}`,
  );
}
