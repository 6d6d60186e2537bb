import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, minor } from '../../../../kernel/money.ts';
import { currencyOfSymbol, readPrice, readUnits } from './read-number.ts';

describe('readPrice', () => {
  it.each([
    ['24.99', '.', 2499n],
    ['50', '.', 5000n],
    ['.5', '.', 50n],
    ['-5.00', '.', -500n],
    ['$269.99 ', '.', 26_999n],
    ['AU $12.50', '.', 1250n],
    ['12.50 AUD', '.', 1250n],
    ['1,299.00', '.', 129_900n],
    ['1,299', '.', 129_900n],
    ['1.299,00', ',', 129_900n],
    ['1.299', ',', 129_900n],
    ['12,99', ',', 1299n],
    ['12,99', '.', 1299n],
    ['12.99', ',', 1299n],
    ['1 299,00', ',', 129_900n],
    ["1'299.00", '.', 129_900n],
    ['1,234,567.8', '.', 123_456_780n],
  ] as const)('reads %s with the mark %s', (text, mark, expected) => {
    expect(readPrice(text.trim(), 'AUD', mark)).toBe(expected);
  });

  it.each([
    '',
    'free',
    '12.5O',
    'x12',
    '12x',
    '1,2,3',
    '1.2.3',
    '12,3456,789',
    '$',
    '.',
    '1e3',
    '3.65E+11',
    '12 each',
    '5 / 6',
    '5 constructor',
    '--5',
    `1${' '.repeat(5000)}1`,
    '9'.repeat(500),
  ])('refuses %s', (text) => {
    expect(readPrice(text, 'AUD')).toBe('price_invalid');
  });

  it.each([
    ['€12.50', 'AUD'],
    ['1.299,00 €', 'AUD'],
    ['US $5', 'AUD'],
    ['AU$5', 'USD'],
    ['GBP 5', 'AUD'],
  ])('refuses %s as an amount of %s', (text, currency) => {
    expect(readPrice(text, currency)).toBe('currency_mismatch');
  });

  it('accepts the sign of the given currency, and a bare dollar sign for each dollar', () => {
    expect(readPrice('1.299,00 €', 'EUR', ',')).toBe(129_900n);
    expect(readPrice('A$5', 'AUD')).toBe(500n);
    expect(readPrice('$5', 'NZD')).toBe(500n);
  });

  it('refuses too many decimal places and amounts that are too large', () => {
    expect(readPrice('1.299', 'AUD')).toBe('decimal_places');
    expect(readPrice('12.990', 'AUD')).toBe(1299n);
    expect(readPrice('999999999999999', 'AUD')).toBe('number_range');
    expect(readPrice('1299', 'JPY')).toBe(1299n);
  });

  it('reads every amount, written with a decimal point or a decimal comma', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n }), (value) => {
        const plain = formatDecimal(minor(value));
        const comma = plain.replace('.', ',');
        const [whole = '', fraction = ''] = plain.split('.');
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
        expect(readPrice(plain, 'AUD', '.')).toBe(value);
        expect(readPrice(comma, 'AUD', ',')).toBe(value);
        expect(readPrice(`$${grouped}.${fraction}`, 'AUD', '.')).toBe(value);
      }),
    );
  });

  it('returns an amount or a code for every text', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('.' as const, ',' as const), (text, mark) => {
        expect(['bigint', 'string']).toContain(typeof readPrice(text, 'AUD', mark));
      }),
    );
  });
});

describe('currencyOfSymbol', () => {
  it('recognises signs of one currency, but not a bare dollar sign', () => {
    expect(['£5', '5,00 €', 'US $5.00', '5 NZD', '$5', '5'].map(currencyOfSymbol)).toEqual([
      'GBP',
      'EUR',
      'USD',
      'NZD',
      null,
      null,
    ]);
  });
});

describe('readUnits', () => {
  it('does not guess whether 1,000 is a thousand or one', () => {
    const texts = ['1,000', '1.000', '-12.000', '123,000', '1.00', '5,0000', '1000.000'];
    expect(texts.map(readUnits)).toEqual([null, null, null, null, 1, 5, 1000]);
  });

  it('reads whole numbers only', () => {
    expect(['5', '-3', '5.0', '007', '5.5', 'five', '', '1e3', '9'.repeat(16)].map(readUnits)).toEqual([
      5,
      -3,
      5,
      7,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
