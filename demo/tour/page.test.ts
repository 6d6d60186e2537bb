/** docs/walk-through.md is a run of the tour as it is now, and each of its blocks can be pasted. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { excerptOf, firstLines } from './excerpt.ts';
import { pageOf } from './page.ts';
import { PARTS, withNeeded } from './parts.ts';

const PAGE = readFileSync(new URL('../../docs/walk-through.md', import.meta.url), 'utf8');
const steps = PARTS.flatMap((part) => part.steps.map((step) => ({ part, step })));
const blocks = (kind: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)\\n\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

test('the page is what the steps of the tour write; npm run tour -- --yes --write docs/walk-through.md', () => {
  const answers = blocks('text');
  expect(answers).toHaveLength(steps.length);
  expect(pageOf(steps.map((one, index) => ({ ...one, answer: answers[index] ?? '' })))).toBe(PAGE);
});

test('each answer of the page has every field that the step shows', () => {
  const missing = steps.flatMap(({ step }, index) =>
    ('show' in step ? (step.show ?? []) : [])
      .map((path) => path.split('.').at(-1) ?? '')
      .filter((name) => !blocks('text')[index]?.includes(`"${name}":`))
      .map((name) => `${step.title}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test.each(blocks('sh').map((block) => [block.split('\n', 1)[0], block] as const))(
  'can be pasted into bash and zsh: %s',
  (_, block) => {
    expect(block).not.toMatch(/^\s*#|\s#|!/m);
    const unquoted = block.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, '');
    // An open quote would swallow the next block. A pattern outside of quotes is an error in zsh when no file matches.
    expect(unquoted).not.toMatch(/['"`?*[]/);
  },
);

test('no part has a value that collides when the tour runs again', () => {
  const keys = steps.flatMap(({ step }) => ('key' in step ? [step.key ?? ''] : []));
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => !key.includes('$'))).toEqual([]);
});

test('a part comes with the parts whose values it needs', () => {
  expect(withNeeded('shipping').map(({ name }) => name)).toEqual([
    'start',
    'catalogue',
    'orders',
    'shipping',
  ]);
  expect(withNeeded('money').map(({ name }) => name)).toEqual(['money']);
  expect(withNeeded('other')).toEqual([]);
});

test('an excerpt has the named fields, three items of a list, and cut tokens', () => {
  const item = { id: 1, other: true, inner: { a: 1, b: 2 } };
  const answer = { data: [item, item, item, item], token: 'x'.repeat(100), page: {} };
  expect(excerptOf(answer, ['data.id', 'data.inner.b', 'token', 'absent'])).toBe(
    [
      '{',
      '  "data": [',
      ...Array<string>(3).fill('    { "id": 1, "inner": { "b": 2 } },'),
      '    …',
      '  ],',
      `  "token": "${'x'.repeat(20)}…"`,
      '}',
    ].join('\n'),
  );
  expect(excerptOf({ a: [1, null, 'b c'] })).toBe('{ "a": [1, null, "b c"] }');
  expect(firstLines(['a', 'b'.repeat(101), 'c', 'd', 'e', 'f', 'g', ''].join('\r\n'))).toBe(
    ['a', `${'b'.repeat(100)}…`, 'c', 'd', 'e', 'f', '…'].join('\n'),
  );
});
