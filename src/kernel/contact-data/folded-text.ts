/** A text as a finder reads it, and where each of its characters stands in the text. */
export interface FoldedText {
  readonly text: string;
  /** The span of each UTF-16 unit of `text` in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Characters that are not seen, such as a soft hyphen, joiners and marks of direction, and marks on the character before:
 * a line through a digit, or the frame that makes an emoji of it.
 */
const LEFT_OUT = /[\p{Cf}\p{M}]/u;
const DIGIT = /\p{Nd}/u;
/** With the minus sign. */
const DASH = /[\p{Pd}\u2212]/u;
const BLANK = /[\p{Zs}\t]/u;
/** Browsers read it as a dot in the name of a host (UTS 46). */
const IDEOGRAPHIC_STOP = '\u3002';

/** The digits of a script stand in a row, from zero on. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

function foldOne(character: string): string {
  if (LEFT_OUT.test(character)) return '';
  if (DASH.test(character)) return '-';
  if (BLANK.test(character)) return ' ';
  const plain = character.normalize('NFKC');
  if (plain === IDEOGRAPHIC_STOP) return '.';
  return DIGIT.test(plain) && [...plain].length === 1 ? plainDigit(plain) : plain;
}

/** Folds wide and styled characters, digits of any script, dashes and blanks to plain ones, and leaves out marks. */
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
    // A mark belongs to the character before.
    if (plain === '' && to.length > 0) to[to.length - 1] = next;
    folded += plain;
    at = next;
  }
  return { text: folded, from, to };
}
