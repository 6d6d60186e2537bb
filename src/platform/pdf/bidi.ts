/** The order in which a line of mixed scripts is drawn: the Unicode Bidirectional Algorithm (UAX #9). */
import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';

/** Its types describe an ES module, but Node loads the CommonJS one, which is a function. */
const createBidi: () => Bidi = createRequire(import.meta.url)('bidi-js');
const bidi = createBidi();

export type Direction = 'ltr' | 'rtl';

/** Scripts that are written from right to left. Other lines need no reordering. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const hasRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

const EMOJI = /(?!\p{L})[\u{10000}-\u{1ffff}]/gu;
/**
 * A text of the same length for the algorithm, which reads each half of an emoji as a Latin letter. An emoji has no
 * direction, so it stands where the text around it puts it, as the symbol that takes its place here.
 */
const neutral = (text: string): string => text.replaceAll(EMOJI, '☃☃');

/** The direction of a paragraph, which all lines of it have: that of its first letter. */
export const baseDirection = (text: string): Direction =>
  (bidi.getEmbeddingLevels(neutral(text)).paragraphs[0]?.level ?? 0) % 2 === 1 ? 'rtl' : 'ltr';

/** A part of a line in one direction. */
export interface Piece {
  /** In the order in which it is read. */
  readonly text: string;
  /** Absent in a line without letters from right to left. */
  readonly direction?: Direction;
}

/** Brackets and quotes that open to the other side. */
const mirrored = (text: string): string =>
  [...text].map((character) => bidi.getMirroredCharacter(character) ?? character).join('');

/**
 * The parts of a line from left to right.
 *
 * @param base the direction of the paragraph
 */
export function piecesOf(text: string, base?: Direction): readonly Piece[] {
  if (!hasRightToLeft(text)) return [{ text }];
  const plain = neutral(text);
  const embedded = bidi.getEmbeddingLevels(plain, base);
  const directionAt = (index: number): Direction => ((embedded.levels[index] ?? 0) % 2 === 1 ? 'rtl' : 'ltr');
  const parts: { from: number; to: number; last: number; readonly direction: Direction }[] = [];
  for (const index of bidi.getReorderedIndices(plain, embedded)) {
    const direction = directionAt(index);
    const part = parts.at(-1);
    const next = part === undefined ? undefined : part.last + (direction === 'rtl' ? -1 : 1);
    if (part?.direction === direction && next === index) {
      part.from = Math.min(part.from, index);
      part.to = Math.max(part.to, index);
      part.last = index;
    } else parts.push({ from: index, to: index, last: index, direction });
  }
  return parts.map(({ from, to, direction }) => {
    const part = text.slice(from, to + 1);
    return { text: direction === 'rtl' ? mirrored(part) : part, direction };
  });
}
