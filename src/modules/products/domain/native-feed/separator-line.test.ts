import { expect, test } from 'vitest';
import { isSeparatorLine } from './separator-line.ts';

test.each([[['sep=;']], [['sep=', '']], [['SEP=,']], [[' sep=| ']], [['sep=']]])(
  '%j is a separator line',
  (cells) => {
    expect(isSeparatorLine(cells)).toBe(true);
  },
);

test.each([
  [[]],
  [['seller_sku']],
  [['sep=;;']],
  [['sep=', 'title']],
  [['sep=', '', '']],
  [['x', 'sep=;']],
  [['sep']],
])('%j is not a separator line', (cells) => {
  expect(isSeparatorLine(cells)).toBe(false);
});
