import { expect, test } from 'vitest';
import { businessNumbers, verdictOf } from './business-numbers.ts';

const active = { status: 'found', abn_status: 'active', acn: '004085616' } as const;
const match = (score: number) => ({ score, business_name: 'A', register_name: 'B' });

test.each([
  ['the same name', active, match(80), null, 'verified'],
  ['another name', active, match(79), null, 'mismatch'],
  ['no name in the register', active, null, null, 'mismatch'],
  ['another name and the same company number', active, match(0), '004085616', 'verified'],
  ['another company number', active, match(0), '008672179', 'mismatch'],
  ['a register without a company number', { ...active, acn: null }, match(0), null, 'mismatch'],
  ['a cancelled number', { ...active, abn_status: 'cancelled' }, match(100), '004085616', 'inactive'],
  ['a number whose state is not known', { ...active, abn_status: null }, match(100), null, 'inactive'],
  ['an unknown number', { ...active, status: 'not_found' }, null, null, 'not_found'],
  ['a silent register', { ...active, status: 'unavailable' }, null, null, 'unknown'],
  ['a register that was not asked', { ...active, status: 'not_checked' }, null, null, 'unknown'],
] as const)('%s', (_what, register, name, acn, verdict) => {
  expect(verdictOf(register, name, acn)).toBe(verdict);
});

test('what the seller sets comes before its registration', () => {
  const row = {
    business_name: 'Shop',
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
    business: {},
  } as const;
  expect(businessNumbers(row)).toEqual({ abn: '51824753556', acn: null, name: 'Shop' });
  const business = { abn: '53004085616', acn: '004085616', legal_name: 'Shop Pty Ltd' };
  expect(businessNumbers({ ...row, business })).toEqual({
    abn: '53004085616',
    acn: '004085616',
    name: 'Shop Pty Ltd',
  });
  expect(businessNumbers({ ...row, tax_id_check: 'not_abn' }).abn).toBeNull();
});
