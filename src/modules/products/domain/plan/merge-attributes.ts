import { ATTRIBUTES_MAX } from '../fields/limits.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';

/**
 * The attributes after a row: it sets the attributes that it names, or removes them by `null`, and keeps the others.
 *
 * @returns the same object when nothing changes
 */
export function mergeAttributes(
  before: Readonly<Record<string, string>>,
  stated: Readonly<Record<string, string | null>>,
  column: string,
  messages: RowMessage[],
): Readonly<Record<string, string>> {
  let after: Record<string, string> | null = null;
  for (const name of Object.keys(stated)) {
    const value = stated[name] ?? null;
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
