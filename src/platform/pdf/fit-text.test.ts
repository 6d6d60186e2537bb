import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { fitText } from './fit-text.ts';
import { printable, runsOf, textWidth } from './fonts.ts';

const BOX = { width: 400, lines: 2, weight: 'bold', size: 40, sizeMin: 20 } as const;

describe('a text in a box', () => {
  test('stays inside for any text', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      anyText({ maxLength: 80 }),
      fc.stringMatching(/^[A-Za-z ]{0,300}$/),
    );
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 3 }), (text, lines) => {
        const fitted = fitText(text, { ...BOX, lines });
        expect(fitted.lines.length).toBeLessThanOrEqual(lines);
        expect(fitted.size).toBeLessThanOrEqual(BOX.size);
        for (const line of fitted.lines)
          expect(textWidth(line, fitted.size, 'bold')).toBeLessThanOrEqual(BOX.width + 0.001);
      }),
      { numRuns: 150 },
    );
  });

  test('keeps size and words while they fit', () => {
    expect(fitText('Kim Lee', BOX)).toEqual({ size: 40, lines: ['Kim Lee'], isCut: false });
    const two = fitText('Alexandra Papadopoulou', BOX);
    expect(two.lines).toEqual(['Alexandra', 'Papadopoulou']);
  });

  test('breaks a wide word after its hyphen', () => {
    const { lines } = fitText('Wolfeschlegelstein-Featherstonehaugh', { ...BOX, sizeMin: 40 });
    expect(lines).toEqual(['Wolfeschlegelstein-', 'Featherstonehaugh']);
  });

  test('shrinks before it is cut, and ends with an ellipsis then', () => {
    const smaller = fitText('one two three four five six seven eight nine', BOX);
    expect(smaller.size).toBeLessThan(40);
    expect(smaller.lines.join(' ')).toBe('one two three four five six seven eight nine');
    const cut = fitText('word '.repeat(100), BOX);
    expect(cut.size).toBe(20);
    expect(cut.lines.at(-1)).toMatch(/…$/);
    const long = fitText('it '.repeat(200), { ...BOX, width: 4_000 });
    expect([long.lines.length, long.lines.at(-1)?.endsWith('it…')]).toEqual([1, true]);
  });

  test('that is cut keeps its tail', () => {
    const whole = { ...BOX, tail: '3053' };
    expect(fitText('Carlton VIC', whole)).toEqual({ size: 40, lines: ['Carlton VIC 3053'], isCut: false });
    const cut = fitText('word '.repeat(100), whole);
    expect(cut).toMatchObject({ size: 20, isCut: true });
    expect(cut.lines.at(-1)).toMatch(/… 3053$/);
  });

  test('has no line when it is empty', () => {
    expect(fitText(' \n\t ', BOX).lines).toEqual([]);
  });
});

describe('printable text', () => {
  test.each([
    ['a\r\n\tb', 'a b'],
    ['e\u0301', 'é'],
    ['a\u202Eb\u200Bc', 'abc'],
    ['  a  b ', 'a b'],
  ])('%j is %j', (given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  test('a mark without a letter of its face stands on a dotted circle', () => {
    const texts = (text: string) => runsOf(text, 'regular').map((run) => run.text);
    expect(texts('\ua9b3')).toEqual(['◌\ua9b3']);
    expect(texts('i\u09bf')).toEqual(['i', '◌\u09bf']);
    expect(texts('\u0995\u09bf')).toEqual(['\u0995\u09bf']);
  });

  test('letters use the face that has them, spaces the face before', () => {
    const faces = runsOf('Zoë Ελένη Юлия 王 5', 'bold').map(({ face, text }) => [
      face.name.split('/').at(-1),
      text,
    ]);
    expect(faces).toEqual([
      ['noto-sans-latin-700-normal.woff', 'Zoë '],
      ['noto-sans-greek-700-normal.woff', 'Ελένη '],
      ['noto-sans-cyrillic-700-normal.woff', 'Юлия '],
      ['unifont-latin-400-normal.woff', '王'],
      ['noto-sans-latin-700-normal.woff', ' 5'],
    ]);
  });
});
