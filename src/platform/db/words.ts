import { searchWords } from '../../kernel/fold-text.ts';
import { allOf, type Part, part } from './statement.ts';

/** SQL condition: the column `search_text`, which has folded text, contains all words of a search. */
export const hasWords = (search: string | undefined): Part =>
  allOf(...searchWords(search).map((word) => part`strpos(search_text, ${word}) > 0`));
