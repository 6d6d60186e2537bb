import type { OutgoingEventDef } from '../../src/kernel/events.ts';
import type { ModuleDef } from '../../src/kernel/route.ts';
import { EVENT_ENVELOPE } from '../../src/platform/http/openapi/webhooks.ts';
import { code, json, page, table } from './markdown.ts';

const fields = (schema: { readonly properties?: unknown }): string[][] =>
  Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: unknown; description?: string; const?: unknown }>,
  ).map(([name, { type, description, const: value }]) => [
    code(name),
    [type].flat().join(' or '),
    value === undefined ? (description ?? '') : `always ${code(String(value))}`,
  ]);

type Declared = OutgoingEventDef & { readonly schema: { readonly title?: string } };

/** Events that show the same kind of object have one schema, which is called by its title or else by the event. */
const nameOf = ({ schema, type }: Declared): string => schema.title ?? type;

const section = (event: Declared): string =>
  `### ${event.type}\n\n${event.summary}. \`data.object\` is a ${code(nameOf(event))}, for example:\n\n${json(event.example)}`;

/** Each schema once. */
function schemas(events: readonly Declared[]): string[] {
  const byName = new Map(events.map((event) => [nameOf(event), event.schema]));
  return [...byName].map(([name, schema]) => `### ${code(name)}\n\n${json(schema)}`);
}

const toldTo = (modules: readonly ModuleDef[], wanted: (event: OutgoingEventDef) => boolean): Declared[] =>
  modules.flatMap((module) => module.events ?? []).filter(wanted);

function toMarketplace(modules: readonly ModuleDef[]): string {
  const told = toldTo(modules, ({ marketplace }) => marketplace === true);
  const names = told.map(({ type }) => code(type)).join(', ');
  return `What sellers do, in one order over all of them, at \`GET /internal/v1/outbox\`: the same events with a \`position\` instead of a number. These: ${names}.`;
}

function incoming(modules: readonly ModuleDef[]): string[] {
  return modules.flatMap((module) =>
    (module.marketplaceEvents ?? []).map(
      (event) =>
        `### ${event.type}\n\n${event.summary}. \`subject\`: ${event.subject}. \`data\`:\n\n${json(event.example)}\n\nSchema:\n\n${json(event.schema)}`,
    ),
  );
}

const orNone = (sections: readonly string[]): string =>
  sections.length === 0 ? 'None yet.' : sections.join('\n\n');

/** docs/events.md: what sellers receive, what the marketplace is told, and what it sends. */
export function eventsDoc(modules: readonly ModuleDef[]): string {
  const toSellers = toldTo(modules, ({ sellers }) => sellers !== false);
  return page(
    'Events',
    `## To sellers\n\nEvery event has these fields:\n\n${table(['field', 'type', 'meaning'], fields(EVENT_ENVELOPE))}`,
    orNone(toSellers.map(section)),
    '## To the marketplace',
    toMarketplace(modules),
    orNone(toldTo(modules, ({ sellers }) => sellers === false).map(section)),
    '## Schemas',
    'Of the objects that events show. A field that is not listed may be added at any time.',
    orNone(schemas(toldTo(modules, () => true))),
    '## From the marketplace\n\nCloudEvents 1.0 at `POST /internal/v1/events` of the internal listener; `id` and `source` together make each event apply once.',
    orNone(incoming(modules)),
  );
}
