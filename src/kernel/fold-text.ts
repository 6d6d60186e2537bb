/** Text without accents, in lower case, so that `cafe` finds `Café`. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

/** More words than a search needs. */
const WORDS_MAX = 10;

/** Words of a folded text. */
export const wordsOf = (folded: string): string[] => folded.split(/\s+/).filter((word) => word !== '');

/** The folded words of a search; empty for a search without words. */
export const searchWords = (search: string | undefined): string[] =>
  wordsOf(foldText(search ?? '')).slice(0, WORDS_MAX);
