import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { ModuleDef } from '../src/kernel/route.ts';
import { MODULES } from '../src/modules.ts';
import { renderModule } from './render-module.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

test.each(
  MODULES.filter(({ routes }) => routes.length === 0).map(({ name, title, summary }) => ({
    name,
    title,
    summary,
  })),
)('a module of $name begins with one file that declares five routes and three events', async (area) => {
  const taken = MODULES.flatMap(({ name, ids = [] }) => (name === area.name ? [] : ids));
  const plan = {
    ...area,
    taken,
    one: area.name.replace(/s$/, '').replaceAll('-', '_'),
    area: 'support',
  } as const;
  const { module, migration, test: testText } = renderModule(plan);
  expect(module + migration + testText).not.toMatch(/\{\{|undefined/);
  // Inside the repository, where the packages are found; git ignores the folder.
  mkdirSync(join(SOURCES, '../.data'), { recursive: true });
  const folder = mkdtempSync(join(SOURCES, '../.data/module-'));
  try {
    const path = join(folder, 'index.ts');
    writeFileSync(path, module.replaceAll("from '../../", `from '${SOURCES}`));
    const made = Object.values(await import(pathToFileURL(path).href)) as ModuleDef[];
    expect(made).toHaveLength(1);
    const [{ routes, events = [], ids = [] } = { routes: [] }] = made;
    expect(routes).toHaveLength(5);
    expect(events).toHaveLength(3);
    expect(ids.filter((kind) => taken.includes(kind))).toEqual([]);
    expect(module.split('\n').length).toBeLessThanOrEqual(120);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
