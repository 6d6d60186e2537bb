import { describe, expect, test } from 'vitest';
import { auAddressProblems, deliveryPointOf, stateOfPostcode } from './address.ts';

describe('an Australian address', () => {
  test.each([
    [{ state: 'NSW', postcode: '2000', country: 'AU' }],
    [{ state: 'NT', postcode: '0800', country: 'AU' }],
    [{ state: null, postcode: 'SW1A 1AA', country: 'GB' }],
  ])('%j is in order', (address) => {
    expect(auAddressProblems(address, ['body', 'to'])).toEqual([]);
  });

  test.each([
    [{ state: 'VIC', postcode: '2000', country: 'AU' }, 'postcode', 'postcode_outside_state'],
    [{ state: 'NSW', postcode: '200', country: 'AU' }, 'postcode', 'string_pattern_mismatch'],
    [{ state: 'NSW', country: 'AU' }, 'postcode', 'string_pattern_mismatch'],
    [{ state: 'nsw', postcode: '2000', country: 'AU' }, 'state', 'enum'],
    [{ postcode: '2000', country: 'AU' }, 'state', 'enum'],
  ])('%j: names the field', (address, field, type) => {
    expect(auAddressProblems(address, ['body', 'to'])).toMatchObject([{ loc: ['body', 'to', field], type }]);
  });
});

test('an address without a state is told that it needs one', () => {
  const [problem] = auAddressProblems({ postcode: '2000', country: 'AU' }, []);
  expect(problem?.msg).toMatch(/needs a state, one of: ACT, NSW/);
});

test('the state of a postcode', () => {
  expect(['2000', '0872', '7000', '0200', '0000'].map(stateOfPostcode)).toEqual([
    'NSW',
    'NT',
    'TAS',
    'ACT',
    undefined,
  ]);
});

test.each([
  'PO Box 12',
  'P.O. Box 12',
  'p o box 12',
  'GPO Box 1777',
  'G.P.O. Box 5',
  'Post Office Box 9',
  'Locked Bag 3',
  'Private Bag 44',
  'Level 2, PO BOX 7',
  'PO Box12',
  'LPO Box 3',
  'CMB 14',
])('%s is a post-office box', (line) => {
  expect(deliveryPointOf([line])).toBe('po_box');
});

test.each(['Parcel Locker 10012 34567', 'PARCEL COLLECT 10123 45678', 'parcel  locker 1'])(
  '%s is a locker',
  (line) => {
    expect(deliveryPointOf([null, line])).toBe('parcel_locker');
  },
);

test.each([
  '12 Harbour Street',
  '1 Boxwood Avenue',
  'Depot 4, Po Street',
  '9 Parcel Road',
  '3 Bagot Lane',
  'Spo boxing gym',
])('%s is a street', (line) => {
  expect(deliveryPointOf([line, undefined])).toBe('street');
});

test('a long line is read in linear time', () => {
  expect(deliveryPointOf([`${'p '.repeat(50_000)}${'post '.repeat(50_000)}`])).toBe('street');
});
