/** Renders the files of a new module from the templates. Writes nothing, so that a test can read the texts. */
import { readFileSync } from 'node:fs';
import type { Area } from '../src/kernel/permissions.ts';

export interface ModulePlan {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** What one of its things is called; the name of its table and the beginning of its key. */
  readonly one: string;
  readonly area: Area;
  /** Prefixes of ids that other modules have. */
  readonly taken: readonly string[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
/** `customer_service` → `customerService`. */
export const camel = (name: string): string =>
  name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

/** A prefix of three letters that no other module has: the name itself, or letters of it without the later vowels. */
function kindOf(one: string, taken: readonly string[]): string {
  const letters = one.replaceAll('_', '');
  const short = letters.slice(0, 1) + letters.slice(1).replaceAll(/[aeiou]/g, '');
  const padded = letters.length === 3 ? letters : short.padEnd(3, letters.slice(1));
  const kinds = [...padded.slice(2)].map((last) => `${padded.slice(0, 2)}${last}_`);
  return kinds.find((kind) => !taken.includes(kind)) ?? kinds[0] ?? '';
}

/** @returns the texts of the module, of its test, and of its migration, and the ids of its routes */
export function renderModule(plan: ModulePlan) {
  const { name, one } = plan;
  const holes: Readonly<Record<string, unknown>> = {
    ...plan,
    module: name,
    const: camel(name),
    event: name.replaceAll('-', '_'),
    table: one,
    key: `${one}_id`,
    kind: kindOf(one, plan.taken),
    label: one.replaceAll('_', ' '),
  };
  const fill = (path: string): string =>
    read(path).replaceAll(/\{\{(\w+)\}\}/g, (hole, key: string) => String(holes[key] ?? hole));
  return {
    routes: ['list', 'get', 'create', 'update', 'delete'].map((verb) => `${holes['event']}.${verb}`),
    module: fill('templates/module.txt'),
    test: fill('templates/module-test.txt'),
    migration: fill('../db/migration-template.sql').replace(
      '  version integer',
      '  title text not null,\n  position integer not null,\n  published boolean not null,\n  version integer',
    ),
  };
}
