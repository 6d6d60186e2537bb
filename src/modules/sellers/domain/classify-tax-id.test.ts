import { expect, test } from 'vitest';
import { classifyTaxId } from './classify-tax-id.ts';

test.each([
  ['51824753556', 'abn_valid'],
  ['51824753557', 'abn_invalid'],
  ['01824753556', 'abn_invalid'],
  ['00000000000', 'abn_invalid'],
  ['004085616', 'not_abn'],
  ['7', 'not_abn'],
  ['12345678901234567890', 'not_abn'],
])('%s is %s', (taxId, check) => {
  expect(classifyTaxId(taxId)).toBe(check);
});
