/** Fits text into a box: it shrinks the text, then breaks words, then cuts it with an ellipsis. */
import { printable, textWidth, type Weight } from './fonts.ts';

export interface TextBox {
  readonly width: number;
  readonly lines: number;
  readonly weight: Weight;
  /** Preferred font size, in the unit of the width. */
  readonly size: number;
  /** Smallest readable font size. */
  readonly sizeMin: number;
}

interface FittedText {
  readonly size: number;
  readonly lines: readonly string[];
}

const STEP = 2;
const ELLIPSIS = '…';
/** Most characters of a line. Longer texts are cut before they are measured. */
const LINE_CHARACTERS_MAX = 120;

type Measure = (text: string) => number;

/**
 * Widths at size 1 as sums over the characters, each measured once. That ignores kerning and ligatures, so the caller
 * checks the result with one real measurement.
 */
function roughMeasure(weight: Weight): Measure {
  const known = new Map<string, number>();
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
      const start = longestStart(word, room, measure);
      lines.push(start);
      word = word.slice(start.length);
    }
    line = word;
  }
  return line === '' ? lines : [...lines, line];
}

/** Uses the largest size at which the lines fit the box; at the smallest size it cuts the last line. */
function arrange(text: string, box: TextBox): FittedText {
  const measure = roughMeasure(box.weight);
  for (let size = box.size; ; size = Math.max(box.sizeMin, size - STEP)) {
    const room = box.width / size;
    const lines = wrap(text, room, measure);
    if (lines.length <= box.lines) return { size, lines };
    if (size > box.sizeMin) continue;
    const rest = lines.slice(box.lines - 1).join(' ');
    const cut = longestStart(rest, room - measure(ELLIPSIS), measure).trimEnd() + ELLIPSIS;
    return { size, lines: [...lines.slice(0, box.lines - 1), cut] };
  }
}

/** Fits a text into the box. */
export function fitText(given: string, box: TextBox): FittedText {
  const charactersMax = LINE_CHARACTERS_MAX * box.lines;
  const characters = [...printable(given.slice(0, 4 * charactersMax))];
  const isCut = characters.length > charactersMax;
  const text = characters.slice(0, charactersMax).join('').trimEnd() + (isCut ? ELLIPSIS : '');
  if (text === '') return { size: box.size, lines: [] };
  const { size, lines } = arrange(text, box);
  const widest = Math.max(...lines.map((line) => textWidth(line, size, box.weight)));
  return { size: widest > box.width ? (size * box.width) / widest : size, lines };
}
