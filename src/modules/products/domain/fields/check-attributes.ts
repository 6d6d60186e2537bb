import { rowMessage } from '../row-codes.ts';
import { checkLine, checkText, emptyToNull, type Reporter } from './check-text.ts';
import { ATTRIBUTE_NAME_MAX, ATTRIBUTE_VALUE_MAX, ATTRIBUTES_MAX } from './limits.ts';

/** This name would set the prototype of an object. */
const FORBIDDEN_NAME = '__proto__';

/**
 * Checks names and texts; an empty text removes the attribute.
 *
 * @returns `undefined` when a name or a text was refused
 */
export function checkAttributes(
  attributes: Readonly<Record<string, string | null>>,
  { column, messages }: Reporter,
): Readonly<Record<string, string | null>> | undefined {
  const names = Object.keys(attributes);
  if (names.length > ATTRIBUTES_MAX) {
    messages.push(rowMessage('attribute_limit', { column, expected: `at most ${ATTRIBUTES_MAX}` }));
    return undefined;
  }
  const accepted: Record<string, string | null> = {};
  let refused = false;
  for (const raw of names) {
    const reporter = { column: `${column}.${raw.slice(0, ATTRIBUTE_NAME_MAX)}`, messages };
    const name = checkAttributeName(raw, reporter);
    const given = attributes[raw] ?? null;
    const value = given === null ? null : emptyToNull(checkText(given, ATTRIBUTE_VALUE_MAX, reporter));
    if (name === undefined || value === undefined) refused = true;
    else accepted[name] = value;
  }
  return refused ? undefined : accepted;
}

/** @returns the trimmed name, or `undefined` after a finding */
export function checkAttributeName(name: string, reporter: Reporter): string | undefined {
  const clean = checkLine(name, ATTRIBUTE_NAME_MAX, reporter);
  if (clean !== '' && clean !== FORBIDDEN_NAME) return clean;
  reporter.messages.push(rowMessage('attribute_invalid', { column: reporter.column, value: name }));
  return undefined;
}
