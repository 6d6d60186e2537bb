import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { checkAbn, isValidAcn, normaliseBusinessNumber } from './abn.ts';

const VALID = [
  '51824753556',
  '50008559486',
  '41687119230',
  '26331428522',
  '86768265615',
  '28864970579',
  '88000014675',
  '28008984049',
  '48123123124',
  '16009661901',
  '33007457141',
  '64086174781',
  '11004089936',
  '26008672179',
  '53102443916',
  '12620650553',
] as const;

describe('checkAbn', () => {
  it.each(VALID)('accepts the registered number %s', (abn) => {
    expect(checkAbn(abn)).toMatchObject({ normalised: abn, format_valid: true, checksum_valid: true });
  });

  it.each(['12345678901', '11111111111'])('finds the checksum of %s wrong', (abn) => {
    expect(checkAbn(abn)).toMatchObject({ format_valid: true, checksum_valid: false, acn: null });
  });

  it.each([
    '00000000000',
    '01824753556',
    '5182475355',
    '518247535566',
    '',
    'abc',
    '5182475355x',
    '5182475355.6',
  ])('finds the form of %j wrong and its checksum therefore not valid', (abn) => {
    expect(checkAbn(abn)).toMatchObject({ format_valid: false, checksum_valid: false });
  });

  it.each(['51 824 753 556', '51-824-753-556', ' 51\u00a0824 753\u2011556\u200b'])(
    'reads %j without its separators',
    (abn) => {
      expect(checkAbn(abn)).toMatchObject({ normalised: '51824753556', checksum_valid: true });
    },
  );

  it('catches every single wrong digit and every swap of neighbours', () => {
    for (const abn of VALID) {
      for (let index = 0; index < abn.length; index += 1) {
        for (const digit of '0123456789') {
          if (digit === abn[index]) continue;
          const wrong = abn.slice(0, index) + digit + abn.slice(index + 1);
          expect(checkAbn(wrong).checksum_valid, wrong).toBe(false);
        }
        const [left, right] = [abn[index], abn[index + 1]];
        if (right === undefined || left === right) continue;
        const swapped = `${abn.slice(0, index)}${right}${left}${abn.slice(index + 2)}`;
        expect(checkAbn(swapped).checksum_valid, swapped).toBe(false);
      }
    }
  });

  it('shows the ACN inside a company ABN and none inside a government one', () => {
    expect(checkAbn('88000014675').acn).toBe('000014675');
    expect(checkAbn('51824753556').acn).toBeNull();
  });

  it('recognises an ACN that was given in place of an ABN', () => {
    expect(checkAbn('000 014 675')).toMatchObject({ format_valid: false, hint: 'acn_given' });
    expect(checkAbn('000 014 676').hint).toBeNull();
    expect(checkAbn('88000014675').hint).toBeNull();
  });

  it('never throws, and calls no number valid that has a wrong form', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (text) => {
        const check = checkAbn(text);
        expect(check.format_valid || !check.checksum_valid).toBe(true);
        expect(normaliseBusinessNumber(check.normalised)).toBe(check.normalised);
      }),
    );
  });
});

describe('isValidAcn', () => {
  it('accepts numbers of the register and refuses other digits and lengths', () => {
    for (const acn of ['004085616', '010499966', '008672179']) expect(isValidAcn(acn), acn).toBe(true);
    for (const acn of ['004085617', '00408561', '0040856166', '00408561a'])
      expect(isValidAcn(acn)).toBe(false);
  });
});
