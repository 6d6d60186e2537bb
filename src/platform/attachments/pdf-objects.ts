/**
 * The objects of a PDF, as a reader finds them: behind each word `obj` or `trailer`, wherever it stands. A string may
 * hide such a word from a parser that begins at the top, but a reader jumps to it. Source: ISO 32000-2, 7.3 and 7.5.
 */
import { afterBlanks, isContainer, objectEnd, plainText } from './pdf-syntax.ts';

/** An object that is a dictionary, an array or a name. A reference may stand for a name: `/S 7 0 R`. */
export interface NumberedObject {
  /** Its plain text. */
  readonly text: string;
  /** The digits of its number; empty for a trailer, undefined if they do not stand beside the word. */
  readonly number: string | undefined;
}
export interface PdfObject extends NumberedObject {
  /** Where its stream begins; undefined without one. */
  readonly stream: number | undefined;
}

/**
 * Numbers stand before the word `obj`, or the line before ends with a comment. In texts and compressed bytes the word
 * occurs by chance.
 */
const OBJECT = /obj(?<=(?:^|[\d\r\n])[\0\t\f \x80\xff]*obj)|trailer/g;
const WORD = 'stream';
/** What follows the word. Readers also take blanks, and a single carriage return. */
const LINE_END = /[ \t]*(?:\r\n|\r|\n)/y;

/** Finds the words after which a stream begins. */
export const STREAM = new RegExp(`(?<!end)${WORD}${LINE_END.source}`, 'g');

/** Where a stream begins whose word stands at an offset. */
function streamAt(text: string, at: number): number | undefined {
  if (!text.startsWith(WORD, at)) return undefined;
  const start = at + WORD.length;
  LINE_END.lastIndex = start;
  return LINE_END.test(text) ? LINE_END.lastIndex : start;
}

const NUMBER = /(\d+)[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]*$/;
const NUMBER_CHARS_MAX = 40;
const numberBefore = (text: string, at: number): string | undefined =>
  NUMBER.exec(text.slice(Math.max(0, at - NUMBER_CHARS_MAX), at))?.[1];

const OBJECT_END = /(?:endobj|startxref)(?![A-Za-z0-9])/y;
/** Entries of a dictionary that change how a stream is read, also the next one in the file for some readers. */
const OF_STREAM = /\/(?:F|N|DP|First|Length|F?Filter|F?DecodeParms|Type ?\/(?:ObjStm|XRef))(?![A-Za-z0-9])/;

/** Whether readers that miss the end of an object find nothing else in it. */
function endsForAll(text: string, at: number, own: string): boolean {
  OBJECT_END.lastIndex = at;
  return OBJECT_END.test(text) && !OF_STREAM.test(own);
}

interface ObjectBudget {
  readonly objects: number;
  readonly read: number;
}

/**
 * @param text of the bytes, in latin1
 * @param budget what may be read; what is inside of another object is read again
 * @returns the dictionaries, arrays and names; undefined if that is not enough, or one is not closed in turn
 */
export function objectsIn(bytes: Buffer, text: string, budget: ObjectBudget): PdfObject[] | undefined {
  const found: PdfObject[] = [];
  let left = budget.read;
  for (const { index, 0: word } of text.matchAll(OBJECT)) {
    const start = afterBlanks(bytes, index + word.length);
    const isRead = isContainer(bytes, start) || text[start] === '/';
    const { end, lacksValue } = (isRead ? objectEnd(bytes, start) : { end: start, lacksValue: false }) ?? {};
    if (end === undefined) return undefined;
    const next = afterBlanks(bytes, end);
    left -= next - index;
    if (left < 0 || found.length > budget.objects) return undefined;
    if (!isRead) continue;
    const own = plainText(bytes, start, end);
    if (lacksValue === true && !endsForAll(text, next, own)) return undefined;
    found.push({
      text: own,
      number: word === 'trailer' ? '' : numberBefore(text, index),
      stream: streamAt(text, next),
    });
  }
  return found;
}

const FLATE = '/Fl(?:ateDecode)?';
/** What a stream of objects may say. Any other entry could hide its objects: another filter, a predictor, a file. */
const ENTRIES = new Map([
  ['Type', /^\/ObjStm$/],
  ['N', /^\d{1,5}$/],
  ['First', /^\d{1,8}$/],
  ['Length', /^\d+(?: \d+ R)?$/],
  ['DL', /^\d+$/],
  // Of a colour profile, which has a number of colours.
  ['Alternate', /^[/[\d]/],
  ['Range', /^\[/],
  ['Metadata', /^\d+ \d+ R$/],
  ['Extends', /^\d+ \d+ R$/],
  ['Filter', new RegExp(`^(?:${FLATE}|\\[ ?${FLATE} ?\\])$`)],
  ['DecodeParms', /^(?:null|\[ ?null ?\]|<< ?>>)$/],
]);
const ENTRY = / ?\/([A-Za-z]+) ?(\/[A-Za-z]+|\d+ \d+ R|\d+|null|\[[^[\]]{1,100}\]|<< ?>>)(?=[ />])/y;
const DICTIONARY_MAX = 1_000;

/** What the dictionary of a stream of objects says. */
export interface ObjectsHead {
  readonly count: number;
  /** Where the first object begins; undefined if the dictionary does not say it, as that of a colour profile. */
  readonly first: number | undefined;
  /** How many bytes it has; undefined if they are deflated. */
  readonly length: number | undefined;
}

/** Reads the dictionary of a stream of objects; undefined if it may hide them. */
export function readHead(text: string): ObjectsHead | undefined {
  if (!text.startsWith('<<') || text.length > DICTIONARY_MAX) return undefined;
  const entries = new Map<string, string>();
  let end = 2;
  ENTRY.lastIndex = end;
  for (let match = ENTRY.exec(text); match !== null; match = ENTRY.exec(text)) {
    const [, key = '', value = ''] = match;
    if (entries.has(key) || ENTRIES.get(key)?.test(value) !== true) return undefined;
    entries.set(key, value);
    end = ENTRY.lastIndex;
  }
  const isProfile = !entries.has('First') && !entries.has('Type');
  if (!entries.has('N') || !(entries.has('First') || isProfile) || text.slice(end).trim() !== '>>')
    return undefined;
  const length = entries.has('Filter') ? undefined : Number(entries.get('Length'));
  const first = isProfile ? undefined : Number(entries.get('First'));
  return { count: Number(entries.get('N')), first, length };
}

/** Tells whether a dictionary itself has an entry, and not one in it. @param entry begins with its name */
const ownEntry = (entry: string): ((text: string) => boolean) => {
  const parts = new RegExp(`(<<|\\[)|(>>|\\])|/${entry}`, 'g');
  return (text) => {
    let depth = 0;
    for (const [, opening, closing] of text.matchAll(parts)) {
      if (opening !== undefined) depth += 1;
      else if (closing !== undefined) depth -= 1;
      else if (depth === 1) return true;
    }
    return false;
  };
};

/** The number of a stream's objects, or of a profile's colours. */
export const hasCount = ownEntry('N(?![A-Za-z0-9])');

/**
 * A stream whose bytes are in another file, or a form that stands for a page of one: readers may get it from a server.
 * Some readers take `/F /Name` for a short form of `Filter`, so a name does not count. Source: ISO 32000-2, 7.3.8.2 and 8.10.4.
 */
export const readsOtherFile = ownEntry(
  '(?:F(?=[ \\xff]?[(<[]|[ \\xff][-+.\\d])|Ref(?=[ \\xff]?(?:<<|[-+.\\d])))',
);

/** Two numbers, with which a table of objects begins. */
const TABLE = /^[\0\t\n\f\r \x80\xff]*[-+]?\d+(?:[\0\t\n\f\r \x80\xff]|%[^\r\n]*[\r\n])+[-+]?\d/;
const PROFILE = 'acsp';
const PROFILE_AT = 36;

/** Whether bytes are a colour profile (ICC.1, 7.2), and for no reader objects. */
export function isColourProfile(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, PROFILE_AT + PROFILE.length);
  return head.endsWith(PROFILE) && head.length === PROFILE_AT + PROFILE.length && !TABLE.test(head);
}

/** The bytes of a stream without a filter; undefined if readers may find another beginning or end. */
export function statedBytes(bytes: Buffer, start: number, length: number): Buffer | undefined {
  const before = bytes.toString('latin1', start - WORD.length - 2, start);
  const after = bytes.toString('latin1', start + length, start + length + 11);
  const isStated = /stream\r?\n$/.test(before) && /^(?:\r\n|\r|\n)?endstream/.test(after);
  return isStated ? bytes.subarray(start, start + length) : undefined;
}

/** The pairs of numbers and offsets of a stream's objects; undefined if its table is not one. */
function readTable(
  bytes: Buffer,
  count: number,
  first: number,
): [number: string, start: number][] | undefined {
  if (first > bytes.length) return undefined;
  const pairs: [string, number][] = [];
  let number = '';
  let numbers = 0;
  for (const [word] of bytes.toString('latin1', 0, first).matchAll(/[^\0\t\n\f\r ]+/g)) {
    // Readers look at nothing behind the table.
    if (numbers === 2 * count && word.startsWith('%')) break;
    if (!/^\d{1,10}$/.test(word)) return undefined;
    numbers += 1;
    if (numbers > 2 * count) return undefined;
    if (numbers % 2 === 1) {
      number = String(Number(word));
      continue;
    }
    const start = first + Number(word);
    if (start >= bytes.length) return undefined;
    pairs.push([number, start]);
  }
  return numbers === 2 * count ? pairs : undefined;
}

/** The objects of a stream whose table leads to their beginnings. @param bytes its inflated bytes */
export function objectsInStream({ count, first = 0 }: ObjectsHead, bytes: Buffer): NumberedObject[] {
  const texts = new Map<number, string>();
  const textAt = (start: number): string => {
    const at = afterBlanks(bytes, start);
    const text = texts.get(at) ?? plainText(bytes, at, objectEnd(bytes, at)?.end);
    texts.set(at, text);
    return text;
  };
  return (readTable(bytes, count, first) ?? []).map(([number, start]) => ({ number, text: textAt(start) }));
}

/**
 * Whether a reader finds the same objects in a stream as a search from its first one on: its table leads to no place
 * inside of a string, a comment or another object.
 *
 * @param bytes its inflated bytes
 */
export function hasPlainObjects({ count, first = 0 }: ObjectsHead, bytes: Buffer): boolean {
  const table = readTable(bytes, count, first);
  if (table === undefined) return false;
  const starts = new Uint8Array(bytes.length);
  for (const [, start] of table) starts[start] = 1;
  for (let at = first; at < bytes.length; ) {
    at = afterBlanks(bytes, at, starts);
    if (at >= bytes.length) break;
    starts[at] = 0;
    const object = objectEnd(bytes, at);
    if (object === undefined) return false;
    at = object.end;
  }
  return !starts.includes(1);
}
