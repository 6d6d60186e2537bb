/**
 * Prices and quantities as export files write them. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import { currencyExponent, type Minor, parseDecimal } from '../../../../kernel/money.ts';
import { lookup } from './cell.ts';

export type DecimalMark = '.' | ',';

export type PriceProblem = 'price_invalid' | 'currency_mismatch' | 'decimal_places' | 'number_range';

const PROBLEM_CODES = {
  not_a_decimal: 'price_invalid',
  too_many_decimals: 'decimal_places',
  out_of_range: 'number_range',
} as const;

/** Signs and codes that may stand around a number; a bare `$` belongs to many currencies and tells nothing. */
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

/** What the text before or behind a number says of its currency; `undefined` for no fault. */
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

/** Longest cell that is still tried as a price; a longer one is some other text. */
const PRICE_TEXT_MAX = 40;

/** Blanks and apostrophes group digits in some locales. */
const GROUPING_BLANKS = /[\s\u00a0\u202f'’]/gu;

/** The currency that a price cell names by itself (`£12.50`, `US $3`), or `null`. */
export function currencyOfSymbol(text: string): string | null {
  if (text.length > PRICE_TEXT_MAX) return null;
  const sign = foldSign(text.replace(/[\d.,'’-]/gu, ''));
  return lookup(CURRENCY_SIGNS, sign) ?? null;
}

/**
 * Reads a price such as `24.99`, `$269.99 `, `1.299,00 €` or `12,99`.
 *
 * A single mark followed by other than three digits can only be the decimal mark; with three digits it is a
 * decimal mark exactly when it is the file's own, else it groups thousands.
 *
 * @param text the cell, trimmed
 * @param currency ISO 4217: the number of decimals, and the only sign that may stand beside the number
 * @param mark decimal mark of the file's locale
 * @returns minor units, or the code of the row message
 */
export function readPrice(text: string, currency: string, mark: DecimalMark = '.'): Minor | PriceProblem {
  if (text.length > PRICE_TEXT_MAX) return 'price_invalid';
  const match = /^([^\d.,-]*)(-?)([^\d.,-]*)([\d.,][\d.,\s\u00a0\u202f'’]*)([^\d]*)$/u.exec(text);
  if (match === null) return 'price_invalid';
  const [, before = '', minus = '', between = '', number = '', after = ''] = match;
  const signs = [before, between, after].map((part) => signProblem(part, currency));
  const plain = plainDecimal(number.replace(GROUPING_BLANKS, ''), mark);
  if (plain === null || signs.includes('price_invalid')) return 'price_invalid';
  // An amount of another currency is not the same number of ours.
  if (signs.includes('currency_mismatch')) return 'currency_mismatch';
  const amount = parseDecimal(minus + plain, currencyExponent(currency));
  return typeof amount === 'bigint' ? amount : PROBLEM_CODES[amount];
}

/** Rewrites a number with any marks as `1299.00`; `null` when its groups are not groups of three. */
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

/**
 * Reads a whole number of units, below zero too; spreadsheets may have added `.0`.
 *
 * @returns the units, or `null` when the cell is no such number
 */
export function readUnits(text: string): number | null {
  const match = /^(-?\d{1,15})(?:[.,]0+)?$/.exec(text);
  return match === null ? null : Number(match[1]);
}
