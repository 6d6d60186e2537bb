import { expect, test } from 'vitest';
import { readShopDomain } from './shop-domain.ts';

test.each([
  ['mia-ceramics.myshopify.com', 'mia-ceramics.myshopify.com'],
  ['  Mia-Ceramics.MyShopify.com ', 'mia-ceramics.myshopify.com'],
  [`${'a'.repeat(60)}.myshopify.com`, `${'a'.repeat(60)}.myshopify.com`],
])('%j is a store', (text, shop) => {
  expect(readShopDomain(text)).toBe(shop);
});

test.each([
  '',
  'mia-ceramics',
  '.myshopify.com',
  '-a.myshopify.com',
  'a_b.myshopify.com',
  'a.b.myshopify.com',
  'a.myshopify.com.evil.com',
  'a.myshopify.com/',
  'a.myshopify.com/..',
  'a.myshopify.com?x',
  'a.myshopify.com#x',
  'a.myshopify.com:443',
  'https://a.myshopify.com',
  'user@a.myshopify.com',
  'a.myshopify.com\n',
  '\ta.myshopify.com',
  'a\n.myshopify.com',
  'a.myshopify.com\u0000',
  'ａ.myshopify.com',
  '\u212Aa.myshopify.com',
  'а.myshopify.com',
  'a。myshopify.com',
  'a.shopify.com',
  `${'a'.repeat(61)}.myshopify.com`,
])('%j is no store', (text) => {
  expect(readShopDomain(text)).toBeUndefined();
});
