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

function outgoing(modules: readonly ModuleDef[]): string[] {
  return modules.flatMap((module) =>
    (module.events ?? []).map(
      (event) => `### ${event.type}\n\n${event.summary}. \`data.object\`:\n\n${json(event.example)}`,
    ),
  );
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

/** docs/events.md: what sellers receive, and what the marketplace sends. */
export function eventsDoc(modules: readonly ModuleDef[]): string {
  return page(
    'Events',
    `## To sellers\n\nEvery event has these fields:\n\n${table(['field', 'type', 'meaning'], fields(EVENT_ENVELOPE))}`,
    orNone(outgoing(modules)),
    '## From the marketplace\n\nCloudEvents 1.0 at `POST /internal/v1/events` of the internal listener; `id` and `source` together make each event apply once.',
    orNone(incoming(modules)),
  );
}
