import type { Variation } from '../row.ts';
import { sameVariation } from './equality.ts';

/**
 * The variation after a row. If the row has no theme, the options of the product keep their order, and new options get
 * the order of the row.
 *
 * @returns the same object when nothing changes
 */
export function variationAfter(before: Variation | null, stated: Variation | null): Variation | null {
  if (stated === null) return null;
  const theme = stated.theme === '' ? themeOf(before, stated) : stated.theme;
  const after = theme === stated.theme ? stated : { ...stated, theme };
  return sameVariation(before, after) ? before : after;
}

function themeOf(before: Variation | null, { values }: Variation): string {
  const axes = Object.keys(values);
  const known = before === null ? [] : Object.keys(before.values);
  const same = known.length === axes.length && known.every((axis) => Object.hasOwn(values, axis));
  return same && before !== null ? before.theme : axes.join('/');
}
