import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBrand, foldMpn } from './fold.ts';

describe('foldMpn', () => {
  it.each(['AB-12_3/4.5', 'ab 12345', 'AB\u00a012345', 'ＡＢ１２３４５', 'ab\u201112345'])(
    'reads %j as ab12345',
    (mpn) => {
      expect(foldMpn(mpn)).toBe('ab12345');
    },
  );

  it('keeps leading zeros and everything that is not a separator', () => {
    expect(foldMpn('007')).toBe('007');
    expect(foldMpn('7')).not.toBe(foldMpn('007'));
    expect(foldMpn('A+B')).toBe('a+b');
  });
});

describe('foldBrand', () => {
  it.each(['Bosch', ' BOSCH ', 'bosch®', 'Bosch™'])('reads %j as bosch', (brand) => {
    expect(foldBrand(brand)).toBe('bosch');
  });

  it('collapses blanks and folds case beyond ASCII', () => {
    expect(foldBrand('Große\u00a0 Straße')).toBe('grosse strasse');
    expect(foldBrand('GROSSE STRASSE')).toBe('grosse strasse');
  });
});

describe('folding', () => {
  it('is idempotent and blind to case for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        for (const fold of [foldMpn, foldBrand]) {
          const folded = fold(text);
          expect(fold(folded)).toBe(folded);
        }
        expect(foldMpn(text.toUpperCase())).toBe(foldMpn(text));
      }),
      { numRuns: 500 },
    );
  });
});
