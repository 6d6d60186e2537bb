import { expect, test } from 'vitest';
import {
  contributorsBand,
  isPublishable,
  namesSomebody,
  ofEnoughBuyers,
  publishedIndex,
  publishedPrice,
} from './disclosure.ts';

test.each([
  'mia.chen@example.com',
  'order of mia@example.com.au mug',
  '0412 345 678',
  '+61 2-9999-1234',
  '1 2 3 4 5 6 7',
  '12 harbour street sydney 2000',
  '3/12a old south head rd, bondi 2026',
  '2000 sydney 12 harbour st',
  '0412\u200b345\u00ad678',
  '0412\ufe0f345\ufe0f678',
  '0412\u034f345\u3164678',
  '0\ufe0f\u20e34\ufe0f\u20e31\ufe0f\u20e32345678',
  '0412\u2212345\u2212678',
  'mia\u00ad@example.com',
  '12 harbour str\u00adeet 2000',
  '5 circular quay, sydney 2000',
])('%s may say who searched', (text) => {
  expect(namesSomebody(text)).toBe(true);
});

test.each([
  'blue mug',
  'mug 350 ml',
  'mug @ home',
  'street lamp 2000',
  '12 seater table',
  '1200 street sign',
  'iphone 15 case 128 gb',
  'st kilda 3182',
])('%s does not', (text) => {
  expect(namesSomebody(text)).toBe(false);
});

test('a cell needs ten contributors, of which none holds more than 40 %', () => {
  expect(isPublishable({ contributors: 10, largest_share_bps: 4_000 })).toBe(true);
  expect(isPublishable({ contributors: 9, largest_share_bps: 1_000 })).toBe(false);
  expect(isPublishable({ contributors: 500, largest_share_bps: 4_001 })).toBe(false);
});

test('published values are rounded half up, and contributors are a band', () => {
  expect([2_250, 2_574, 2_946, 2_575, 0].map(publishedPrice)).toEqual([2_250, 2_550, 2_950, 2_600, 0]);
  expect([112, 113, 100].map(publishedIndex)).toEqual([110, 115, 100]);
  expect([9, 10, 19, 20, 49, 50, 199, 200].map(contributorsBand)).toEqual([
    ...[null, '10-19', '10-19', '20-49', '20-49', '50-199', '50-199', '200+'],
  ]);
});

test('figures of fewer than five buyers are null', () => {
  expect([ofEnoughBuyers(4, 1), ofEnoughBuyers(5, 1)]).toEqual([null, 1]);
});
