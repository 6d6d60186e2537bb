import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/support/any-text.ts';
import { guardCell, unguardCell } from './formula-guard.ts';

test.each(['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠', "'"])(
  'a text beginning with %j gets one apostrophe',
  (first) => {
    expect(guardCell(`${first}SUM(A1)`)).toBe(`'${first}SUM(A1)`);
  },
);

test('other texts stay as they are', () => {
  for (const text of ['', 'a=b', ' =1', '5-6', 'O’Neill', "it's"]) expect(guardCell(text)).toBe(text);
});

test('an apostrophe before anything else is content', () => {
  expect(unguardCell("'9312345678901")).toBe("'9312345678901");
  expect(unguardCell("'")).toBe("'");
});

test('a guarded text can always be restored, and never begins like a formula', () => {
  const risky = fc
    .array(fc.constantFrom("'", '=', '-', '＋', 'a', '\t', '\n'), { maxLength: 5 })
    .map((c) => c.join(''));
  fc.assert(
    fc.property(fc.oneof(risky, fc.string(), anyText()), (text) => {
      expect(unguardCell(guardCell(text))).toBe(text);
      expect(guardCell(text)).not.toMatch(/^[=+\-@\t\r\n\0＝＋－＠]/);
    }),
    { numRuns: 1000 },
  );
});
