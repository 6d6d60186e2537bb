import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AU_STATES, type AuState, isAuPostcode, postcodeInState } from './postcode.ts';

test.each<[string, AuState]>([
  ['2000', 'NSW'],
  ['2600', 'ACT'],
  ['2620', 'NSW'],
  ['2620', 'ACT'],
  ['0200', 'ACT'],
  ['0800', 'NT'],
  ['0872', 'SA'],
  ['0872', 'WA'],
  ['3707', 'NSW'],
  ['3000', 'VIC'],
  ['8001', 'VIC'],
  ['4000', 'QLD'],
  ['9726', 'QLD'],
  ['6799', 'WA'],
  ['7000', 'TAS'],
])('%s is in %s', (postcode, state) => {
  expect(postcodeInState(postcode, state)).toBe(true);
});

test.each<[string, AuState]>([
  ['2000', 'VIC'],
  ['3000', 'NSW'],
  ['2600', 'NSW'],
  ['0800', 'QLD'],
  ['0000', 'NSW'],
  ['0100', 'ACT'],
])('%s is not in %s', (postcode, state) => {
  expect(postcodeInState(postcode, state)).toBe(false);
});

test.each(['200', '20000', 'abcd', ' 2000', '２０００', ''])('%j is no postcode', (text) => {
  expect(isAuPostcode(text)).toBe(false);
});

test('a code of the ordinary ranges belongs to a state, and never to all of them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 9999 }), (value) => {
      const states = AU_STATES.filter((state) => postcodeInState(String(value), state));
      expect(states.length).toBeGreaterThan(0);
      expect(states.length).toBeLessThan(4);
    }),
  );
});
