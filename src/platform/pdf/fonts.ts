/**
 * Fonts of labels and documents: Noto Sans, in one file for each script, Noto Emoji, and Unifont for all other scripts.
 * A file is read when a text needs it. A character that no font has becomes U+FFFD, which is visible and does not fail.
 * Texts are shaped by fontkit: Arabic letters join, and lines of mixed directions are in the order of UAX #9.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type * as fontkit from 'fontkit';
import { LRUCache } from 'lru-cache';
import { lateLibrary } from '../late-library.ts';
import { type Direction, type Piece, piecesOf } from './bidi.ts';
import { unwrapWoff } from './woff.ts';

export type Weight = 'regular' | 'bold';

/** One font file, opened. */
export interface Face {
  readonly name: string;
  readonly font: fontkit.Font;
}

/** A piece of text in one face and direction. */
interface TextRun extends Piece {
  readonly face: Face;
}

const require = createRequire(import.meta.url);
const fonts = lateLibrary<typeof fontkit>('fontkit');
const SCRIPTS = [
  'latin',
  'latin-ext',
  'vietnamese',
  'greek',
  'greek-ext',
  'cyrillic',
  'cyrillic-ext',
  'devanagari',
];
const WEIGHTS: Readonly<Record<Weight, number>> = { regular: 400, bold: 700 };
const fileOf = (family: string, part: string, weight: Weight): string =>
  `@fontsource/${family}/files/${family}-${part}-${WEIGHTS[weight]}-normal.woff`;
const noto = (weight: Weight): string[] => [
  ...SCRIPTS.map((script) => fileOf('noto-sans', script, weight)),
  ...['arabic', 'hebrew'].map((script) => fileOf(`noto-sans-${script}`, script, weight)),
  fileOf('noto-emoji', 'emoji', weight),
];
const UNIFONT = '@fontsource/unifont/files/unifont-latin-400-normal.woff';
/** The order in which the fonts are searched for a character. Unifont has one weight. */
const FILES: Readonly<Record<Weight, readonly string[]>> = {
  regular: [...noto('regular'), UNIFONT],
  bold: [...noto('bold'), UNIFONT],
};

/** Fonts whose letters, digits and spaces are used only where no other font has them: those of emoji are too wide. */
const LAST = /unifont|emoji/;

const REPLACEMENT = '\uFFFD';
const opened = new Map<string, Face>();

/**
 * fontkit caches the first glyph of an id with the characters that it stood for. A glyph stands for several: a letter
 * with a dot is composed of the letter without. So a glyph that is requested for other characters is copied, and one
 * that is requested without characters gets those of the font. Otherwise later PDFs of the process would show Arabic
 * letters that do not join, and full stops that screen readers and search do not find.
 */
function keepCharacters(font: fontkit.Font): void {
  const make = font.getGlyph.bind(font);
  const known = new Set<number>();
  font.getGlyph = (id, characters) => {
    const own = known.has(id)
      ? characters
      : (characters ?? Array.from(font.stringsForGlyph(id)[0] ?? '', (one) => one.codePointAt(0) ?? 0));
    known.add(id);
    const glyph = make(id, own);
    if (own === undefined || isDeepStrictEqual(glyph.codePoints, own)) return glyph;
    return Object.assign(Object.create(Object.getPrototypeOf(glyph) as object), glyph, { codePoints: own });
  };
}

/** Most cached layouts of a font. The fixed texts of a form repeat in every document. */
const LAYOUTS_MAX = 2_000;

/** The PDF library passes features on unchanged; these two tell the cached layout the direction. */
const NO_FEATURES: Readonly<Record<Direction, string[]>> = { ltr: [], rtl: [] };
export const featuresOf = ({ direction }: TextRun): string[] | undefined =>
  direction === undefined ? undefined : NO_FEATURES[direction];

/**
 * Lays a text out. fontkit fails on a mark whose base has no place for it, which fonts may have; the marks of such a text
 * stand where the font puts them by default.
 */
function shaped(layout: fontkit.Font['layout'], text: string, direction?: Direction): fontkit.GlyphRun {
  try {
    return layout(text, undefined, undefined, undefined, direction);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return layout(text, { mark: false, mkmk: false }, undefined, undefined, direction);
  }
}

/**
 * Caches the layout of texts: layout takes most of the time of a document, and measuring a text lays it out too. Each
 * caller gets a copy of the positions, because the PDF library scales them in place.
 */
function keepLayouts(font: fontkit.Font): void {
  const layout = font.layout.bind(font);
  const known = new LRUCache<string, fontkit.GlyphRun>({ max: LAYOUTS_MAX });
  font.layout = (text, features, ...rest) => {
    const isRtl = features === NO_FEATURES.rtl;
    const isPlain = features === undefined || isRtl || features === NO_FEATURES.ltr;
    if (!isPlain || rest.some((one) => one !== undefined)) return layout(text, features, ...rest);
    const direction = features === undefined ? undefined : isRtl ? 'rtl' : 'ltr';
    const key = `${direction ?? ''} ${text}`;
    const run = known.get(key) ?? shaped(layout, text, direction);
    known.set(key, run);
    const positions = run.positions.map((position) => ({ ...position }));
    return Object.assign(Object.create(Object.getPrototypeOf(run) as object), run, { positions });
  };
}

function openFace(file: string): Face {
  const known = opened.get(file);
  if (known !== undefined) return known;
  const font = fonts().create(unwrapWoff(readFileSync(require.resolve(file))));
  if (!('layout' in font)) throw new Error(`${file} holds more than one font.`);
  keepCharacters(font);
  keepLayouts(font);
  const face = { name: file, font };
  opened.set(file, face);
  return face;
}

/** The face for a character. Marks, and most spaces, stay in the face before them, so they start no new run. */
function faceFor(character: string, weight: Weight, current: Face | undefined): Face | undefined {
  const code = character.codePointAt(0) ?? 0;
  const stays = !LAST.test(current?.name ?? '') || !/[\p{L}\p{N} ]/u.test(character);
  if (stays && current?.font.hasGlyphForCodePoint(code)) return current;
  for (const file of FILES[weight]) {
    const face = openFace(file);
    if (face.font.hasGlyphForCodePoint(code)) return face;
  }
  return undefined;
}

/** Joiners, direction marks and the like. One of them keeps Persian letters apart, and stays between such letters. */
const INVISIBLE =
  /(?!\u200c)\p{Cf}|(?<!\p{Script=Arabic})\u200c|\u200c(?!\p{Script=Arabic})|\p{Variation_Selector}|\p{Emoji_Modifier}/gu;

/** Marks that fonts draw above or below one another, and how many of them a letter may have in a name. */
const STACKED = /[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Cyrillic}]/u;
const STACKED_MAX = 2;
/** A letter of Myanmar may have so many. */
const MARKS_MAX = 6;

/** The marks of a letter without those that repeat one, and without a tower that covers the lines above or below. */
function fewMarks(marks: string): string {
  let stacked = 0;
  const kept = [...new Set(marks)].filter((mark) => !STACKED.test(mark) || ++stacked <= STACKED_MAX);
  return kept.slice(0, MARKS_MAX).join('');
}

/**
 * The printable form of a text: composed (NFC), control characters and line ends as spaces, invisible ones removed, and
 * few marks on a letter.
 */
export function printable(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/\p{Cc}+|\p{Zl}|\p{Zp}/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/\p{M}{2,}/gu, fewMarks)
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/**
 * Drawn below a mark that begins a run, because no letter of its face precedes it. Some fonts draw a mark to the left of
 * its place, so a mark alone at the start of a line would leave the paper.
 */
const DOTTED_CIRCLE = '\u25cc';

/** Splits a piece into runs of one face each, in the order of reading. */
function facesOf({ text, ...piece }: Piece, weight: Weight): TextRun[] {
  const runs: { face: Face; text: string }[] = [];
  for (const character of text) {
    const last = runs.at(-1);
    const face = faceFor(character, weight, last?.face);
    if (face === undefined && last?.text.endsWith(REPLACEMENT)) continue;
    const used = face ?? faceFor(REPLACEMENT, weight, last?.face);
    if (used === undefined) continue;
    const shown = face === undefined ? REPLACEMENT : character;
    if (last?.face === used) last.text += shown;
    else if (/\p{M}/u.test(shown) && used.font.hasGlyphForCodePoint(DOTTED_CIRCLE.charCodeAt(0)))
      runs.push({ ...piece, face: used, text: DOTTED_CIRCLE + shown });
    else runs.push({ ...piece, face: used, text: shown });
  }
  return piece.direction === 'rtl' ? runs.reverse() : runs;
}

/**
 * Splits a line into runs of one face and direction each, from left to right. A sequence that no face has becomes one
 * U+FFFD.
 *
 * @param base the direction of the paragraph, if it is not that of the line's first letter
 */
export const runsOf = (text: string, weight: Weight, base?: Direction): TextRun[] =>
  piecesOf(text, base).flatMap((piece) => facesOf(piece, weight));

/** The glyphs of a run and their places, from left to right. */
export const layoutOf = (run: TextRun): fontkit.GlyphRun => run.face.font.layout(run.text, featuresOf(run));

/** Width of a run at a size, in the unit of the size. */
export function runWidth(run: TextRun, size: number): number {
  return (layoutOf(run).advanceWidth / run.face.font.unitsPerEm) * size;
}

/** Width of a text at a size, in the unit of the size. */
export function textWidth(text: string, size: number, weight: Weight): number {
  return runsOf(text, weight).reduce((sum, run) => sum + runWidth(run, size), 0);
}
