/** How profiles read the cells of common fields; a cell that cannot be read is reported and leaves the field out. */
import type { Minor } from '../../../../kernel/money.ts';
import type { ImageClaim, ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { lookup } from './cell.ts';
import type { Columns } from './columns.ts';
import { type DecimalMark, readPrice, readUnits } from './read-number.ts';

type Fields = { readonly [K in keyof ProductPatch]: ProductPatch[K] | undefined };

/** A patch of the fields that a file gives: an empty text leaves the field as it is. */
export function givenFields(fields: Fields): ProductPatch {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given);
}

/** Where a finding is reported. */
export interface CellSite {
  readonly column: string;
  readonly messages: RowMessage[];
}

/** The value of a word; a word that the table does not have is a warning. */
export function readWord<Value>(
  table: Readonly<Record<string, Value>>,
  text: string,
  { column, messages }: CellSite,
): Value | undefined {
  if (text === '') return undefined;
  const value = lookup(table, text.toLowerCase());
  if (value === undefined) {
    const expected = Object.keys(table).join(', ');
    messages.push(rowMessage('enum_invalid', { column, value: text, expected, severity: 'warning' }));
  }
  return value;
}

export function readAmount(
  text: string,
  currency: string,
  { column, messages }: CellSite,
  mark?: DecimalMark,
): Minor | undefined {
  if (text === '') return undefined;
  const amount = readPrice(text, currency, mark);
  if (typeof amount === 'bigint') return amount;
  messages.push(rowMessage(amount, { column, value: text }));
  return undefined;
}

/** A price, and the currency that the file states for it. */
export function readPriceAndCurrency(
  columns: Columns<'price' | 'currency'>,
  text: (field: 'price' | 'currency') => string,
  sellerCurrency: string,
  messages: RowMessage[],
): ProductPatch {
  const currency = text('currency').toUpperCase();
  if (currency !== '' && currency !== sellerCurrency) {
    const column = columns.label('currency');
    messages.push(rowMessage('currency_mismatch', { column, value: currency, expected: sellerCurrency }));
  }
  const site = { column: columns.label('price'), messages };
  return givenFields({ price_minor: readAmount(text('price'), currency || sellerCurrency, site), currency });
}

/** Units of stock, below zero too. */
export function readQuantity(text: string, { column, messages }: CellSite): number | undefined {
  if (text === '') return undefined;
  const units = readUnits(text);
  if (units !== null) return units;
  messages.push(rowMessage('type_invalid', { column, value: text, expected: 'a whole number' }));
  return undefined;
}

export function stockBelowZero(
  column: string,
  value: string,
  message = 'The stock is below zero; 0 was used.',
): RowMessage {
  return rowMessage('stock_negative', { column, value, severity: 'warning', message });
}

/** Images without repeats and empty addresses; no address at all says nothing. */
export function imagesAt(urls: Iterable<string>): readonly ImageClaim[] | undefined {
  const distinct = new Set(urls);
  distinct.delete('');
  return distinct.size === 0 ? undefined : [...distinct].map((url) => ({ url }));
}
