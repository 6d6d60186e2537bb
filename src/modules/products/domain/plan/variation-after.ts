import { VARIATION_AXES_MAX } from '../fields/limits.ts';
import type { RowMessage, Variation } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { sameVariation } from './equality.ts';

/**
 * The variation after a row. If the row has no theme, the options of the product keep their order, and new options get
 * the order of the row.
 *
 * @param options those that the row can say; absent: all
 * @returns the same object when nothing changes
 */
export function variationAfter(
  before: Variation | null,
  stated: Variation | null,
  options: readonly string[] | undefined,
  { column, messages }: { readonly column: string; readonly messages: RowMessage[] },
): Variation | null {
  if (stated === null) return null;
  const whole = options === undefined ? stated : withKept(before, stated, options);
  if (Object.keys(whole.values).length > VARIATION_AXES_MAX)
    messages.push(rowMessage('attribute_limit', { column, expected: `at most ${VARIATION_AXES_MAX}` }));
  const theme = whole.theme === '' ? themeOf(before, whole) : whole.theme;
  const after = theme === whole.theme ? whole : { ...whole, theme };
  return sameVariation(before, after) ? before : after;
}

/** The stated variation with the options of the product that the row has no columns for. */
function withKept(before: Variation | null, stated: Variation, options: readonly string[]): Variation {
  const kept = Object.entries(before?.values ?? {}).filter(([name]) => !options.includes(name));
  return kept.length === 0
    ? stated
    : { ...stated, values: { ...Object.fromEntries(kept), ...stated.values } };
}

function themeOf(before: Variation | null, { values }: Variation): string {
  const axes = Object.keys(values);
  const known = before === null ? [] : Object.keys(before.values);
  const same = known.length === axes.length && known.every((axis) => Object.hasOwn(values, axis));
  return same && before !== null ? before.theme : axes.join('/');
}
