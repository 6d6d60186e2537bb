import { formatDecimal, MINOR_MAX, type Minor } from '../../../../kernel/money.ts';
import { rowMessage } from '../row-codes.ts';
import type { Reporter } from './check-text.ts';
import { QUANTITY_MAX } from './limits.ts';

/** A price must be above zero: a price of 0.00 in a file is nearly always a mistake. */
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

/** As {@link checkPrice}, but 0 clears the field: exports of other tools write `0.00` for no compare-at price. */
export function checkCompareAt(value: Minor | null, reporter: Reporter): Minor | null | undefined {
  return value === 0n ? null : checkPrice(value, reporter);
}

/** Units: a whole number; `null` means that the number is unknown. */
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
  // JSON has no minus zero.
  return value === 0 ? 0 : value;
}
