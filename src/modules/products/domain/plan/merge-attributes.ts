import { ATTRIBUTES_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';

/**
 * The attributes after a row: named ones set or (by `null`) removed, the others left.
 *
 * @returns the same object when nothing differs
 */
export function mergeAttributes(
  before: Readonly<Record<string, string>>,
  named: Readonly<Record<string, string | null>>,
  column: string,
  messages: RowMessage[],
): Readonly<Record<string, string>> {
  let after: Record<string, string> | null = null;
  for (const name of Object.keys(named)) {
    const value = named[name] ?? null;
    const old = Object.hasOwn(before, name) ? before[name] : null;
    if (value === old) continue;
    after ??= { ...before };
    if (value === null) delete after[name];
    else after[name] = value;
  }
  if (after === null) return before;
  if (Object.keys(after).length > ATTRIBUTES_MAX) {
    messages.push(rowMessage('attribute_limit', { column, expected: `at most ${ATTRIBUTES_MAX}` }));
  }
  return after;
}
