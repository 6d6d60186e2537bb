import type { AnyMarketplaceEvent } from '../kernel/events.ts';

/** Instant and source of the published examples; any others would do. */
const EXAMPLE = {
  specversion: '1.0',
  id: 'evt-1',
  source: '/marketplace/core',
  time: '2026-06-28T01:00:00Z',
} as const;
/** `subject` of a type whose events name no entity. */
export const NO_SUBJECT = '–';

/** What may be sent in: for each type its JSON Schema and one whole event that would be taken. */
export function describeEventTypes(defs: readonly AnyMarketplaceEvent[]): object[] {
  return [...defs]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, summary, subject, schema, example }) => ({
      type,
      summary,
      subject,
      schema,
      example: exampleOf(type, subject, example),
    }));
}

function exampleOf(type: string, subject: string, data: unknown): object {
  const seller = 'slr_01j0000000000000000000000';
  const named =
    subject === NO_SUBJECT
      ? {}
      : { subject: subject === 'seller id' ? seller : `${subject.replaceAll(' ', '_')}_1` };
  return { ...EXAMPLE, type, ...named, sellerid: seller, data };
}
