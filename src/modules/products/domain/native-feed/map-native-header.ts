import { unguardCell } from '../../../../kernel/formula-guard.ts';
import { currencyExponent } from '../../../../kernel/money.ts';
import type { FeedMode } from '../feed-run/run.ts';
import type { RowMessage } from '../row.ts';
import { errorsFirst, rowMessage } from '../row-codes.ts';
import { type FoundColumn, findColumn } from './find-column.ts';

export interface NativeFeedOptions {
  readonly mode: FeedMode;
  /** The seller's currency, which limits the decimal places of a price. */
  readonly currency: string;
}

export interface NativeHeader {
  /** One entry for each header cell; `null` for a column that is ignored. */
  readonly columns: readonly (FoundColumn | null)[];
  /** Findings about the file, errors first. If there is an error, no record may be mapped. */
  readonly messages: readonly RowMessage[];
  /** The number of decimal places of the seller's currency. */
  readonly exponent: number;
}

/** A file in the mode `inventory` needs at least one of these columns. */
const INVENTORY_COLUMNS = ['quantity', 'reorder_point'];

export function mapNativeHeader(cells: readonly string[], options: NativeFeedOptions): NativeHeader {
  const messages: RowMessage[] = [];
  const found = cells.map((cell) => findColumn(unguardCell(cell), messages) ?? null);
  const names = new Set<string>();
  for (const column of found) {
    if (column === null) continue;
    if (names.has(column.name)) {
      const message = `The header row has the column ${column.name} twice.`;
      messages.push(rowMessage('duplicate_header', { column: column.name, value: column.name, message }));
    }
    names.add(column.name);
  }
  if (!names.has('seller_sku')) messages.push(missingColumn('seller_sku', cells));
  const inventory = options.mode === 'inventory';
  if (inventory && !INVENTORY_COLUMNS.some((name) => names.has(name))) {
    messages.push(missingColumn('quantity', cells));
  }
  const columns = inventory ? keepInventory(found, messages) : found;
  return { columns, messages: messages.sort(errorsFirst), exponent: currencyExponent(options.currency) };
}

/** Keeps the columns that the mode `inventory` reads, and reports all others in one warning. */
function keepInventory(
  found: readonly (FoundColumn | null)[],
  messages: RowMessage[],
): readonly (FoundColumn | null)[] {
  const ignored = found.filter((entry) => entry !== null && !entry.column.inventory);
  if (ignored.length > 0) {
    const value = ignored.map((entry) => entry?.name).join(', ');
    messages.push(rowMessage('column_ignored_in_mode', { value }));
  }
  return found.map((entry) => (entry?.column.inventory === true ? entry : null));
}

const JSON_START = /^\s*[[{]/;
const IS_JSON = {
  message: 'This looks like JSON.',
  hint: 'Send it with Content-Type: application/json.',
} as const;
export const LOOKS_LIKE_JSON = `${IS_JSON.message} ${IS_JSON.hint}`;

/** Whether a header row looks like the beginning of a JSON file that was sent as a table. */
export const looksLikeJson = ([first = '']: readonly string[]): boolean => JSON_START.test(first);

function missingColumn(column: string, cells: readonly string[]): RowMessage {
  const finding = looksLikeJson(cells)
    ? IS_JSON
    : { message: `The header row has no ${column} column, which is required.` };
  return rowMessage('required_column_missing', { column, value: column, ...finding });
}
