import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { unknownPatterns } from '../domain/event-types.ts';

/** The types that sellers are told of, as all modules declare them. */
export type KnownTypes = () => readonly string[];

const WHERE = 'GET /webhooks/event-types lists them';
const WILDCARDS = '"order.*" stands for every type of orders, "*" for all';

const problemAt = (loc: FieldProblem['loc'], input: string, mend: string): FieldProblem => ({
  loc,
  msg: `No event has the type "${input}"; ${mend}.`,
  type: 'event_type_unknown',
  input,
});

/** What is wrong with a list of types or patterns in a body. */
export function typeProblems(
  patterns: readonly string[],
  knownTypes: readonly string[],
  name: 'event_types' | 'types',
): FieldProblem[] {
  const unknown = new Set(unknownPatterns(patterns, knownTypes));
  return patterns.flatMap((pattern, index) =>
    unknown.has(pattern) ? [problemAt(['body', name, index], pattern, `${WHERE}, ${WILDCARDS}`)] : [],
  );
}

/**
 * Refuses patterns that no event ever fits: an empty answer would look as if nothing had happened.
 *
 * @throws ApiError 422 at `query.types`
 */
export function checkTypesQuery(patterns: readonly string[], knownTypes: readonly string[]): void {
  const unknown = unknownPatterns(patterns, knownTypes);
  if (unknown.length === 0) return;
  throw invalid(unknown.map((pattern) => problemAt(['query', 'types'], pattern, `${WHERE}, ${WILDCARDS}`)));
}

/**
 * The same of one type, where no wildcards are taken.
 *
 * @throws ApiError 422 at `query.type`
 */
export function checkTypeQuery(type: string | undefined, knownTypes: readonly string[]): void {
  if (type === undefined || knownTypes.includes(type)) return;
  throw invalid([problemAt(['query', 'type'], type, WHERE)]);
}
