import { describe, expect, it } from 'vitest';
import { isGenericBrand, isPlaceholder, statesAbsence } from './placeholders.ts';

describe('placeholders', () => {
  it.each([
    'Does not apply',
    'DOES NOT APPLY.',
    "doesn't apply",
    'n/a',
    'N.A.',
    '#N/A',
    '#NAME?',
    'na',
    'None',
    'null',
    'NIL',
    'NaN',
    'unknown',
    'no',
    '-',
    '.',
    '0',
    'TBC',
    'tba',
    'nicht zutreffend',
    'Non applicable',
    'non applicabile',
    'No aplicable',
    'niet van toepassing',
    'GTIN exempt',
    '\u00a0n/a\u00a0',
  ])('%j is a placeholder', (text) => {
    expect(isPlaceholder(text)).toBe(true);
  });

  it.each(['NX-100', '00', '9312345678907', 'Apply', 'Nano', 'Bosch', 'name'])(
    '%j is not a placeholder',
    (text) => {
      expect(isPlaceholder(text)).toBe(false);
    },
  );

  it('only some placeholders state that there is no identifier', () => {
    for (const text of ['Does not apply', 'Nicht zutreffend', 'GTIN exempt'])
      expect(statesAbsence(text)).toBe(true);
    for (const text of ['n/a', '', '-', 'unknown', '0']) expect(statesAbsence(text), text).toBe(false);
  });

  it('a generic brand is recognised', () => {
    for (const brand of ['generic', 'Unbranded', 'NO BRAND', 'n/a', 'No-Name', 'Markenlos']) {
      expect(isGenericBrand(brand), brand).toBe(true);
    }
    for (const brand of ['Bosch', 'General', 'Generic Parts Co']) expect(isGenericBrand(brand)).toBe(false);
  });
});
