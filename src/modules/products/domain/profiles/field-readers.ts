/** Reads cells for all profiles. A cell that cannot be read is reported, and its field is left out. */
import type { Minor } from '../../../../kernel/money.ts';
import type { ImageClaim, PartialFields, ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import { lookup } from './cell.ts';
import type { Columns } from './columns.ts';
import { type DecimalMark, readPrice, readUnits } from './read-number.ts';

type Fields = { readonly [K in keyof ProductPatch]: ProductPatch[K] | undefined };

/** A patch of the fields that a file states. A field with an empty text is left out, so the product keeps its value. */
export function givenFields(fields: Fields): ProductPatch {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given);
}

/** What the file can say in part only. */
export function inPart(
  fields: {
    readonly [K in keyof PartialFields]: PartialFields[K] | undefined;
  },
): Pick<ProductPatch, 'partial'> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { partial: Object.fromEntries(given) };
}

/** The column that a finding names, and the list to which it is added. */
export interface Reporter {
  readonly column: string;
  readonly messages: RowMessage[];
}

/** Looks a word up in a table. A word that the table does not have gets a warning. */
export function readWord<Value>(
  table: Readonly<Record<string, Value>>,
  text: string,
  { column, messages }: Reporter,
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
  { column, messages }: Reporter,
  mark?: DecimalMark,
): Minor | undefined {
  if (text === '') return undefined;
  const amount = readPrice(text, currency, mark);
  if (typeof amount === 'bigint') return amount;
  messages.push(rowMessage(amount, { column, value: text }));
  return undefined;
}

/** Reads a price and the currency that the file states for it. */
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
  const reporter = { column: columns.label('price'), messages };
  const price_minor = readAmount(text('price'), currency || sellerCurrency, reporter);
  return givenFields({ price_minor, currency });
}

/** Reads units of stock. The result may be below zero. */
export function readQuantity(text: string, { column, messages }: Reporter): number | undefined {
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

/** The images at these addresses, each address once. Without an address the result is `undefined`: no change. */
export function imagesAt(urls: Iterable<string>): readonly ImageClaim[] | undefined {
  const distinct = new Set(urls);
  distinct.delete('');
  return distinct.size === 0 ? undefined : [...distinct].map((url) => ({ url }));
}
