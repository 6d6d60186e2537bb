/**
 * The objects of a PDF, as a reader finds them: behind each word `obj`, wherever it stands. A string may hide such a word
 * from a parser that begins at the top, but a reader jumps to it. Source: ISO 32000-2, 7.2 and 7.3.
 */

/** An object that is a dictionary or an array. */
export interface PdfObject {
  /** Without its strings and comments, its names decoded. */
  readonly text: string;
  /** Where its stream begins; undefined without one. */
  readonly stream: number | undefined;
}

const OBJECT = /(?<!end)obj/g;
const BLANK = /[\s\0]+|%[^\r\n]*/y;
const TOKEN = /%[^\r\n]*|<<|>>|<[^<>]*>|[([\]]/g;
const STRING_PART = /[()]|\\[\s\S]/g;
const OPENS = new Set(['<<', '[']);
const CLOSES = new Set(['>>', ']']);

const WORD = 'stream';
/** What follows the word. Readers also take blanks, and a single carriage return. */
const LINE_END = String.raw`[ \t]*(?:\r\n|\r|\n)`;
const BEGIN = new RegExp(LINE_END, 'y');

/** Finds the words after which a stream begins. */
export const STREAM = new RegExp(`(?<!end)${WORD}${LINE_END}`, 'g');

/** A name may write its characters as `#xx`. */
export const decodeNames = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The offset after blanks and comments. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  for (BLANK.lastIndex = at; BLANK.test(text); BLANK.lastIndex = at) at = BLANK.lastIndex;
  return at;
}

/** The offset after a string, whose parentheses are in pairs. */
function afterString(text: string, from: number): number {
  STRING_PART.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const [part] = STRING_PART.exec(text) ?? [];
    if (part === undefined) return text.length;
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
  }
  return STRING_PART.lastIndex;
}

/** Reads a dictionary or an array to its end. */
function readObject(text: string, from: number): { readonly plain: string; readonly end: number } {
  const parts: string[] = [];
  let at = from;
  for (let depth = 0; ; ) {
    TOKEN.lastIndex = at;
    const { index, 0: token } = TOKEN.exec(text) ?? { index: text.length, 0: '' };
    const isLeftOut = token === '(' || token.startsWith('%');
    const next = index + token.length;
    parts.push(text.slice(at, isLeftOut ? index : next));
    at = token === '(' ? afterString(text, next) : next;
    if (isLeftOut) parts.push(' ');
    if (OPENS.has(token)) depth += 1;
    if (CLOSES.has(token)) depth -= 1;
    if (depth === 0 || token === '') return { plain: parts.join(''), end: at };
  }
}

/** Where a stream begins whose word stands at an offset. */
function streamAt(text: string, at: number): number | undefined {
  if (!text.startsWith(WORD, at)) return undefined;
  BEGIN.lastIndex = at + WORD.length;
  return BEGIN.test(text) ? BEGIN.lastIndex : at + WORD.length;
}

/**
 * @param budget how many characters may be read; what is inside of another object is read again
 * @returns the dictionaries and arrays; undefined if that is not enough
 */
export function objectsIn(text: string, budget: number): PdfObject[] | undefined {
  const found: PdfObject[] = [];
  let left = budget;
  for (const { index, 0: word } of text.matchAll(OBJECT)) {
    const start = afterBlanks(text, index + word.length);
    const isRead = text[start] === '[' || text.startsWith('<<', start);
    const { plain, end } = isRead ? readObject(text, start) : { plain: '', end: start };
    const next = afterBlanks(text, end);
    left -= next - index;
    if (left < 0) return undefined;
    if (isRead) found.push({ text: decodeNames(plain), stream: streamAt(text, next) });
  }
  return found;
}
