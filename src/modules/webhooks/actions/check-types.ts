import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import type { OutgoingEventDef } from '../../../kernel/events.ts';
import { misspelt } from '../../../kernel/near-miss.ts';
import type { Services } from '../../../platform/services.ts';
import { unknownPatterns } from '../domain/event-types.ts';

/** The modules. Their declarations say which events sellers receive. */
export type Catalogue = Pick<Services, 'modules'>;

/** The events that sellers receive. */
export const eventsIn = ({ modules }: Catalogue): OutgoingEventDef[] =>
  modules.flatMap(({ events = [] }) => events).filter(({ sellers }) => sellers !== false);

const typesOf = (catalogue: Catalogue): string[] => eventsIn(catalogue).map(({ type }) => type);

const WHERE = 'GET /webhooks/event-types lists them';
const WILDCARDS = '"order.*" stands for every type of orders, "*" for all';

function problemAt(
  loc: FieldProblem['loc'],
  input: string,
  mend: string,
  known: readonly string[],
): FieldProblem {
  const nearest = misspelt(input, known);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return { loc, msg: `No event has the type "${input}"; ${mend}.${hint}`, type: 'event_type_unknown', input };
}

/** The problems of a list of types or patterns in a body. */
export function typeProblems(
  patterns: readonly string[],
  catalogue: Catalogue,
  name: 'event_types' | 'types',
): FieldProblem[] {
  const known = typesOf(catalogue);
  const unknown = new Set(unknownPatterns(patterns, known));
  return patterns.flatMap((pattern, index) =>
    unknown.has(pattern) ? [problemAt(['body', name, index], pattern, `${WHERE}, ${WILDCARDS}`, known)] : [],
  );
}

/**
 * Refuses patterns that no event type matches. An empty answer would look as if nothing had happened.
 *
 * @throws ApiError 422 at `query.types`
 */
export function checkTypesQuery(patterns: readonly string[], catalogue: Catalogue): void {
  const known = typesOf(catalogue);
  const unknown = unknownPatterns(patterns, known);
  if (unknown.length === 0) return;
  throw invalid(
    unknown.map((pattern) => problemAt(['query', 'types'], pattern, `${WHERE}, ${WILDCARDS}`, known)),
  );
}

/**
 * Refuses a type without wildcards that no event has.
 *
 * @throws ApiError 422 at `query.type`
 */
export function checkTypeQuery(type: string | undefined, catalogue: Catalogue): void {
  const known = typesOf(catalogue);
  if (type === undefined || known.includes(type)) return;
  throw invalid([problemAt(['query', 'type'], type, WHERE, known)]);
}
