import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/support/any-text.ts';
import { expandUpcE, type Gtin, type GtinRefusal, normaliseGtinText, parseGtin } from './gtin.ts';
import { gtinCheckDigit, hasValidCheckDigit, isbn10CheckDigit } from './gtin-check-digit.ts';

function withCheck(body: string): string {
  return body + gtinCheckDigit(body);
}

function codeOf(result: Gtin | GtinRefusal): string {
  return result.ok ? 'ok' : result.code;
}

/** Digits of a given count, as text. */
function digits(count: number): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: count, maxLength: count })
    .map((list) => list.join(''));
}

describe('parseGtin accepts', () => {
  it.each([
    ['9312345678907', 'GTIN-13', '09312345678907'],
    ['036000291452', 'GTIN-12', '00036000291452'],
    ['40170725', 'GTIN-8', '00000040170725'],
    ['09312345678907', 'GTIN-14', '09312345678907'],
    ['0-306-40615-2', 'ISBN-10', '09780306406157'],
    ['080442957X', 'ISBN-10', '09780804429573'],
    ['080442957x', 'ISBN-10', '09780804429573'],
    ['978-0-306-40615-7', 'ISBN-13', '09780306406157'],
    ['9790060115615', 'GTIN-13', '09790060115615'],
    ['04252614', 'UPC-E', '00042100005264'],
  ])('%s as %s', (text, scheme, gtin14) => {
    expect(parseGtin(text)).toEqual({ ok: true, gtin14, scheme, warning: null });
  });

  it.each(["'9312345678907", ' 931 2345 678907 ', '931-2345-678907', '\u00a09312345678907\u200b'])(
    '%j without its separators and its one apostrophe',
    (text) => {
      expect(parseGtin(text)).toMatchObject({ ok: true, gtin14: '09312345678907' });
    },
  );

  it.each(['4006381333931', '01234565'])('the textbook code %s with a warning: it may be real', (code) => {
    expect(parseGtin(code)).toMatchObject({ ok: true, warning: 'gtin_textbook_example' });
  });

  it('eight digits that are a valid EAN-8 and UPC-E as UPC-E, with a warning', () => {
    const both = findEightDigits((code) => code[0] === '1' && hasValidCheckDigit(code));
    expect(parseGtin(both)).toMatchObject({ ok: true, scheme: 'UPC-E', warning: 'ambiguous_gtin' });
    expect(parseGtin(both, { scheme: 'EAN-8' })).toMatchObject({ ok: true, scheme: 'GTIN-8', warning: null });
  });

  it('a case pack only where wholesale is sold', () => {
    const pack = withCheck('1931234567890');
    expect(codeOf(parseGtin(pack))).toBe('gtin_case_pack');
    expect(parseGtin(pack, { wholesale: true })).toMatchObject({ ok: true, gtin14: pack });
  });
});

describe('parseGtin refuses', () => {
  it.each([
    ['', 'gtin_not_numeric'],
    ['abc', 'gtin_not_numeric'],
    ["''9312345678907", 'gtin_not_numeric'],
    ['9312345678907.0', 'gtin_not_numeric'],
    ['９３１２３４５６７８９０７', 'gtin_not_numeric'],
    ['3.65E+11', 'gtin_scientific_notation'],
    ['3.65275E+11', 'gtin_scientific_notation'],
    ['9,3E+12', 'gtin_scientific_notation'],
    ['9e12', 'gtin_scientific_notation'],
    ['1', 'gtin_length'],
    ['123456789', 'gtin_length'],
    ['931234567890712', 'gtin_length'],
    ['9312345678908', 'gtin_check_digit'],
    ['0306406153', 'gtin_check_digit'],
    ['000000000000', 'gtin_placeholder'],
    ['00000000', 'gtin_placeholder'],
    ['0000000000000', 'gtin_placeholder'],
    ['1111111111111', 'gtin_placeholder'],
    ['1111111111116', 'gtin_placeholder'],
    ['9999999999994', 'gtin_placeholder'],
    ['123456789012', 'gtin_placeholder'],
    ['012345678905', 'gtin_placeholder'],
    ['0012345678905', 'gtin_placeholder'],
    ['1234567890128', 'gtin_placeholder'],
    ['9876543210987', 'gtin_placeholder'],
    ['5901234123457', 'gtin_placeholder'],
    ['4012345678901', 'gtin_placeholder'],
    ['96385074', 'gtin_placeholder'],
    ['12345670', 'gtin_placeholder'],
    [withCheck('213456789012'), 'gtin_restricted_prefix'],
    [withCheck('20134567890'), 'gtin_restricted_prefix'],
    [withCheck('41134567890'), 'gtin_restricted_prefix'],
    [withCheck('51134567890'), 'gtin_restricted_prefix'],
    [withCheck('952345678013'), 'gtin_restricted_prefix'],
    [withCheck('980345678013'), 'gtin_restricted_prefix'],
    [withCheck('984345678013'), 'gtin_restricted_prefix'],
    [withCheck('990345678013'), 'gtin_restricted_prefix'],
    [withCheck('2345891'), 'gtin_restricted_prefix'],
    [withCheck('9931234567890'), 'gtin_variable_measure'],
  ])('%j as %s', (text, code) => {
    expect(codeOf(parseGtin(text))).toBe(code);
  });

  it.each(['300', '379', '930', '949', '951', '953', '979', '985', '989', '060', '039', '019'])(
    'no code with the ordinary prefix %s',
    (prefix) => {
      expect(codeOf(parseGtin(withCheck(`${prefix}418273645`)))).toBe('ok');
    },
  );

  it('a wrong check digit with the digit that was expected', () => {
    expect(parseGtin('9312345678908')).toMatchObject({ code: 'gtin_check_digit', expected: '7' });
    expect(parseGtin('0804429570')).toMatchObject({ code: 'gtin_check_digit', expected: 'X' });
  });

  it('eleven digits, suggesting the leading zero that a spreadsheet took', () => {
    expect(parseGtin('36000291452')).toMatchObject({ code: 'gtin_length', suggestion: '036000291452' });
    expect(parseGtin('36000291453')).toMatchObject({ code: 'gtin_length', suggestion: null });
  });

  it.each([
    ['9312345678907', 'UPC'],
    ['036000291452', 'EAN'],
    ['9312345678907', 'ISBN-13'],
    ['9312345678907', 'JAN'],
    ['9312345678907', 'ASIN'],
    ['0306406152', 'ISBN-13'],
  ])('%s stated as %s', (text, scheme) => {
    expect(codeOf(parseGtin(text, { scheme }))).toBe('gtin_scheme_mismatch');
  });

  it.each([
    ['9312345678907', 'ean'],
    ['9312345678907', 'gtin_13'],
    ['4912345678904', 'JAN'],
    ['036000291452', 'UPC-A'],
    ['9780306406157', 'isbn'],
    ['9780306406157', 'EAN-13'],
    ['9312345678907', ''],
  ])('not %s stated as %s', (text, scheme) => {
    expect(codeOf(parseGtin(text, { scheme }))).toBe('ok');
  });
});

describe('properties of global ids', () => {
  it('every single wrong digit of a valid GTIN is refused', () => {
    const bodies = fc.oneof(digits(11), digits(12), digits(13));
    fc.assert(
      fc.property(bodies, fc.nat(), fc.integer({ min: 1, max: 9 }), (body, at, delta) => {
        const code = withCheck(body);
        const index = at % code.length;
        const digit = (Number(code[index]) + delta) % 10;
        expect(parseGtin(code.slice(0, index) + digit + code.slice(index + 1)).ok).toBe(false);
      }),
    );
  });

  it('every single wrong digit of a valid ISBN-10 is refused', () => {
    fc.assert(
      fc.property(
        digits(9),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (body, at, delta) => {
          const code = body + isbn10CheckDigit(body);
          const digit = (Number(code[at]) + delta) % 10;
          expect(parseGtin(code.slice(0, at) + digit + code.slice(at + 1)).ok).toBe(false);
        },
      ),
    );
  });

  it('the canonical form of an accepted code reads as itself', () => {
    const codes = fc.oneof(
      digits(7).map(withCheck),
      digits(8),
      digits(11).map(withCheck),
      digits(12).map(withCheck),
      digits(9).map((body) => body + isbn10CheckDigit(body)),
    );
    fc.assert(
      fc.property(codes, (code) => {
        const read = parseGtin(code);
        if (!read.ok) return;
        expect(read.gtin14).toMatch(/^\d{14}$/);
        expect(hasValidCheckDigit(read.gtin14)).toBe(true);
        expect(parseGtin(read.gtin14)).toMatchObject({ ok: true, gtin14: read.gtin14 });
      }),
      { numRuns: 2000 },
    );
  });

  it('an ISBN-10 and its ISBN-13 are the same product', () => {
    fc.assert(
      fc.property(digits(9), (body) => {
        const ten = parseGtin(body + isbn10CheckDigit(body));
        const thirteen = parseGtin(withCheck(`978${body}`));
        if (ten.ok && thirteen.ok) expect(ten.gtin14).toBe(thirteen.gtin14);
      }),
    );
  });

  it('any text gives an answer, and separators never change it', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), (text) => {
        const read = parseGtin(text);
        const again = parseGtin(normaliseGtinText(text));
        if (read.ok) expect(again).toEqual(read);
      }),
    );
  });
});

describe('expandUpcE', () => {
  it.each([
    ['01234505', '012000003455'],
    ['01234514', '012100003454'],
    ['01234531', '012300000451'],
    ['01234543', '012340000053'],
    ['01234558', '012345000058'],
  ])('expands %s to %s', (short, long) => {
    expect(expandUpcE(short)).toBe(long);
  });

  it('expands only number systems 0 and 1 with the right check digit', () => {
    expect(expandUpcE('21234505')).toBeNull();
    expect(expandUpcE('01234506')).toBeNull();
    expect(expandUpcE('0123450')).toBeNull();
  });
});

/** The first eight-digit UPC-E that satisfies a condition and is accepted. */
function findEightDigits(wanted: (code: string) => boolean): string {
  for (let body = 1_374_000; body < 2_000_000; body += 1) {
    for (const check of '0123456789') {
      const code = `${body}${check}`;
      if (expandUpcE(code) !== null && wanted(code) && parseGtin(code).ok) return code;
    }
  }
  throw new Error('no such code');
}
