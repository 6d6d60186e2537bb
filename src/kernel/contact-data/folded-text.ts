/** A text as a finder reads it, and where each of its characters stands in the text. */
export interface FoldedText {
  readonly text: string;
  /** The span of each UTF-16 unit of `text` in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Characters that are not seen: a soft hyphen, joiners, marks of direction. */
const INVISIBLE = /\p{Cf}/u;
const DASH = /\p{Pd}/u;
const BLANK = /\p{Zs}/u;

function foldOne(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (DASH.test(character)) return '-';
  if (BLANK.test(character)) return ' ';
  return character.normalize('NFKC');
}

/** Folds wide and styled characters, dashes and blanks to plain ones, and leaves out what is not seen. */
export function foldCharacters(text: string): FoldedText {
  let folded = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const character of text) {
    const next = at + character.length;
    const plain = foldOne(character);
    for (let unit = 0; unit < plain.length; unit += 1) {
      from.push(at);
      to.push(next);
    }
    folded += plain;
    at = next;
  }
  return { text: folded, from, to };
}
