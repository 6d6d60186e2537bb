import { foldText } from './fold-text.ts';

/**
 * The levels of a category such as `Home > Kitchen > Mugs` or `home/kitchen`, folded. Invisible characters and the number
 * of spaces do not matter, because people do not see them.
 */
export const levelsOf = (category: string): string[] =>
  foldText(category)
    .replaceAll(/\p{Cf}/gu, '')
    .split(/[>/]/)
    .map((level) => level.replaceAll(/\s+/g, ' ').trim())
    .filter((level) => level !== '');

/** Whether levels are those of a category, or below it. Nothing is below a category without a name. */
export const isWithin = (levels: readonly string[], category: readonly string[]): boolean =>
  category.length > 0 && category.every((level, at) => level === levels[at]);
