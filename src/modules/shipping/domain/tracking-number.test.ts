import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CARRIERS } from './carriers.ts';
import { checkTracking, newTrackingNumber, trackingUrl } from './tracking-number.ts';

const named = CARRIERS.map((carrier) => [carrier.code, carrier] as const);

describe('the catalogue', () => {
  test('names each carrier and each of its services once', () => {
    const codes = CARRIERS.flatMap(({ code, services }) => [
      code,
      ...services.map((one) => `${code}/${one.code}`),
    ]);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.filter((code) => !/^[a-z_/]+$/.test(code))).toEqual([]);
  });

  test.each(named)(
    '%s: shows an example that its pattern takes, and no other text around it',
    (code, carrier) => {
      expect(checkTracking(code, carrier.tracking_example)).toEqual({
        ok: true,
        tracking_number: carrier.tracking_example,
      });
      expect(checkTracking(code, `${carrier.tracking_example}^X`).ok).toBe(false);
      expect(carrier.tracking_pattern).toMatch(/^\^.*\$$/);
    },
  );

  test.each(named)('%s: its pattern repeats nothing without a bound', (_, { tracking_pattern }) => {
    // Without * and +, and without a repeated group, the number of ways to match is bounded by the pattern itself.
    expect(tracking_pattern).not.toMatch(/[*+]|\{\d+,\}|\)\{/);
  });
});

test.each([
  ['australia_post', '33ABC0000001'],
  ['australia_post', '2JD0206036'],
  ['australia_post', '2JD020603601000931508'],
  ['australia_post', '99700000818003120009'],
  ['australia_post', 'EE123456789AU'],
  ['startrack', 'LKIZ50000387'],
  ['startrack', 'LKIZ50000387EXP00001'],
  ['sendle', 'S3NDL3'],
  ['aramex', 'MP 0012 345 678'],
  ['couriersplease', 'CPWPWWV0000002'],
  ['tnt', 'gen000000001'],
  ['dhl_express', '1234567890'],
  ['dhl_express', 'JD014600003828839175'],
  ['toll', '8510001234567'],
  // Forms that sellers use, and that a narrower pattern would refuse.
  ['sendle', 'SAMPLE1'],
  ['sendle', 'S0123456789AB'],
  ['aramex', 'VA0011280000'],
  ['couriersplease', 'CP0000E00000'],
  ['couriersplease', 'CPWY33000009337'],
  ['tnt', '12345678'],
  ['tnt', 'GD123456785WW'],
  ['dhl_express', 'JJD0099999999'],
  ['dhl_express', 'JVGL9999999999'],
  ['toll', 'AREX012345678901'],
])('%s takes %s', (carrier, number) => {
  expect(checkTracking(carrier, number)).toEqual({
    ok: true,
    tracking_number: number.replaceAll(' ', '').toUpperCase(),
  });
});

test.each([
  ['australia_post', ''],
  ['australia_post', 'hello'],
  ['australia_post', '^XA^XZ'],
  ['startrack', '2JD020603601000931508'],
  ['dhl_express', '123456789'],
  ['dhl_express', '１２３４５６７８９０'],
  ['toll', 'none'],
  ['tnt', 'on its way!'],
  ['couriersplease', '^XA^FDCP^XZ'],
  ['own', 'SPX123'],
])('%s refuses %j', (carrier, number) => {
  expect(checkTracking(carrier, number)).toMatchObject({ ok: false, problem: 'pattern_mismatch' });
});

test('a carrier that is not in the catalogue is named as the problem', () => {
  expect(checkTracking('pigeon', '1')).toMatchObject({ ok: false, problem: 'carrier_unknown' });
  expect(checkTracking('__proto__', '1')).toMatchObject({ ok: false, problem: 'carrier_unknown' });
});

describe('our own numbers', () => {
  test('pass their own check, and differ', () => {
    const numbers = Array.from({ length: 500 }, newTrackingNumber);
    expect(numbers.filter((number) => !checkTracking('own', number).ok)).toEqual([]);
    expect(new Set(numbers).size).toBe(500);
  });

  test('every single wrong digit is found', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 18 }), fc.integer({ min: 1, max: 9 }), (at, more) => {
        const number = newTrackingNumber();
        const wrong = `${number.slice(0, at)}${(Number(number[at]) + more) % 10}${number.slice(at + 1)}`;
        expect(checkTracking('own', wrong)).toMatchObject({ ok: false, problem: 'check_digit' });
      }),
    );
  });
});

test('a page of the carrier names the number, escaped; our own has none', () => {
  expect(trackingUrl('sendle', 'S3NDL3')).toBe('https://track.sendle.com/tracking?ref=S3NDL3');
  expect(trackingUrl('sendle', 'A&b=$&')).toBe('https://track.sendle.com/tracking?ref=A%26b%3D%24%26');
  expect(trackingUrl('own', 'SPX1')).toBeNull();
  expect(trackingUrl('pigeon', '1')).toBeNull();
});
