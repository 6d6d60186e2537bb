import { type Minor, parseDecimal } from '../../../../kernel/money.ts';
import { trimLine } from '../fields/clean-text.ts';
import { isThousandOrOne } from '../profiles/read-number.ts';
import { rowMessage } from '../row-codes.ts';
import type { NativeRow } from './native-row.ts';

const DECIMAL_COMMA = /^\d+,\d{1,2}$/;

/** @returns minor units; `null` for an empty cell, which clears the field; `undefined` if it has reported a finding */
export function readAmount(text: string, column: string, row: NativeRow): Minor | null | undefined {
  const trimmed = trimLine(text);
  if (trimmed === '') return null;
  const amount = parseDecimal(trimmed, row.exponent);
  if (typeof amount === 'bigint') return amount;
  if (amount === 'not_a_decimal') {
    const hint = DECIMAL_COMMA.test(trimmed)
      ? `Use a point for decimals: ${trimmed.replace(',', '.')}.`
      : undefined;
    row.messages.push(rowMessage('price_invalid', { column, value: text, hint }));
  } else if (amount === 'too_many_decimals') {
    const expected = `at most ${row.exponent} decimal places`;
    row.messages.push(rowMessage('decimal_places', { column, value: text, expected }));
  } else {
    row.messages.push(rowMessage('number_range', { column, value: text }));
  }
  return undefined;
}

/** Spreadsheets write whole numbers as `5.0`. */
const WHOLE = /^[+-]?\d{1,15}(?:\.0+)?$/;

/** @returns the number; `null` for an empty cell, which clears the field; `undefined` when it has reported a finding */
export function readWhole(text: string, column: string, row: NativeRow): number | null | undefined {
  const trimmed = trimLine(text);
  if (trimmed === '') return null;
  if (WHOLE.test(trimmed) && !isThousandOrOne(trimmed)) return Number(trimmed);
  row.messages.push(rowMessage('type_invalid', { column, value: text, expected: 'a whole number' }));
  return undefined;
}

/**
 * Reads one of the allowed words. The case does not matter, and blanks and hyphens are read as `_`.
 *
 * @returns `''` for an empty cell; `undefined` when it has reported a finding
 */
export function readOneOf<T extends string>(
  text: string,
  allowed: readonly T[],
  column: string,
  row: NativeRow,
): T | '' | undefined {
  const exact = allowed.find((value) => value === text);
  if (exact !== undefined) return exact;
  const folded = trimLine(text)
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (folded === '') return '';
  const found = allowed.find((value) => value === folded);
  if (found === undefined) {
    row.messages.push(rowMessage('enum_invalid', { column, value: text, expected: allowed.join(', ') }));
  }
  return found;
}
