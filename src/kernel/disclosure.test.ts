import { expect, test } from 'vitest';
import { namesSomebody } from './disclosure.ts';

test.each([
  'mia.chen@example.com',
  'order of mia@example.com.au mug',
  '0412 345 678',
  '+61 2-9999-1234',
  '1 2 3 4 5 6 7',
  '12 harbour street sydney 2000',
  '3/12a old south head rd, bondi 2026',
  '2000 sydney 12 harbour st',
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
