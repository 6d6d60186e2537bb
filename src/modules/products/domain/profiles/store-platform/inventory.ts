/**
 * Maps a store platform's inventory export, which has one record for each variant at each location. The stock of a
 * variant is the sum of the available units at the locations that the seller chooses. The handle and the options of a
 * record name the product that was imported under them. If there is none, the SKU names it, unless several variants of
 * the file have this SKU. Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { RecordFormat } from '../../../../../kernel/readers/records.ts';
import type { FieldColumns } from '../../fields/field-columns.ts';
import {
  createRecordNumberer,
  feedRow,
  ignoredRow,
  type NumberedRecord,
  unusableRow,
} from '../../record-rows.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { stripTextMark } from '../cell.ts';
import { type Columns, type ColumnTable, resolveColumns, unguardedColumns } from '../columns.ts';
import { type OpenFile, recordsAfterHeader } from '../detection/dialects.ts';
import { stockBelowZero } from '../field-readers.ts';
import { variantKey } from '../file-key.ts';
import { fileLabels } from '../file-labels.ts';
import { readUnits } from '../read-number.ts';

const INVENTORY_COLUMNS = {
  handle: ['handle', 'url handle'],
  option1_value: ['option1 value'],
  option2_value: ['option2 value'],
  option3_value: ['option3 value'],
  sku: ['sku', 'variant sku'],
  location: ['location'],
  available: [
    'available',
    'available (not editable)',
    'on hand',
    'on hand (current)',
    'on hand (not editable)',
    'on hand (new)',
  ],
} as const satisfies ColumnTable<string>;
type InventoryField = keyof typeof INVENTORY_COLUMNS;

/** The column names that findings about the file use. */
export function inventoryLabels(header: readonly string[]): FieldColumns {
  return fileLabels(resolveColumns(header, INVENTORY_COLUMNS), {
    external_key: ['handle'],
    quantity: ['available'],
  });
}

/** How to read the file. */
export interface StoreInventoryFile {
  readonly format: RecordFormat;
  readonly header: readonly string[];
  /** The number of the header record, from 1. */
  readonly header_record: number;
  /** The names of the locations whose stock counts; `null` for all locations. */
  readonly locations: readonly string[] | null;
}

interface VariantStock {
  units: number;
  /** The row that sets the stock; `null` if no location stocks the variant. */
  row: number | null;
  /** The first row whose count cannot be read. The sum is then unknown. */
  faulty: number | null;
}

interface Stock {
  readonly variants: ReadonlyMap<string, VariantStock>;
  readonly locations: ReadonlySet<string>;
  /** The SKUs of several variants. They do not identify a variant. */
  readonly repeatedSkus: ReadonlySet<string>;
}

type Reading =
  | { readonly fault: FeedRow }
  | {
      readonly fault: null;
      readonly key: string;
      readonly sku: string;
      readonly location: string;
      readonly units: string;
    };

const NOT_STOCKED = 'not stocked';

function createReader(file: StoreInventoryFile) {
  const columns = unguardedColumns(resolveColumns(file.header, INVENTORY_COLUMNS), new Set(['sku']));
  let handle = '';
  const read = (numbered: NumberedRecord): Reading => {
    const fault = unusableRow(numbered, file.header.length);
    if (fault !== null) return { fault };
    const { cells } = numbered.record;
    // A blank handle means the handle above, as in the products export.
    handle = columns.text(cells, 'handle') || handle;
    return {
      fault: null,
      key: variantKey(handle, optionsOf(cells, columns)),
      sku: stripTextMark(columns.text(cells, 'sku')),
      location: columns.text(cells, 'location'),
      units: columns.text(cells, 'available'),
    };
  };
  return { columns, read };
}

function optionsOf(cells: readonly string[], columns: Columns<InventoryField>): readonly string[] {
  return (['option1_value', 'option2_value', 'option3_value'] as const)
    .map((field) => columns.text(cells, field))
    .filter((value) => value !== '' && value.toLowerCase() !== 'default title');
}

function counts({ locations }: StoreInventoryFile, location: string): boolean {
  return locations === null || locations.includes(location);
}

/** Sums the stock of each variant. The memory grows with the number of variants, not of locations. */
async function sumStock(open: OpenFile, file: StoreInventoryFile): Promise<Stock> {
  const variants = new Map<string, VariantStock>();
  const locations = new Set<string>();
  const keyOfSku = new Map<string, string>();
  const repeatedSkus = new Set<string>();
  const { read } = createReader(file);
  const number = createRecordNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    for (const record of batch) {
      const at = number(record);
      const reading = read(at);
      if (reading.fault !== null) continue;
      locations.add(reading.location);
      const { key, sku } = reading;
      if (sku !== '' && (keyOfSku.get(sku) ?? key) !== key) repeatedSkus.add(sku);
      keyOfSku.set(sku, key);
      if (!counts(file, reading.location)) continue;
      const stock = variants.get(reading.key) ?? { units: 0, row: null, faulty: null };
      variants.set(reading.key, stock);
      if (reading.units.toLowerCase() === NOT_STOCKED) continue;
      const units = readUnits(reading.units);
      if (units === null) stock.faulty ??= at.row_number;
      stock.units += units ?? 0;
      stock.row ??= at.row_number;
    }
  }
  return { variants, locations, repeatedSkus };
}

/** The names of the locations in a file, in their order in the file. */
export async function inventoryLocations(
  open: OpenFile,
  file: StoreInventoryFile,
): Promise<readonly string[]> {
  return [...(await sumStock(open, file)).locations];
}

/**
 * Maps the file to rows, in file order. The first record of a variant sets its stock, and its other records are merged
 * into that row. The file is read twice, because the records of a variant may be anywhere.
 */
export async function* mapInventoryFile(open: OpenFile, file: StoreInventoryFile): AsyncGenerator<FeedRow[]> {
  const { variants, repeatedSkus } = await sumStock(open, file);
  const { columns, read } = createReader(file);
  const number = createRecordNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    yield batch.map((record) => {
      const at = number(record);
      const reading = read(at);
      if (reading.fault !== null) return reading.fault;
      const { key, sku, location, units } = reading;
      if (!counts(file, location)) {
        const detail = { column: columns.label('location'), value: location };
        return ignoredRow(at, rowMessage('location_not_chosen', detail));
      }
      const stock = variants.get(key);
      const column = columns.label('available');
      if (stock === undefined || units.toLowerCase() === NOT_STOCKED) {
        return ignoredRow(at, rowMessage('not_stocked', { column, value: units }));
      }
      if (stock.faulty !== null) return unreadable(at, column, units, stock.faulty);
      if (stock.row !== at.row_number) {
        return feedRow(at, null, [], { role: 'merged', part_of: stock.row ?? at.row_number });
      }
      return stockRow(at, columns, { key, sku: repeatedSkus.has(sku) ? '' : sku }, stock.units);
    });
  }
}

function stockRow(
  at: NumberedRecord,
  columns: Columns<InventoryField>,
  { key, sku }: { readonly key: string; readonly sku: string },
  units: number,
): FeedRow {
  const { cells } = at.record;
  const column = columns.label('available');
  const messages = units < 0 ? [stockBelowZero(column, String(units))] : [];
  const patch = {
    external_key: key,
    ...(sku === '' ? {} : { seller_sku: sku }),
    quantity: Math.max(0, units),
  };
  return feedRow(at, patch, messages, {
    // The seller may correct a rejected row and send it alone, so the row must state the stock of all locations.
    cells: () => cells.map((cell, index) => (index === columns.index('available') ? String(units) : cell)),
  });
}

/** A count that cannot be read rejects all rows of its variant. */
function unreadable(at: NumberedRecord, column: string, value: string, faulty: number): FeedRow {
  const own = readUnits(value) === null;
  const message = own ? undefined : `Row ${faulty} has the same variant, and its count cannot be read.`;
  const detail = { column, value, expected: `a whole number or "${NOT_STOCKED}"`, message };
  return feedRow(at, null, [rowMessage('type_invalid', detail)]);
}
