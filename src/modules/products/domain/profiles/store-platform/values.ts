/** Reads the status and the stock of a variant. Source: docs/design/feeds-and-imports.md#store-platform-files. */
import type { Condition, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { lookup } from '../cell.ts';
import type { Columns } from '../columns.ts';
import { readQuantity, readWord, stockBelowZero } from '../field-readers.ts';
import type { StoreField } from './columns.ts';

const STATUSES: Readonly<Record<string, ProductStatus>> = {
  active: 'active',
  draft: 'draft',
  archived: 'inactive',
  unlisted: 'inactive',
};

/** The words of `Published`, also as spreadsheets in other languages save them. */
const PUBLISHED: Readonly<Record<string, ProductStatus>> = Object.fromEntries([
  ...['true', 'yes', '1', 'wahr', 'vrai', 'vero', 'verdadero', 'waar'].map(
    (word): [string, ProductStatus] => [word, 'active'],
  ),
  ...['false', 'no', '0', 'falsch', 'faux', 'falso', 'onwaar'].map((word): [string, ProductStatus] => [
    word,
    'inactive',
  ]),
]);

/** The words of the advertising columns, which have only one word for used goods. */
export const STORE_CONDITIONS: Readonly<Record<string, Condition>> = {
  new: 'new',
  refurbished: 'refurbished',
  used: 'used_good',
};

/**
 * Reads the status, or `Published` if the status is empty. A word that is unknown says nothing. `undefined` keeps the
 * product's status.
 */
export function readStatus(
  text: (field: StoreField) => string,
  columns: Columns<StoreField>,
  messages: RowMessage[],
): ProductStatus | undefined {
  const published = text('published').toLowerCase();
  if (text('status') === '')
    return readWord(PUBLISHED, published, { column: columns.label('published'), messages });
  const status = readWord(STATUSES, text('status'), { column: columns.label('status'), messages });
  if (status === 'active' && published === 'false') {
    messages.push(rowMessage('not_published_in_store', { column: columns.label('published') }));
  }
  return status;
}

/**
 * The status, if `Published` alone would say another one or could; `null` if it says the same. `undefined`: the file
 * has no status.
 */
export function statusMark(text: (field: StoreField) => string): string | null | undefined {
  const word = text('status').toLowerCase();
  const status = lookup(STATUSES, word);
  if (status === undefined) return undefined;
  const published = lookup(PUBLISHED, text('published').toLowerCase()) ?? 'active';
  return status === 'active' && published === 'active' ? null : word;
}

/**
 * Reads the stock of a variant. If the tracker is blank, the store does not count the units, so the stock is unknown
 * (`null`). A negative count becomes 0, and a warning shows the count. `undefined` keeps the product's stock.
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
