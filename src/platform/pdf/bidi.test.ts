/** Scripts from right to left, joined letters and emoji, as they are drawn. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { piecesOf } from './bidi.ts';
import { drawPdf } from './draw-pdf.ts';
import { drawBits } from './draw-png.ts';
import { drawZpl } from './draw-zpl.ts';
import type { TextItem } from './drawing.ts';
import { layoutOf, printable, runsOf, textWidth } from './fonts.ts';
import { textItems } from './place-text.ts';

/** The characters of a line from left to right, as its glyphs show them. */
const drawn = (text: string, base?: 'ltr' | 'rtl'): string =>
  runsOf(text, 'regular', base)
    .flatMap((run) => layoutOf(run).glyphs)
    .map(({ codePoints }) => String.fromCodePoint(...codePoints))
    .join('');
const reversed = (text: string): string => [...text].reverse().join('');
const fileOf = (name: string | undefined): string => name?.split('/').at(-1) ?? '';

describe('a line', () => {
  test.each([
    ['Hebrew', 'שרה כהן', reversed('שרה כהן')],
    ['Hebrew with a number', 'הרצל 12', `12 ${reversed('הרצל')}`],
    ['brackets, which open to the other side', 'שרה (כהן)', `(${reversed('כהן')}) ${reversed('שרה')}`],
    ['Latin before Hebrew', 'Unit 4, רחוב', `Unit 4, ${reversed('רחוב')}`],
    ['Hebrew before Latin', 'רחוב Herzl 4', `Herzl 4 ${reversed('רחוב')}`],
    ['Persian digits', '۱۲', '۱۲'],
    ['Hebrew, emoji and Latin', 'שרה 🎁🐶 Herzl', `Herzl 🐶🎁 ${reversed('שרה')}`],
    ['Latin, emoji and Hebrew', 'Herzl 🎁🐶 שרה', `Herzl 🎁🐶 ${reversed('שרה')}`],
  ])('of %s is drawn in its visual order', (_, text, visual) => {
    expect(drawn(text)).toBe(visual);
  });

  test('without such letters is one piece, in no set direction', () => {
    expect(piecesOf('Unit 4 (rear), 王 नमस्ते')).toEqual([{ text: 'Unit 4 (rear), 王 नमस्ते' }]);
  });

  test('of a paragraph from right to left keeps its direction when it begins with a number or Latin', () => {
    expect(drawn('Herzl רחוב')).toBe(`Herzl ${reversed('רחוב')}`);
    expect(drawn('Herzl רחוב', 'rtl')).toBe(`${reversed('רחוב')} Herzl`);
    const [first, second] = textItems('רחוב הרצל Herzl Street 4', 0, {
      x: 0,
      width: 130,
      size: 24,
      lines: 3,
    });
    expect([first?.base, second?.base]).toEqual(['rtl', 'rtl']);
  });
});

test('Arabic letters join: their glyphs differ from those of the letters alone', () => {
  const glyphs = (text: string) => runsOf(text, 'regular').flatMap((run) => layoutOf(run).glyphs);
  const alone = [...'محمد'].map((letter) => glyphs(letter)[0]?.id);
  const joined = glyphs('محمد').map(({ id }) => id);
  expect(joined).toHaveLength(4);
  expect([...joined].reverse().filter((id, index) => id === alone[index])).toEqual([]);
});

test('letters keep their characters whatever was drawn before', () => {
  const characters = (text: string) =>
    runsOf(text, 'bold').flatMap((run) =>
      layoutOf(run).glyphs.flatMap((glyph) => (glyph.path.toSVG() === '' ? [] : glyph.codePoints)),
    );
  // These letters are drawn as the letters below with a dot.
  characters('ج خ جج');
  expect(String.fromCodePoint(...characters('محمود').reverse())).toBe('محمود');
});

test('letters from right to left and emoji have fonts of their own, in both weights', () => {
  for (const weight of ['regular', 'bold'] as const) {
    const files = runsOf('Zoë محمد שרה 🎁 No 5', weight, 'ltr').map(({ face }) =>
      fileOf(face.name).replace(/-(400|700)-normal.woff$/, ''),
    );
    expect(new Set(files)).toEqual(
      new Set(['noto-sans-latin', 'noto-sans-arabic-arabic', 'noto-sans-hebrew-hebrew', 'noto-emoji-emoji']),
    );
    expect(files.at(-1)).toBe('noto-sans-latin');
  }
});

test('an emoji of several parts is drawn as its parts, without replacement', () => {
  const shown = printable('👨‍👩‍👧 👍🏽 ❤️');
  expect(shown).toBe('👨👩👧 👍 ❤');
  expect(drawn(shown)).toBe(shown);
});

test('a space after an emoji is as wide as one between words', () => {
  const width = (text: string): number => textWidth(text, 10, 'bold');
  expect(width('🐶 Dog')).toBeCloseTo(width('🐶') + width('a Dog') - width('a'), 1);
});

test('a joiner that keeps Persian letters apart stays, others go', () => {
  expect(printable('می\u200cخواهم')).toBe('می\u200cخواهم');
  expect(printable('a\u200cb \u200cم')).toBe('ab م');
});

test('marks without a base, or with one that has no place for them, are drawn', () => {
  const marks = fc.array(
    fc.oneof(
      fc.integer({ min: 0x300, max: 0x36f }),
      fc.integer({ min: 0x590, max: 0x6ff }),
      fc.integer({ min: 0x900, max: 0x97f }),
      fc.integer({ min: 0x61, max: 0x7a }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(marks, (codes) => {
      expect(() => drawn(printable(String.fromCodePoint(...codes)))).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('every format draws such texts', async () => {
  const text = 'محمد (Mo) שרה 12 🎁';
  const item: TextItem = { kind: 'text', x: 10, y: 60, text, size: 40, weight: 'bold', role: 'P' };
  const page = { width: 800, height: 100, items: [item] };
  const { data } = await drawBits(page);
  expect(data.some((byte) => byte !== 0)).toBe(true);
  expect((await drawZpl(page)).toString()).toContain('^GFA');
  const pdf = (await drawPdf([page], { title: 'Test', madeAt: 0 })).toString('latin1');
  expect(pdf).toContain('/ActualText');
  const again = (await drawPdf([page], { title: 'Test', madeAt: 0 })).toString('latin1');
  expect(again).toBe(pdf);
});
