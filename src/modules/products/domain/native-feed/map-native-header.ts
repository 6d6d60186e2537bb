import { unguardCell } from '../../../../kernel/formula-guard.ts';
import { currencyExponent } from '../../../../kernel/money.ts';
import type { FeedMode } from '../feed-run/run.ts';
import type { RowMessage } from '../row.ts';
import { type RowCode, rowMessage } from '../row-codes.ts';
import { type FoundColumn, findColumn } from './find-column.ts';

export interface NativeFeedOptions {
  readonly mode: FeedMode;
  /** The seller's currency: it decides how many decimal places a price may have. */
  readonly currency: string;
}

export interface NativeHeader {
  /** One entry for each cell; `null`: the cell is not read. */
  readonly columns: readonly (FoundColumn | null)[];
  /** Findings about the file; after an error no record may be read. */
  readonly messages: readonly RowMessage[];
  readonly exponent: number;
}

/** An inventory file needs at least one of these columns. */
const INVENTORY_COLUMNS = ['quantity', 'reorder_point'];

export function mapNativeHeader(cells: readonly string[], options: NativeFeedOptions): NativeHeader {
  const messages: RowMessage[] = [];
  const found = cells.map((cell) => findColumn(unguardCell(cell), messages) ?? null);
  const names = new Set<string>();
  for (const column of found) {
    if (column === null) continue;
    if (names.has(column.name)) messages.push(columnMessage('duplicate_header', column.name));
    names.add(column.name);
  }
  if (!names.has('seller_sku')) messages.push(columnMessage('required_column_missing', 'seller_sku'));
  const inventory = options.mode === 'inventory';
  if (inventory && !INVENTORY_COLUMNS.some((name) => names.has(name))) {
    messages.push(columnMessage('required_column_missing', 'quantity'));
  }
  const columns = inventory ? keepInventory(found, messages) : found;
  return { columns, messages, exponent: currencyExponent(options.currency) };
}

/** In the mode `inventory` other columns are ignored, with one warning. */
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

function columnMessage(code: RowCode, column: string): RowMessage {
  return rowMessage(code, { column, value: column });
}
