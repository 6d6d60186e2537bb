/**
 * The dictionaries of the objects of a PDF, as a reader finds them: behind each word `obj`, wherever it stands. A string
 * may hide such a word from a parser that begins at the top, but a reader jumps to it. Source: ISO 32000-2, 7.2 and 7.3.
 */

/** The dictionary of an object. */
export interface PdfDictionary {
  /** Without its strings and comments, its names decoded. */
  readonly text: string;
  /** Where its stream begins; undefined without one. */
  readonly stream: number | undefined;
}

const OBJECT = /(?<!end)obj/g;
const BLANKS = /(?:[\s\0]|%[^\r\n]*)*/y;
const TOKEN = /%[^\r\n]*|<<|>>|<[^<>]*>|\(|[^%(<>]+|[<>]/y;
const STRING_PART = /[()]|\\[\s\S]/g;
/** Readers also take blanks behind the word, and a single carriage return. */
const STREAM = /stream[ \t]*(?:\r\n|\r|\n)/y;

/** A name may write its characters as `#xx`. */
export const decodeNames = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The offset after what a sticky pattern matches at an offset; the offset itself without a match. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The offset after a string, whose parentheses are in pairs. */
function afterString(text: string, from: number): number {
  STRING_PART.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const [part] = STRING_PART.exec(text) ?? [];
    if (part === undefined) return text.length;
    if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
  }
  return STRING_PART.lastIndex;
}

/** Reads from `<<` to its `>>`. */
function readDictionary(text: string, from: number): { readonly plain: string; readonly end: number } {
  const parts: string[] = [];
  let at = from;
  for (let depth = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const [token = ''] = TOKEN.exec(text) ?? [];
    at += token.length;
    if (token === '(') at = afterString(text, at);
    if (token === '<<') depth += 1;
    if (token === '>>') depth -= 1;
    parts.push(token === '(' || token.startsWith('%') ? ' ' : token);
    if (depth === 0) break;
  }
  return { plain: parts.join(''), end: at };
}

/**
 * The dictionaries of all objects.
 *
 * @param budget how many characters may be read; those of nested words `obj` are read again
 * @returns undefined if that is not enough
 */
export function dictionariesIn(text: string, budget: number): PdfDictionary[] | undefined {
  const found: PdfDictionary[] = [];
  let left = budget;
  for (const { index, 0: word } of text.matchAll(OBJECT)) {
    const start = after(BLANKS, text, index + word.length);
    left -= start - index;
    if (left < 0) return undefined;
    if (!text.startsWith('<<', start)) continue;
    const { plain, end } = readDictionary(text, start);
    const begin = after(BLANKS, text, end);
    left -= begin - start;
    if (left < 0) return undefined;
    const data = after(STREAM, text, begin);
    found.push({ text: decodeNames(plain), stream: data === begin ? undefined : data });
  }
  return found;
}
