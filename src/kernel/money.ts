/**
 * Money in integer minor units. Only this file may compute amounts.
 *
 * `Minor` is a branded bigint so that adding a plain number to an amount does not compile.
 * Source: docs/design/wire.md#values, docs/design/architecture.md#money-arithmetic.
 */
declare const minorBrand: unique symbol;
export type Minor = bigint & { readonly [minorBrand]: true };

/** The largest amount that requests may have. It is below 2^53, so every JSON reader reads it exactly. */
export const MINOR_MAX = 1_000_000_000_000_000n;

/** The largest sum of amounts. JSON readers round larger numbers. */
export const MINOR_SUM_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The currencies of ISO 4217 (list one of 1 January 2026) by their decimal places. Codes without a minor unit, such as
 * gold and testing, are no currencies here.
 */
const CURRENCIES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
    'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
    'MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG ' +
    'YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const EXPONENTS = new Map(
  Object.entries(CURRENCIES).flatMap(([places, codes]) =>
    codes.split(' ').map((code) => [code, Number(places)] as const),
  ),
);

/** Whether a text is the code of a currency: three upper-case letters of ISO 4217. */
export const isCurrency = (code: string): boolean => EXPONENTS.has(code);

/** Decimal places of a currency; two of a code that ISO 4217 has withdrawn since it was recorded. */
export const currencyExponent = (currency: string): number => EXPONENTS.get(currency) ?? 2;

/** Marks an integer as an amount in minor units. */
export function minor(value: bigint | number): Minor {
  return BigInt(value) as Minor;
}

/** The amount as a JSON number. {@link MINOR_MAX} and {@link MINOR_SUM_MAX} keep it exact. */
export function minorToJson(amount: Minor): number {
  return Number(amount);
}

/** An amount that may be unknown, as JSON. */
export const jsonOrNull = (amount: Minor | null): number | null =>
  amount === null ? null : minorToJson(amount);
/** An amount of JSON that may be unknown. */
export const minorOrNull = (value: number | null | undefined): Minor | null =>
  value == null ? null : minor(value);

type DecimalProblem = 'not_a_decimal' | 'too_many_decimals' | 'out_of_range';

/**
 * Reads a plain decimal (`24.99`, `-5`, no thousands mark, no symbol) as minor units.
 *
 * @param text the decimal, already trimmed
 * @param exponent decimal places of the currency
 * @returns the amount, or the problem of the text. Trailing zeros beyond the exponent are accepted.
 */
export function parseDecimal(text: string, exponent = 2): Minor | DecimalProblem {
  const match = /^(-?)(\d{1,16})(?:\.(\d{1,20}))?$/.exec(text);
  if (match === null) return 'not_a_decimal';
  const [, sign = '', whole = '0', fraction = ''] = match;
  const kept = fraction.slice(0, exponent).padEnd(exponent, '0');
  if (/[1-9]/.test(fraction.slice(exponent))) return 'too_many_decimals';
  const value = BigInt(whole + kept);
  if (value > MINOR_MAX) return 'out_of_range';
  return minor(sign === '-' ? -value : value);
}

/** Writes minor units as a plain decimal: `-500` at exponent 2 is `-5.00`. */
export function formatDecimal(amount: Minor, exponent = 2): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(exponent + 1, '0');
  const whole = exponent === 0 ? digits : digits.slice(0, -exponent);
  const text = exponent === 0 ? whole : `${whole}.${digits.slice(-exponent)}`;
  return negative ? `-${text}` : text;
}

/**
 * Change from one amount to another in whole per cent, rounded towards zero: from 1000 to 2500 is 150.
 *
 * @param from above zero
 */
export function percentChange(from: Minor, to: Minor): number {
  return Number(((to - from) * 100n) / from);
}

/** The sum; zero for an empty list. */
export function sumMinor(amounts: readonly Minor[]): Minor {
  return amounts.reduce<bigint>((sum, amount) => sum + amount, 0n) as Minor;
}

/** Price of several units. */
export function timesUnits(amount: Minor, units: number): Minor {
  return (amount * BigInt(units)) as Minor;
}

/** An amount less others; negative when the others are more. */
export function lessMinor(amount: Minor, ...taken: readonly Minor[]): Minor {
  return (amount - sumMinor(taken)) as Minor;
}

/** The smaller of two amounts. */
export function lesserMinor(a: Minor, b: Minor): Minor {
  return a < b ? a : b;
}

/**
 * Splits the range between two amounts at marks. The range from 3 to 12 with the marks 5 and 10 gives 2, 5 and 2. The
 * last part is above the last mark. The parts sum to the range.
 *
 * @param marks in ascending order, none negative
 */
export function tiersMinor(start: Minor, end: Minor, marks: readonly Minor[]): Minor[] {
  const below = (mark: Minor) => lessMinor(lesserMinor(end, mark), lesserMinor(start, mark));
  const reached = [...marks.map(below), lessMinor(end, start)];
  return reached.map((amount, at) => lessMinor(amount, reached[at - 1] ?? minor(0)));
}

const BPS_WHOLE = 10_000n;

/** A quotient, rounded half up on its magnitude, so that a credit has the same magnitude as its charge. */
function halfUp(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

/** Decimal places of a cost of one unit, which may be a part of a cent. */
const MICRO_PLACES = 6;
const microsOf = (currency: string): bigint => 10n ** BigInt(MICRO_PLACES - currencyExponent(currency));

/** An amount in millionths of its currency's unit. */
export const toMicros = (amount: Minor, currency: string): bigint => amount * microsOf(currency);

/** What several units cost, rounded half up. @param micros cost of a unit in millionths of the currency's unit */
export const costOfUnits = (micros: bigint, units: number, currency: string): Minor =>
  halfUp(micros * BigInt(units), microsOf(currency)) as Minor;

/** The cost of one of several units in millionths of the currency's unit, rounded half up. */
export const microsOfUnit = (amount: Minor, units: number, currency: string): bigint =>
  halfUp(toMicros(amount, currency), BigInt(units));

/** The amount with the opposite sign. */
export function negated(amount: Minor): Minor {
  return -amount as Minor;
}

/**
 * A rate of an amount, rounded half up on its magnitude: 10 % of 59.85 is 5.99.
 *
 * @param bps hundredths of a per cent, not negative
 * Source: docs/design/money.md#rounding-and-sharing.
 */
export function atRate(amount: Minor, bps: number): Minor {
  return halfUp(amount * BigInt(bps), BPS_WHOLE) as Minor;
}

/**
 * One amount as hundredths of a per cent of another, rounded half up; null when the whole is zero.
 *
 * @param whole not negative
 */
export function rateOf(part: Minor, whole: Minor): number | null {
  return whole === 0n ? null : Number(halfUp(part * BPS_WHOLE, whole));
}

/**
 * The share of an amount that is due when `reached` of `whole` is done, rounded half up. An instalment is the
 * difference of two such shares, so the instalments sum to the amount for any steps.
 * Source: docs/design/money.md#rounding-and-sharing.
 *
 * @param reached from 0 to `whole`
 * @param whole above zero
 */
export function shareToDate(amount: Minor, reached: Minor | bigint, whole: Minor | bigint): Minor {
  return halfUp(amount * reached, whole) as Minor;
}

/** The instalment between two parts of a whole: the difference of {@link shareToDate}. */
export function shareBetween(
  amount: Minor,
  before: Minor | bigint,
  after: Minor | bigint,
  whole: Minor | bigint,
): Minor {
  return (shareToDate(amount, after, whole) - shareToDate(amount, before, whole)) as Minor;
}

/**
 * Splits an amount in proportion to weights by the largest remainder. The parts sum to the whole, and each differs from
 * its exact share by less than one minor unit. If remainders are equal, the lower index gets the unit. A weight of zero
 * gets nothing. Source: docs/design/money.md#rounding-and-sharing.
 *
 * @param total if negative, its magnitude is split and the parts get its sign
 * @param weights not negative
 * @throws RangeError if the total is not zero and all weights are zero
 */
export function splitMinor(total: Minor, weights: readonly Minor[]): Minor[] {
  if (total < 0n) return splitMinor(negated(total), weights).map(negated);
  const whole = sumMinor(weights);
  if (total === 0n) return weights.map(() => minor(0n));
  if (whole <= 0n || weights.some((weight) => weight < 0n))
    throw new RangeError('nothing to split the amount over');
  const parts = weights.map((weight, index) => ({
    index,
    share: (total * weight) / whole,
    remainder: (total * weight) % whole,
  }));
  let left = total - parts.reduce((sum, { share }) => sum + share, 0n);
  const byRemainder = [...parts].sort((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  const shares = parts.map(({ share }) => share);
  // There are more shares with a remainder than units left, so a weight of zero never gets a unit.
  for (const { index, share } of byRemainder) {
    if (left === 0n) break;
    shares[index] = share + 1n;
    left -= 1n;
  }
  return shares as Minor[];
}

/** An amount with exactly the digits of its currency. */
export const formatAmount = (amount: Minor, currency: string): string =>
  formatDecimal(amount, currencyExponent(currency));
