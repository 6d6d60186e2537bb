/** Places texts on a page. No text leaves its box, and none is smaller than 7 pt. */
import { baseDirection, hasRightToLeft } from './bidi.ts';
import type { Item, TextItem, TextRole } from './drawing.ts';
import { fitText, SIZE_MIN } from './fit-text.ts';
import { textWidth, type Weight } from './fonts.ts';

/** The distance of two baselines and the height above a baseline, as factors of the font's height. */
interface LineSpace {
  readonly leading: number;
  readonly ascent: number;
}
const PLAIN: LineSpace = { leading: 1.15, ascent: 0.9 };
/** Letters of these scripts reach further down, and have marks above. */
const TALL_SCRIPTS = /[\p{Script=Arabic}\p{Script=Devanagari}]/u;
const TALL: LineSpace = { leading: 1.5, ascent: 1.05 };
const lineSpace = (text: string): LineSpace => (TALL_SCRIPTS.test(text) ? TALL : PLAIN);

export interface TextStyle {
  /** The left edge; with `align: 'right'` the right edge, with `'centre'` the middle. */
  readonly x: number;
  readonly width: number;
  readonly size: number;
  readonly lines?: number;
  /** The distance of two baselines, in dots. */
  readonly leading?: number;
  readonly weight?: Weight;
  readonly role?: TextRole;
  readonly row?: number;
  readonly scope?: 'Row';
  readonly align?: 'right' | 'centre';
  readonly inverted?: boolean;
  /** The end of the text, which a cut keeps. */
  readonly tail?: string;
}

interface Placed {
  readonly items: TextItem[];
  /** Whether the box is too small for the whole text. */
  readonly isCut: boolean;
}

/** Fits a text into its box. The first line stands on the baseline `y`. */
function placeText(content: string, y: number, style: TextStyle): Placed {
  const { x, width, weight = 'regular', role = 'P', lines = 1, align } = style;
  const { row, scope, inverted, tail = '' } = style;
  const sizeMin = Math.min(SIZE_MIN, style.size);
  const fitted = fitText(content, { width, lines, weight, size: style.size, sizeMin, tail });
  const space = lineSpace(content);
  const least = fitted.size * space.leading;
  const leading = space === TALL ? Math.max(least, style.leading ?? 0) : (style.leading ?? least);
  const shift = { right: 1, centre: 0.5 };
  const base = hasRightToLeft(content) ? baseDirection(content) : undefined;
  const items = fitted.lines.map(
    (text, index): TextItem => ({
      kind: 'text',
      x: align === undefined ? x : x - shift[align] * textWidth(text, fitted.size, weight),
      y: y + index * leading,
      text,
      size: fitted.size,
      weight,
      role,
      ...(row === undefined ? {} : { row }),
      ...(scope === undefined ? {} : { scope }),
      ...(inverted ? { inverted } : {}),
      ...(base === undefined ? {} : { base }),
    }),
  );
  return { items, isCut: fitted.isCut };
}

/** A text in its box. */
export const textItems = (content: string, y: number, style: TextStyle): TextItem[] =>
  placeText(content, y, style).items;

export interface Paragraph {
  readonly text: string;
  readonly size: number;
  readonly weight?: Weight;
  /** The end of the paragraph, which a cut keeps. */
  readonly tail?: string;
}

interface Area {
  readonly x: number;
  /** The upper edge. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The paragraphs below one another, each with so many lines at most. */
function stack(paragraphs: readonly Paragraph[], { x, y, width }: Area, factor: number, lines: number) {
  const items: Item[] = [];
  let isCut = false;
  let at = y;
  let most = 0;
  for (const { text, size: preferred, weight, tail } of paragraphs) {
    const size = Math.max(SIZE_MIN, Math.floor(preferred * factor));
    const style = { x, width, size, lines, ...(weight && { weight }), ...(tail && { tail }) };
    // The whole paragraph has one size, because the area decides how large it is.
    const { ascent, leading } = lineSpace(text);
    const placed = placeText(text, at + size * ascent, style);
    const [first] = placed.items;
    if (first === undefined) continue;
    items.push(...placed.items);
    isCut ||= placed.isCut;
    at += placed.items.length * first.size * leading;
    most = Math.max(most, placed.items.length);
  }
  return { items, isCut, height: at - y, most };
}

const FACTOR_STEP = 0.04;

/**
 * Fits paragraphs into an area: they shrink together, down to 7 pt. Where that does not suffice, the longest paragraphs
 * are cut.
 */
export function placeBlock(paragraphs: readonly Paragraph[], area: Area) {
  const linesMax = Math.floor(area.height / (SIZE_MIN * PLAIN.leading));
  const smallest = SIZE_MIN / Math.max(SIZE_MIN, ...paragraphs.map(({ size }) => size));
  for (let factor = 1; factor > smallest; factor -= FACTOR_STEP) {
    const placed = stack(paragraphs, area, factor, linesMax);
    if (placed.height <= area.height && !placed.isCut) return placed;
  }
  for (let lines = linesMax; ; lines -= 1) {
    const placed = stack(paragraphs, area, smallest, lines);
    if (placed.height <= area.height || lines === 1) return placed;
  }
}
