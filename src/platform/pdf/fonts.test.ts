import { expect, test } from 'vitest';
import { drawBits } from './draw-png.ts';
import { printable, runsOf } from './fonts.ts';

test.each([
  ['ä', '\u00a8'],
  ['ñ', '\u02dc'],
  ['â', '\u02c6'],
])('after the outlines of %s were read, its part %s still has its character', (whole, part) => {
  const font = runsOf(whole, 'bold')[0]?.face.font;
  for (const { path } of font?.layout(whole).glyphs ?? []) expect(path.commands.length).toBeGreaterThan(0);
  expect(font?.layout(part).glyphs.map(({ codePoints }) => codePoints)).toEqual([[part.codePointAt(0)]]);
});

test.each([
  ['of Latin', `K${'\u0300\u0301\u0302\u0303\u0304\u0316\u0317\u0318'.repeat(20)}`],
  ['of symbols', '1\u20d0\u20d1\u20d2\u20d7\u20db\u20e1\u0489'],
  ['of Arabic', `ب${'\u0610\u0611\u0612\u0613\u064e\u0651\u0670'.repeat(5)}`],
  ['of Thai', `ก${'\u0e49'.repeat(30)}`],
  ['with joiners between', `a${'\u0301\u200d'.repeat(30)}`],
])('a tower of marks %s does not leave its line', async (_what, text) => {
  const size = 40;
  const y = 300;
  const item = { kind: 'text', x: 100, y, text: printable(text), size, weight: 'bold', role: 'P' } as const;
  const { data, bytesPerRow } = await drawBits({ width: 400, height: 600, items: [item] });
  const rows = [...data.keys()].filter((at) => data[at] !== 0).map((at) => Math.floor(at / bytesPerRow));
  expect(Math.min(...rows)).toBeGreaterThan(y - 1.5 * size);
  expect(Math.max(...rows)).toBeLessThan(y + size);
});

test.each(['Nguyễn Thị Hồng', 'שַׁבָּת', 'مُحَمَّد', 'ก๊วยเตี๋ยวน้ำใส่ผัก', 'क्षत्रिय', 'བསྒྲུབས', 'ကြွှေ့', 'x\u0302\u0323'])(
  'the marks of %s stay',
  (text) => {
    expect(printable(text)).toBe(text.normalize('NFC'));
  },
);
