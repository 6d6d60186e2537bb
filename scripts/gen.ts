/**
 * Writes every generated file: `npm run gen`. Some need a database, and the script starts one for them. `--sources`
 * leaves these out. `--check` leaves them out too, writes nothing, and names the outdated files. `--release` also
 * freezes the schema of a release (db/README.md).
 */
import { databaseArtefacts, outdated, sourceArtefacts, write } from './gen/artefacts.ts';
import { migratedCatalogue } from './gen/migrated-database.ts';
import { releaseArtefact } from './gen/release.ts';

const options = new Set(process.argv.slice(2));

if (options.has('--check')) {
  const paths = outdated(sourceArtefacts());
  if (paths.length > 0) console.error(`Outdated: ${paths.join(', ')}. Run "npm run gen".`);
  process.exitCode = paths.length > 0 ? 1 : 0;
} else {
  const artefacts = sourceArtefacts();
  if (!options.has('--sources')) {
    const catalogue = await migratedCatalogue();
    artefacts.push(...databaseArtefacts(catalogue));
    if (options.has('--release')) artefacts.push(await releaseArtefact(catalogue));
  }
  const changed = write(artefacts);
  console.log(
    changed.length === 0 ? 'All generated files are up to date.' : `Written: ${changed.join(', ')}`,
  );
}
