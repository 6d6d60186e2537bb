import type { Variation } from '../row.ts';
import { sameVariation } from './same.ts';

/**
 * The variation after a row. Without a theme known options keep the product's order; new options have the order of
 * the row.
 *
 * @returns the same object when nothing differs
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
