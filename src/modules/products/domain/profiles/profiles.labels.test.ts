import { expect, test } from 'vitest';
import type { RowMessage } from '../row.ts';
import { readAuctionCondition } from './auction/values.ts';
import { readListingCondition } from './marketplace/values.ts';
import { PROFILES } from './profiles.ts';

test('findings about pictures of a handmade listing name the column of the file', () => {
  const header = ['TITLE', 'PRICE', 'CURRENCY_CODE', 'IMAGE2', 'IMAGE1'];
  expect(PROFILES.handmade_listings.labels(header).fields.images).toBe('IMAGE1');
  expect(PROFILES.handmade_listings.labels(header.slice(0, 3)).fields.images).toBe('image_urls');
});

test.each([
  ['marketplace', readListingCondition, '11'],
  ['auction', readAuctionCondition, '3000'],
] as const)('an unknown condition of a %s file says which are known', (_file, read, known) => {
  const messages: RowMessage[] = [];
  expect(read('9999', { column: 'condition', messages })).toBeUndefined();
  expect(messages[0]?.expected?.split(', ')).toContain(known);
});
