import type { OutgoingEventDef } from '../../src/kernel/events.ts';
import type { ModuleDef } from '../../src/kernel/route.ts';
import { EVENT_ENVELOPE } from '../../src/platform/http/openapi/webhooks.ts';
import { cell, code, json, page, table } from './markdown.ts';

const fields = (schema: { readonly properties?: unknown }): string[][] =>
  Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: unknown; description?: string; const?: unknown }>,
  ).map(([name, { type, description, const: value }]) => [
    code(name),
    [type].flat().join(' or '),
    value === undefined ? (description ?? '') : `always ${code(String(value))}`,
  ]);

type Declared = OutgoingEventDef & { readonly schema: { readonly title?: string } };

/** Events about the same kind of object have one schema. Its name is its title, or else the type of the event. */
const nameOf = ({ schema, type }: Declared): string => schema.title ?? type;

/** The anchor of a heading that is a name in code. */
const anchor = (name: string): string => name.toLowerCase().replaceAll('.', '');

function outgoingTable(events: readonly Declared[]): string {
  const rows = events.map((event) => [
    code(event.type),
    `[${code(nameOf(event))}](#${anchor(nameOf(event))})`,
    cell(event.summary),
  ]);
  return table(['type', '`data.object`', 'when'], rows);
}

/** Each kind of object once, with the example of the first event that shows it. */
function objects(events: readonly Declared[]): string[] {
  const byName = new Map<string, Declared>();
  for (const event of events) if (!byName.has(nameOf(event))) byName.set(nameOf(event), event);
  return [...byName].map(
    ([name, { example, schema }]) =>
      `### ${code(name)}\n\nFor example:\n\n${json(example)}\n\nSchema:\n\n${json(schema)}`,
  );
}

const outgoing = ({ events }: ModuleDef): readonly Declared[] => events ?? [];
const incoming = ({ marketplaceEvents }: ModuleDef) => marketplaceEvents ?? [];

function incomingSections(module: ModuleDef): string[] {
  return incoming(module).map(
    (event) =>
      `### ${event.type}\n\n${event.summary}. \`subject\`: ${event.subject}. \`data\`:\n\n${json(event.example)}\n\nSchema:\n\n${json(event.schema)}`,
  );
}

/** A heading with its sections; nothing if there are none. */
const part = (heading: string, sections: readonly string[]): string[] =>
  sections.length === 0 ? [] : [`## ${heading}`, ...sections];

function areaPage(module: ModuleDef): string {
  const all = outgoing(module);
  const toSellers = all.filter(({ sellers }) => sellers !== false);
  const others = all.filter(({ sellers }) => sellers === false);
  return page(
    `${module.title}: events`,
    'The fields around `data` are in [events](../events.md).',
    ...part('To sellers', toSellers.length === 0 ? [] : [outgoingTable(toSellers)]),
    ...part('To the marketplace only', others.length === 0 ? [] : [outgoingTable(others)]),
    ...part('Objects', objects(all)),
    ...part('From the marketplace', incomingSections(module)),
  );
}

const fileOf = ({ name }: ModuleDef): string => `events/${name}.md`;

function typesTable(
  modules: readonly ModuleDef[],
  wanted: (module: ModuleDef) => readonly { readonly type: string; readonly summary: string }[],
): string {
  const rows = modules.flatMap((module) =>
    wanted(module).map(({ type, summary }) => [
      code(type),
      `[${module.title}](${fileOf(module)})`,
      cell(summary),
    ]),
  );
  return table(['type', 'area', 'when'], rows);
}

function indexPage(modules: readonly ModuleDef[]): string {
  const toMarketplace = (module: ModuleDef) =>
    outgoing(module).filter(({ marketplace }) => marketplace === true);
  const toSellers = (module: ModuleDef) => outgoing(module).filter(({ sellers }) => sellers !== false);
  return page(
    'Events',
    `## To sellers\n\nEvery event has these fields:\n\n${table(['field', 'type', 'meaning'], fields(EVENT_ENVELOPE))}`,
    'The page of an area shows the objects of its events, with their schemas. A field that is not listed may be added at any time.',
    typesTable(modules, toSellers),
    '## To the marketplace\n\nWhat sellers do, in one order over all of them, at `GET /internal/v1/outbox`: the same events with a `position` instead of a number.',
    typesTable(modules, toMarketplace),
    '## From the marketplace\n\nCloudEvents 1.0 at `POST /internal/v1/events` of the internal listener; `id` and `source` together make each event apply once.',
    typesTable(modules, incoming),
  );
}

/** docs/events.md, the index, and a page for each area: what sellers and the marketplace receive, and what it sends. */
export function eventsDocs(
  modules: readonly ModuleDef[],
): { readonly path: string; readonly text: string }[] {
  const areas = modules.filter((module) => outgoing(module).length + incoming(module).length > 0);
  return [
    { path: 'docs/events.md', text: indexPage(areas) },
    ...areas.map((module) => ({ path: `docs/${fileOf(module)}`, text: areaPage(module) })),
  ];
}
