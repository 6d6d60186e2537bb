import { expect, test } from 'vitest';
import { nearMiss } from './near-miss.ts';

const PRODUCT = ['seller_sku', 'title', 'price_minor', 'compare_at_minor', 'quantity_on_hand', 'images'];

test.each([
  ['sellerSku', 'seller_sku'],
  ['Seller-SKU', 'seller_sku'],
  ['titel', 'title'],
  ['tilte', 'title'],
  ['price', 'price_minor'],
  ['quantity', 'quantity_on_hand'],
  ['compare_at', 'compare_at_minor'],
  ['compare_at_price', 'compare_at_minor'],
  ['colour', undefined],
  ['x'.repeat(10_000), undefined],
  ['', undefined],
])('%.20s most likely means %s', (given, meant) => {
  expect(nearMiss(given, PRODUCT)).toBe(meant);
});

test('a parameter with another ending of the same word', () => {
  expect(nearMiss('placed_after', ['status', 'placed_from', 'placed_to'])).toBe('placed_from');
});
