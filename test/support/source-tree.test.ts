import { expect, test } from 'vitest';
import { splitSource } from './source-tree.ts';

const codeOf = (text: string): string => splitSource(text).code.replaceAll(/\s+/g, ' ').trim();

test('comments and texts are no code, and lines stay where they are', () => {
  const source =
    "const a = 1; // any\n/* any\n any */ const b = 'any';\nconst c = `any $any{any + `any`} any`;";
  const template = source.replace('$any', '$');
  expect(codeOf(template)).toBe("const a = 1; const b = ' '; const c = ` `;");
  expect(splitSource(template).code.split('\n')).toHaveLength(4);
  expect(splitSource(template).literals).toEqual(['any', ['any $', '{any + `any`} any'].join('')]);
});

test('a regular expression is no division, and a division is no regular expression', () => {
  expect(codeOf('const a = /["\'`/*]/.test(b); c()')).toBe('const a = .test(b); c()');
  expect(codeOf('const a = b / c; const d = e / f;')).toBe('const a = b / c; const d = e / f;');
  expect(codeOf('return /[/]/u.exec(x)')).toBe('return u.exec(x)');
});

test('escaped quotes do not end a text', () => {
  expect(codeOf('f(\'it\\\'s\', "\\""); g()')).toBe('f(\' \', " "); g()');
});
