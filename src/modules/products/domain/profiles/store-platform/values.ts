/**
 * Cells with a meaning of their own in a store-platform export.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { Condition, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import type { Columns } from '../columns.ts';
import { lookup } from '../lookup.ts';
import { readUnits } from '../read-number.ts';
import type { StoreField } from './columns.ts';

const STATUSES: Readonly<Record<string, ProductStatus>> = {
  active: 'active',
  draft: 'draft',
  archived: 'inactive',
  unlisted: 'inactive',
};

/** Used by the advertising columns; one word for every grade of "used". */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  new: 'new',
  refurbished: 'refurbished',
  used: 'used_good',
};

/** Status where the file has it, else what `Published` says; `undefined` leaves the product as it is. */
export function readStatus(
  shared: (field: StoreField) => string,
  columns: Columns<StoreField>,
  messages: RowMessage[],
): ProductStatus | undefined {
  const text = shared('status');
  const published = shared('published').toLowerCase();
  if (text === '') {
    if (published === '') return undefined;
    return published === 'true' || published === 'yes' || published === '1' ? 'active' : 'inactive';
  }
  const status = lookup(STATUSES, text.toLowerCase());
  if (status === undefined) {
    const expected = Object.keys(STATUSES).join(', ');
    const detail = { column: columns.label('status'), value: text, expected };
    messages.push(rowMessage('enum_invalid', { ...detail, severity: 'warning' }));
  } else if (status === 'active' && published === 'false') {
    messages.push(rowMessage('not_published_in_store', { column: columns.label('published') }));
  }
  return status;
}

export function readCondition(
  text: string,
  columns: Columns<StoreField>,
  messages: RowMessage[],
): Condition | undefined {
  if (text === '') return undefined;
  const condition = lookup(CONDITIONS, text.toLowerCase());
  if (condition === undefined) {
    const expected = Object.keys(CONDITIONS).join(', ');
    const detail = { column: columns.label('condition'), value: text, expected };
    messages.push(rowMessage('enum_invalid', { ...detail, severity: 'warning' }));
  }
  return condition;
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
  const text = columns.text(cells, 'quantity');
  const column = columns.label('quantity');
  const tracked = !columns.has('tracker') || columns.text(cells, 'tracker') !== '';
  if (!columns.has('quantity')) return undefined;
  const units = text === '' ? undefined : readUnits(text);
  if (units === null && tracked) {
    messages.push(rowMessage('type_invalid', { column, value: text, expected: 'a whole number' }));
    return undefined;
  }
  if (typeof units === 'number' && units < 0) messages.push(negativeStock(column, text, tracked));
  if (!tracked) {
    messages.push(rowMessage('stock_unknown', { column, message: NOT_TRACKED }));
    return null;
  }
  return typeof units === 'number' ? Math.max(units, 0) : undefined;
}

const NOT_TRACKED = 'The store does not track stock of this variant; the quantity was left unknown.';

function negativeStock(column: string, value: string, tracked: boolean): RowMessage {
  return rowMessage('stock_negative', {
    column,
    value,
    severity: 'warning',
    message: tracked
      ? 'The stock is below zero; it was taken as 0.'
      : 'The stock is below zero and not tracked; the quantity was left unknown.',
  });
}
