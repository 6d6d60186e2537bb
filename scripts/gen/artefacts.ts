/** The generated files of the repository. All are committed, and checked to be up to date. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODULES } from '../../src/modules.ts';
import { buildOpenApi } from '../../src/platform/http/openapi.ts';
import type { Catalogue } from './catalogue.ts';
import { compactJson } from './compact-json.ts';
import { configurationDoc } from './configuration-doc.ts';
import { dashboard } from './dashboard.ts';
import { errorsDoc } from './errors-doc.ts';
import { eventsDocs } from './events-doc.ts';
import { routesDoc } from './routes-doc.ts';
import { schemaDump } from './schema-dump.ts';
import { statesDoc } from './states-doc.ts';

const ROOT = new URL('../../', import.meta.url);

export interface Artefact {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The areas, without the pages that show the API description. */
const AREAS = MODULES.filter(({ name }) => name !== 'docs');

/** Files that need nothing but the sources. */
export function sourceArtefacts(): Artefact[] {
  return [
    { path: 'openapi.json', text: compactJson(buildOpenApi(AREAS)) },
    { path: 'docs/routes.md', text: routesDoc(MODULES) },
    { path: 'docs/errors.md', text: errorsDoc(MODULES) },
    { path: 'docs/states.md', text: statesDoc(MODULES) },
    ...eventsDocs(MODULES),
    { path: 'docs/configuration.md', text: configurationDoc(MODULES) },
    { path: 'deploy/grafana/dashboard.json', text: dashboard(MODULES) },
  ];
}

/** Files made from the catalogue of a migrated database. */
export function databaseArtefacts(catalogue: Catalogue): Artefact[] {
  return [{ path: 'db/schema.sql', text: schemaDump(catalogue) }];
}

function committedText(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, ROOT), 'utf8');
  } catch {
    return undefined;
  }
}

/** Paths of outdated files. */
export function outdated(artefacts: readonly Artefact[]): string[] {
  return artefacts.filter(({ path, text }) => committedText(path) !== text).map(({ path }) => path);
}

/** Writes the outdated files and returns their paths. */
export function write(artefacts: readonly Artefact[]): string[] {
  const changed = new Set(outdated(artefacts));
  for (const { path, text } of artefacts)
    if (changed.has(path)) {
      const file = fileURLToPath(new URL(path, ROOT));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  return [...changed];
}
