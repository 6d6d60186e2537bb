import { searchWords } from '../../kernel/fold-text.ts';
import { allOf, type Part, part } from './statement.ts';

/** Whether every word of a search stands somewhere in the column `search_text`, which holds folded text. */
export const hasWords = (search: string | undefined): Part =>
  allOf(...searchWords(search).map((word) => part`strpos(search_text, ${word}) > 0`));
