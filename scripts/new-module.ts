/**
 * Begins a module: `npm run new-module faqs "FAQ" -- --one question --area support`. Writes its folder with one
 * file (table, five routes, three events) and a test, its migration from the template, its line in src/modules.ts
 * in the place of the planned area, and its row in docs/spec-map.md.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AREAS } from '../src/kernel/permissions.ts';
import { MODULES } from '../src/modules.ts';
import { camel, type ModulePlan, renderModule } from './render-module.ts';

const root = new URL('..', import.meta.url);
const at = (path: string): string => fileURLToPath(new URL(path, root));
const read = (path: string): string => readFileSync(at(path), 'utf8');

/** @throws Error with one sentence: what is wrong, and what is allowed */
function readPlan(): ModulePlan {
  const options = { one: { type: 'string' }, area: { type: 'string', default: 'support' } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [name, given] = positionals;
  const planned = MODULES.filter(({ availability }) => availability === 'planned');
  const found = planned.find((module) => module.name === name);
  if (name !== undefined && MODULES.some((module) => module.name === name) && found === undefined)
    throw new Error(`${name} is not planned: it is built, deferred or unavailable.`);
  if (name === undefined || found === undefined)
    throw new Error(`Name one of the planned areas: ${planned.map((module) => module.name).join(', ')}.`);
  if (positionals.length > 2)
    throw new Error(`Put the title into quotes: "${positionals.slice(1).join(' ')}".`);
  const area = AREAS.find((known) => known === values.area);
  if (area === undefined) throw new Error(`--area is one of ${AREAS.join(', ')}.`);
  const one = (values.one ?? name.replace(/s$/, '')).replaceAll('-', '_');
  if (!/^[a-z][a-z_]*$/.test(one))
    throw new Error('--one is a word in small letters, for example "question".');
  return {
    name,
    title: given ?? found.title,
    summary: found.summary,
    one,
    area,
    taken: MODULES.flatMap(({ ids = [] }) => ids),
  };
}

/** Replaces the planned area in src/modules.ts. */
function writeEntry({ name }: ModulePlan): void {
  const path = 'src/modules.ts';
  const plan = new RegExp(
    `^ {2}(planned|deferred|unavailable)\\(\\s*'${name}',(?:(?!^ {2}\\S)[\\s\\S])*?\\),?\\n`,
    'm',
  );
  const text = read(path);
  const importing = `import { ${camel(name)}Module } from './modules/${name}/index.ts';\n`;
  const lastImport = text.lastIndexOf("from './modules/");
  const after = text.indexOf('\n', lastImport) + 1;
  const withImport = text.slice(0, after) + importing + text.slice(after);
  const replaced = withImport.replace(plan, `  ${camel(name)}Module,\n`);
  if (replaced === withImport) throw new Error(`${path}: the plan of ${name} is not where it was expected.`);
  writeFileSync(at(path), replaced);
}

/** If docs/spec-map.md names the area among the planned ones, moves it to a row of its own. */
function writeSpecRow({ name, title, summary }: ModulePlan, routes: readonly string[]): void {
  const path = 'docs/spec-map.md';
  const lines = read(path).split('\n');
  const index = lines.findIndex((line) => /^\| [^|]+ \| planned \|/.test(line) && line.includes(title));
  const planned = lines[index];
  if (planned === undefined) return;
  const rest = planned.replace(new RegExp(`${title}, |, ${title}\\b`), '');
  if (rest === planned) return;
  const ids = routes.map((id) => `\`${id}\``).join(' ');
  const row = `| ${title}: ${summary} | met | ${ids} | \`src/modules/${name}/${name}.db.test.ts\` |`;
  writeFileSync(at(path), lines.with(index, `${row}\n${rest}`).join('\n'));
}

function writeModule(plan: ModulePlan): void {
  const folder = `src/modules/${plan.name}`;
  if (existsSync(at(folder))) throw new Error(`${folder} exists already.`);
  const { module, test, migration, routes } = renderModule(plan);
  // The step that can fail comes first, so that a failure leaves no files behind.
  writeEntry(plan);
  mkdirSync(at(folder));
  writeFileSync(at(`${folder}/index.ts`), module);
  writeFileSync(at(`${folder}/${plan.name}.db.test.ts`), test);
  const stamp = new Date().toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  const migrationPath = `db/migrations/${stamp}_${plan.name.replaceAll('-', '_')}.sql`;
  writeFileSync(at(migrationPath), migration);
  writeSpecRow(plan, routes);
  console.log(`Written: ${folder}, ${migrationPath}, src/modules.ts, docs/spec-map.md.
Next: give the table its columns (migration and defineTable), write what is special about it, then
  npx biome check --write . && npm run gen && npm run check && npm test -- ${folder}`);
}

try {
  writeModule(readPlan());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
