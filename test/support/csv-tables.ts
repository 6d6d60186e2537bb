/** Files of comma-separated values without quotes, as tables. */
import { type Minor, parseDecimal, sumMinor } from '../../src/kernel/money.ts';

export type Table = readonly Readonly<Record<string, string>>[];

/** Rows of a file by the names of its columns. */
export function tableOf(text: string): Table {
  const [header = [], ...rows] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}
/** A decimal of two digits as cents. */
export const centsOf = (text: string | undefined): Minor => {
  const amount = parseDecimal(text ?? '');
  if (typeof amount !== 'bigint') throw new Error(`no amount: ${text}`);
  return amount;
};
/** The sum of a column, in cents. */
export const sumOf = (table: Table, column: string): Minor =>
  sumMinor(table.map((row) => centsOf(row[column])));
