/** Text that must stay inside a box: smaller first, then broken, cut with an ellipsis at the very last. */
import { printable, textWidth, type Weight } from './fonts.ts';

export interface TextBox {
  readonly width: number;
  readonly lines: number;
  readonly weight: Weight;
  /** Wished height of the font; the width has the same unit. */
  readonly size: number;
  /** Smallest height that can be read. */
  readonly sizeMin: number;
}

export interface FittedText {
  readonly size: number;
  readonly lines: readonly string[];
}

const STEP = 2;
const ELLIPSIS = '…';
/** No line shows more characters than this: what lies beyond is cut before anything is measured. */
const LINE_CHARACTERS_MAX = 120;

type Measure = (text: string) => number;

/**
 * Widths at size 1 as sums over the characters, each looked at once. What that leaves out, kerning and
 * ligatures, is settled by the caller with one true measurement.
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

/** The longest beginning of a text that is no wider than the room, at least one character. */
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

/** Lines no wider than the room; a word that is wider alone is broken. */
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

/** The lines at the largest size at which they are few enough; at the smallest the last one is cut. */
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

/** The text in at most so many lines, none wider than the box. */
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
