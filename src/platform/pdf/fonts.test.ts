import { expect, test } from 'vitest';
import { runsOf } from './fonts.ts';

test.each([
  ['ä', '\u00a8'],
  ['ñ', '\u02dc'],
  ['â', '\u02c6'],
])('after the outlines of %s were read, its part %s still has its character', (whole, part) => {
  const font = runsOf(whole, 'bold')[0]?.face.font;
  for (const { path } of font?.layout(whole).glyphs ?? []) expect(path.commands.length).toBeGreaterThan(0);
  expect(font?.layout(part).glyphs.map(({ codePoints }) => codePoints)).toEqual([[part.codePointAt(0)]]);
});
