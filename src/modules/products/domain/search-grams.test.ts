import { expect, test } from 'vitest';
import { searchWords } from '../../../kernel/fold-text.ts';
import { addBuckets, bucketsOfWords } from './search-grams.ts';

const bucketsOfText = (text: string): Set<number> => {
  const buckets = new Set<number>();
  addBuckets(buckets, text);
  return buckets;
};

test('words are folded, and there are no more than ten', () => {
  expect(searchWords('  CAFÉ  mug ')).toEqual(['cafe', 'mug']);
  expect(searchWords('a b c d e f g h i j k l')).toHaveLength(10);
  expect(searchWords(undefined)).toEqual([]);
});

test('a word is found by its longest grams', () => {
  expect(bucketsOfWords(['x'])).toHaveLength(1);
  expect(bucketsOfWords(['11', 'mug'])).toHaveLength(2);
  expect(bucketsOfWords(['mugs'])).toHaveLength(2);
  expect(bucketsOfWords(['stone'])).toHaveLength(1);
});

test('a text has the buckets of each of its parts', () => {
  const text = 'sku-0250000 stoneware mug 日本語';
  const buckets = bucketsOfText(text);
  for (let from = 0; from < text.length; from += 1)
    for (let to = from + 1; to <= text.length; to += 1)
      for (const bucket of bucketsOfWords(searchWords(text.slice(from, to))))
        expect(buckets.has(bucket), text.slice(from, to)).toBe(true);
});
