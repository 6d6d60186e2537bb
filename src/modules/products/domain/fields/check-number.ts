import { formatDecimal, MINOR_MAX, type Minor } from '../../../../kernel/money.ts';
import { rowMessage } from '../row-codes.ts';
import type { Reporter } from './check-text.ts';
import { QUANTITY_MAX } from './limits.ts';

/** A price is above zero; any other price would give goods away. */
export function checkPrice(
  value: Minor | null,
  { column, messages, exponent }: Reporter,
): Minor | null | undefined {
  if (value === null) return null;
  if (value <= 0n) {
    const text = exponent === undefined ? String(value) : formatDecimal(value, exponent);
    messages.push(rowMessage('price_below_minimum', { column, value: text }));
    return undefined;
  }
  if (value > MINOR_MAX) {
    messages.push(rowMessage('number_range', { column, expected: `at most ${MINOR_MAX} minor units` }));
    return undefined;
  }
  return value;
}

/** As {@link checkPrice}; exports write `0.00` where there is no compare-at price. */
export function checkCompareAt(value: Minor | null, reporter: Reporter): Minor | null | undefined {
  return value === 0n ? null : checkPrice(value, reporter);
}

/** Units: a whole number; `null` is "not known". */
export function checkQuantity(
  value: number | null,
  { column, messages }: Reporter,
): number | null | undefined {
  if (value === null) return null;
  const text = String(value);
  if (!Number.isInteger(value)) {
    messages.push(rowMessage('type_invalid', { column, value: text, expected: 'a whole number' }));
    return undefined;
  }
  if (value < 0) {
    messages.push(rowMessage('stock_negative', { column, value: text, expected: '0 or more' }));
    return undefined;
  }
  if (value > QUANTITY_MAX) {
    messages.push(rowMessage('number_range', { column, value: text, expected: `at most ${QUANTITY_MAX}` }));
    return undefined;
  }
  // Minus zero would not survive JSON.
  return value === 0 ? 0 : value;
}
