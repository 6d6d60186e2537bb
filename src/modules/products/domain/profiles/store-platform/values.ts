/**
 * Cells with a meaning of their own in a store-platform export.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { Condition, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import type { Columns } from '../columns.ts';
import { readQuantity, readWord, stockBelowZero } from '../field-readers.ts';
import type { StoreField } from './columns.ts';

const STATUSES: Readonly<Record<string, ProductStatus>> = {
  active: 'active',
  draft: 'draft',
  archived: 'inactive',
  unlisted: 'inactive',
};

/** Of the advertising columns, which have one word for every grade of "used". */
export const STORE_CONDITIONS: Readonly<Record<string, Condition>> = {
  new: 'new',
  refurbished: 'refurbished',
  used: 'used_good',
};

/** The status, else what `Published` says; `undefined` leaves the product as it is. */
export function readStatus(
  text: (field: StoreField) => string,
  columns: Columns<StoreField>,
  messages: RowMessage[],
): ProductStatus | undefined {
  const published = text('published').toLowerCase();
  if (text('status') === '') {
    if (published === '') return undefined;
    return published === 'true' || published === 'yes' || published === '1' ? 'active' : 'inactive';
  }
  const status = readWord(STATUSES, text('status'), { column: columns.label('status'), messages });
  if (status === 'active' && published === 'false') {
    messages.push(rowMessage('not_published_in_store', { column: columns.label('published') }));
  }
  return status;
}

/**
 * Stock of a variant. A blank tracker means that the store does not count it: unknown (`null`), never 0. A
 * negative count becomes 0 with a warning that keeps the number. `undefined` leaves the stock as it is.
 */
export function readStock(
  cells: readonly string[],
  columns: Columns<StoreField>,
  messages: RowMessage[],
): number | null | undefined {
  if (!columns.has('quantity')) return undefined;
  const text = columns.text(cells, 'quantity');
  const column = columns.label('quantity');
  const tracked = !columns.has('tracker') || columns.text(cells, 'tracker') !== '';
  const units = readQuantity(text, { column, messages: tracked ? messages : [] });
  if (units !== undefined && units < 0) {
    messages.push(stockBelowZero(column, text, tracked ? undefined : NEGATIVE_NOT_TRACKED));
  }
  if (tracked) return units === undefined ? undefined : Math.max(units, 0);
  messages.push(rowMessage('stock_unknown', { column, message: NOT_TRACKED }));
  return null;
}

const NOT_TRACKED = 'The store does not track stock of this variant; the quantity is unknown.';
const NEGATIVE_NOT_TRACKED = 'The stock is below zero and not tracked; the quantity is unknown.';
