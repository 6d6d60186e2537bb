/** Fits text into a box: it shrinks the text, then breaks words, then cuts it with an ellipsis. */
import { LRUCache } from 'lru-cache';
import { printable, textWidth, type Weight } from './fonts.ts';

/** The smallest font of a document, in dots: 7 pt are 19.8 dots. */
export const SIZE_MIN = 20;

interface TextBox {
  readonly width: number;
  readonly lines: number;
  readonly weight: Weight;
  /** Preferred font size, in the unit of the width. */
  readonly size: number;
  /** Smallest readable font size. */
  readonly sizeMin: number;
  /** The end of the text, which a cut keeps: the postcode. */
  readonly tail?: string;
}

interface FittedText {
  readonly size: number;
  readonly lines: readonly string[];
  /** Whether the box is too small for the whole text. */
  readonly isCut: boolean;
}

const STEP = 2;
const ELLIPSIS = '…';
/** Joins words that stand on one line. It is drawn as a space. */
export const NO_BREAK = '\u00a0';
/** Most characters of a line. Longer texts are cut before they are measured. */
const LINE_CHARACTERS_MAX = 120;
/** How often a text is wrapped again when its letters are wider together than alone. */
const WRAPS_MAX = 5;

type Measure = (text: string) => number;

const CHARACTERS_MAX = 5_000;
/** Widths of single characters at size 1. */
const characters = () => new LRUCache<string, number>({ max: CHARACTERS_MAX });
const CHARACTERS: Readonly<Record<Weight, LRUCache<string, number>>> = {
  regular: characters(),
  bold: characters(),
};

/**
 * Widths at size 1 as sums over the characters, each measured once. That ignores kerning and ligatures, so the caller
 * checks the result with one real measurement.
 */
function roughMeasure(weight: Weight): Measure {
  const known = CHARACTERS[weight];
  const widthOf = (character: string): number => {
    const width = known.get(character) ?? textWidth(character, 1, weight);
    known.set(character, width);
    return width;
  };
  return (text) => [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/** The longest start of a text that fits the room, at least one character. */
function longestStart(text: string, room: number, measure: Measure): string {
  let start = '';
  let taken = 0;
  for (const character of text) {
    taken += measure(character);
    if (taken > room && start !== '') break;
    start += character;
  }
  return start;
}

/** The part of a word that fits the room, up to its last hyphen if it has one. */
function wordStart(word: string, room: number, measure: Measure): string {
  const start = longestStart(word, room, measure);
  return start.slice(0, start.lastIndexOf('-') + 1) || start;
}

/** Wraps a text into lines that fit the room; breaks words that are wider. */
function wrap(text: string, room: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= room) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    while (measure(word) > room && [...word].length > 1) {
      const start = wordStart(word, room, measure);
      lines.push(start);
      word = word.slice(start.length);
    }
    line = word;
  }
  return line === '' ? lines : [...lines, line];
}

interface Parts {
  readonly head: string;
  readonly tail: string;
  /** Whether the head was cut before. */
  readonly isCut: boolean;
}

/** The text with so many characters of its head. */
function shortened({ head, tail, isCut }: Parts, kept: number): string {
  const characters = [...head];
  const cut = isCut || kept < characters.length;
  const start = kept < characters.length ? characters.slice(0, kept).join('').trimEnd() : head;
  return [start + (cut ? ELLIPSIS : ''), tail].filter((part) => part !== '').join(cut ? ' ' : NO_BREAK);
}

/** Uses the largest size at which the lines fit the box; at the smallest size it cuts the head of the text. */
function arrange(parts: Parts, box: TextBox): FittedText {
  const measure = roughMeasure(box.weight);
  const whole = [...parts.head].length;
  for (let size = box.size; ; size = Math.max(box.sizeMin, size - STEP)) {
    const room = box.width / size;
    const wrapped = (kept: number) => wrap(shortened(parts, kept), room, measure);
    const lines = wrapped(whole);
    if (lines.length <= box.lines) return { size, lines, isCut: parts.isCut };
    if (size > box.sizeMin) continue;
    let [fits, tooLong] = [0, whole];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if (wrapped(middle).length <= box.lines) fits = middle;
      else tooLong = middle;
    }
    return { size, lines: wrapped(fits).slice(0, box.lines), isCut: true };
  }
}

/** Fits a text into the box. */
export function fitText(given: string, box: TextBox): FittedText {
  const charactersMax = LINE_CHARACTERS_MAX * box.lines;
  const characters = [...printable(given.slice(0, 4 * charactersMax))];
  const isCut = characters.length > charactersMax || given.length > 4 * charactersMax;
  const head = characters.slice(0, charactersMax).join('').trimEnd();
  const tail = printable(box.tail ?? '').replaceAll(' ', NO_BREAK);
  if (head === '' && tail === '') return { size: box.size, lines: [], isCut: false };
  let room = box.width;
  for (let turn = 1; ; turn += 1) {
    const { size, lines, ...rest } = arrange({ head, tail, isCut }, { ...box, width: room });
    const shown = lines.map((line) => line.replaceAll(NO_BREAK, ' '));
    const widest = Math.max(...shown.map((line) => textWidth(line, size, box.weight)));
    if (widest <= box.width) return { size, lines: shown, ...rest };
    if (turn === WRAPS_MAX) return { size: (size * box.width) / widest, lines: shown, ...rest };
    room *= box.width / widest;
  }
}
