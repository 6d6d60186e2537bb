import { foldText } from './fold-text.ts';

/** The levels of a category such as `Home > Kitchen > Mugs` or `home/kitchen`, folded. */
export const levelsOf = (category: string): string[] =>
  foldText(category)
    .split(/[>/]/)
    .map((level) => level.trim())
    .filter((level) => level !== '');

/** Whether levels are those of a category, or below it. Nothing is below a category without a name. */
export const isWithin = (levels: readonly string[], category: readonly string[]): boolean =>
  category.length > 0 && category.every((level, at) => level === levels[at]);
