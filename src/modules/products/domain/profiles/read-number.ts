/** Reads prices and quantities in export files. Source: docs/design/feeds-and-imports.md#import-profiles. */
import { currencyExponent, type Minor, parseDecimal } from '../../../../kernel/money.ts';
import { lookup } from './cell.ts';

export type DecimalMark = '.' | ',';

type PriceProblem = 'price_invalid' | 'currency_mismatch' | 'decimal_places' | 'number_range';

const PROBLEM_CODES = {
  not_a_decimal: 'price_invalid',
  too_many_decimals: 'decimal_places',
  out_of_range: 'number_range',
} as const;

/** Signs and codes beside a number, and their currency. `$` alone is not here, because many currencies use it. */
const CURRENCY_SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  au$: 'AUD',
  a$: 'AUD',
  us$: 'USD',
  c$: 'CAD',
  ca$: 'CAD',
  nz$: 'NZD',
  aud: 'AUD',
  usd: 'USD',
  cad: 'CAD',
  nzd: 'NZD',
  eur: 'EUR',
  gbp: 'GBP',
  jpy: 'JPY',
  sgd: 'SGD',
  hkd: 'HKD',
  chf: 'CHF',
};

/** What is wrong with the text before or after a number; `undefined` if it is empty or names this currency. */
function signProblem(text: string, currency: string): PriceProblem | undefined {
  const sign = foldSign(text);
  if (sign === '' || sign === '$') return undefined;
  const named = lookup(CURRENCY_SIGNS, sign);
  if (named === undefined) return 'price_invalid';
  return named === currency ? undefined : 'currency_mismatch';
}

function foldSign(text: string): string {
  return text.replace(/\s/gu, '').toLowerCase();
}

/** A longer cell is not read as a price. */
const PRICE_TEXT_MAX = 40;

/** Blanks and apostrophes group digits in some locales. */
const GROUPING_BLANKS = /[\s\u00a0\u202f'’]/gu;

/** The currency that a price cell names (`£12.50`, `US $3`), or `null`. */
export function currencyOfSymbol(text: string): string | null {
  if (text.length > PRICE_TEXT_MAX) return null;
  const sign = foldSign(text.replace(/[\d.,'’-]/gu, ''));
  return lookup(CURRENCY_SIGNS, sign) ?? null;
}

/**
 * Reads a price such as `24.99`, `$269.99 `, `1.299,00 €` or `12,99`.
 *
 * A number with one mark is ambiguous only if three digits follow the mark. Then the mark is the decimal mark if `mark`
 * says so, and separates thousands otherwise.
 *
 * @param text the trimmed cell
 * @param currency ISO 4217. It sets the number of decimal places, and is the only currency that the cell may name.
 * @param mark the decimal mark of the file
 * @returns minor units, or the code of a finding
 */
export function readPrice(text: string, currency: string, mark: DecimalMark = '.'): Minor | PriceProblem {
  if (text.length > PRICE_TEXT_MAX) return 'price_invalid';
  const match = /^([^\d.,-]*)(-?)([^\d.,-]*)([\d.,][\d.,\s\u00a0\u202f'’]*)([^\d]*)$/u.exec(text);
  if (match === null) return 'price_invalid';
  const [, before = '', minus = '', between = '', number = '', after = ''] = match;
  const signs = [before, between, after].map((part) => signProblem(part, currency));
  const plain = plainDecimal(number.replace(GROUPING_BLANKS, ''), mark);
  if (plain === null || signs.includes('price_invalid')) return 'price_invalid';
  if (signs.includes('currency_mismatch')) return 'currency_mismatch';
  const amount = parseDecimal(minus + plain, currencyExponent(currency));
  return typeof amount === 'bigint' ? amount : PROBLEM_CODES[amount];
}

/** Writes a number with any marks as `1299.00`; `null` if a group between its marks does not have three digits. */
function plainDecimal(number: string, mark: DecimalMark): string | null {
  if (/^\d+$/.test(number)) return number;
  const decimal = decimalMarkOf(number, mark);
  const at = decimal === null ? -1 : number.lastIndexOf(decimal);
  const whole = at === -1 ? number : number.slice(0, at);
  const fraction = at === -1 ? '' : number.slice(at + 1);
  if (!/^(?:\d*|\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)?)$/.test(whole) || !/^\d*$/.test(fraction)) return null;
  const digits = whole.replace(/[.,]/g, '');
  if (digits === '' && fraction === '') return null;
  return `${digits || '0'}${fraction === '' ? '' : `.${fraction}`}`;
}

function decimalMarkOf(number: string, mark: DecimalMark): DecimalMark | null {
  const point = number.lastIndexOf('.');
  const comma = number.lastIndexOf(',');
  if (point !== -1 && comma !== -1) return point > comma ? '.' : ',';
  const only: DecimalMark = point === -1 ? ',' : '.';
  if (number.indexOf(only) !== number.lastIndexOf(only)) return null;
  if (only === mark) return only;
  return /^\d{1,3}[.,]\d{3}$/.test(number) ? null : only;
}

/** `1,000` and `1.000` are a thousand in one country and one in another, so the units are not known. */
const THOUSAND_OR_ONE = /^[+-]?\d{1,3}[.,]000$/;

export const isThousandOrOne = (text: string): boolean => THOUSAND_OR_ONE.test(text);

/** Reads a whole number, which may be below zero. A spreadsheet may have added `.0`. @returns `null` for other texts */
export function readUnits(text: string): number | null {
  if (isThousandOrOne(text)) return null;
  const match = /^(-?\d{1,15})(?:[.,]0+)?$/.exec(text);
  return match === null ? null : Number(match[1]);
}
