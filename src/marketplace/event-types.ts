import type { AnyMarketplaceEvent } from '../kernel/events.ts';

/** Attributes of the published examples. */
const EXAMPLE = {
  specversion: '1.0',
  id: 'evt-1',
  source: '/marketplace/core',
  time: '2026-06-28T01:00:00Z',
} as const;
/** `subject` of event types without an entity. */
const NO_SUBJECT = '–';

/** Describes the event types: for each its JSON Schema and an event that the intake accepts. */
export function describeEventTypes(defs: readonly AnyMarketplaceEvent[]): object[] {
  return [...defs]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map((def) => {
      const { type, summary, subject, schema } = def;
      return { type, summary, subject, schema, example: exampleOf(def) };
    });
}

const SELLER = 'slr_01j0000000000000000000000';

function exampleOf({ type, subject, example, example_subject }: AnyMarketplaceEvent): object {
  const invented = subject === 'seller id' ? SELLER : `${subject.replaceAll(' ', '_')}_1`;
  const named = subject === NO_SUBJECT ? {} : { subject: example_subject ?? invented };
  return { ...EXAMPLE, type, ...named, sellerid: SELLER, data: example };
}
