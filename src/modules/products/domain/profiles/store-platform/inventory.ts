/**
 * Maps a store platform's inventory export, which has one record for each variant at each location. The stock of a
 * variant is the sum of the available units at the locations that the seller chooses. The handle and the options of a
 * record name the product that was imported under them. If there is none, the SKU names it, unless several variants of
 * the file have this SKU. Where a file without options has several SKUs under one handle, the SKU alone names them.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
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

/** Why a sum is unknown. Then all rows of the variant are rejected. */
interface Fault {
  readonly row: number;
  readonly kind: 'unreadable' | 'repeated' | 'broken';
}

interface VariantStock {
  units: number;
  /** The row that sets the stock; `null` if no location stocks the variant. */
  row: number | null;
  fault: Fault | null;
  /** The numbers of the locations that the sum has. */
  readonly locations: Set<number>;
}

interface Stock {
  /** By handle, options and SKU. */
  readonly variants: ReadonlyMap<string, VariantStock>;
  readonly locations: ReadonlyMap<string, number>;
  /** The SKUs of several variants. They do not identify a variant. */
  readonly repeatedSkus: ReadonlySet<string>;
  /** The keys with several SKUs, because the file lacks options. They do not identify a variant. */
  readonly repeatedKeys: ReadonlySet<string>;
  /** Handle → the first row with it whose cells cannot be assigned to columns. It may be of any of its variants. */
  readonly broken: ReadonlyMap<string, number>;
}

interface Reading {
  readonly fault: FeedRow | null;
  readonly handle: string;
  readonly key: string;
  readonly sku: string;
  readonly location: string;
  readonly units: string;
}

const variantOf = ({ key, sku }: Reading): string => `${key}\n${sku}`;

const NOT_STOCKED = 'not stocked';

function createReader(file: StoreInventoryFile) {
  const columns = unguardedColumns(resolveColumns(file.header, INVENTORY_COLUMNS), new Set(['sku']));
  let handle = '';
  const read = (numbered: NumberedRecord): Reading => {
    const fault = unusableRow(numbered, file.header.length);
    const { cells } = numbered.record;
    // A blank handle means the handle above, as in the products export.
    if (fault?.role !== 'ignored') handle = columns.text(cells, 'handle') || handle;
    return {
      fault,
      handle,
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

/** Remembers a name, and whether it was seen with another partner before. */
function pairUp(partners: Map<string, string>, name: string, partner: string, repeated: Set<string>): void {
  if ((partners.get(name) ?? partner) !== partner) repeated.add(name);
  partners.set(name, partner);
}

const newStock = (): VariantStock => ({ units: 0, row: null, fault: null, locations: new Set() });

function addStock(stock: VariantStock, { units: text }: Reading, location: number, row: number): void {
  if (stock.locations.has(location)) stock.fault ??= { row, kind: 'repeated' };
  stock.locations.add(location);
  if (text.toLowerCase() === NOT_STOCKED) return;
  const units = readUnits(text);
  if (units === null) stock.fault ??= { row, kind: 'unreadable' };
  stock.units += units ?? 0;
  stock.row ??= row;
}

/** Sums the stock of each variant. */
async function sumStock(open: OpenFile, file: StoreInventoryFile): Promise<Stock> {
  const variants = new Map<string, VariantStock>();
  const locations = new Map<string, number>();
  const keyOfSku = new Map<string, string>();
  const skuOfKey = new Map<string, string>();
  const repeatedSkus = new Set<string>();
  const repeatedKeys = new Set<string>();
  const broken = new Map<string, number>();
  const { read } = createReader(file);
  const number = createRecordNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    for (const record of batch) {
      const at = number(record);
      const reading = read(at);
      const { fault, handle, key, sku, location } = reading;
      if (fault !== null) {
        if (fault.role !== 'ignored' && !broken.has(handle)) broken.set(handle, at.row_number);
        continue;
      }
      if (!locations.has(location)) locations.set(location, locations.size);
      if (sku !== '') pairUp(keyOfSku, sku, key, repeatedSkus);
      pairUp(skuOfKey, key, sku, repeatedKeys);
      if (!counts(file, location)) continue;
      const name = variantOf(reading);
      const stock = variants.get(name) ?? newStock();
      variants.set(name, stock);
      addStock(stock, reading, locations.get(location) ?? 0, at.row_number);
    }
  }
  return { variants, locations, repeatedSkus, repeatedKeys, broken };
}

/** The names of the locations in a file, in their order in the file. */
export async function inventoryLocations(
  open: OpenFile,
  file: StoreInventoryFile,
): Promise<readonly string[]> {
  return [...(await sumStock(open, file)).locations.keys()];
}

/**
 * Maps the file to rows, in file order. The first record of a variant sets its stock, and its other records are merged
 * into that row. The file is read twice, because the records of a variant may be anywhere.
 */
export async function* mapInventoryFile(open: OpenFile, file: StoreInventoryFile): AsyncGenerator<FeedRow[]> {
  const { variants, repeatedSkus, repeatedKeys, broken } = await sumStock(open, file);
  const { columns, read } = createReader(file);
  const number = createRecordNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    yield batch.map((record) => {
      const at = number(record);
      const reading = read(at);
      if (reading.fault !== null) return reading.fault;
      const { handle, key, sku, location, units } = reading;
      if (!counts(file, location)) {
        const detail = { column: columns.label('location'), value: location };
        return ignoredRow(at, rowMessage('location_not_chosen', detail));
      }
      const stock = variants.get(variantOf(reading));
      const brokenRow = broken.get(handle);
      const fault =
        brokenRow === undefined ? (stock?.fault ?? null) : ({ row: brokenRow, kind: 'broken' } as const);
      if (fault !== null) return unknownSum(at, columns, reading, fault);
      if (stock === undefined || units.toLowerCase() === NOT_STOCKED) {
        const detail = { column: columns.label('available'), value: units };
        return ignoredRow(at, rowMessage('not_stocked', detail));
      }
      if (stock.row !== at.row_number) {
        return feedRow(at, null, [], { role: 'merged', part_of: stock.row ?? at.row_number });
      }
      const names = { key: repeatedKeys.has(key) ? null : key, sku: repeatedSkus.has(sku) ? '' : sku };
      return stockRow(at, columns, names, stock.units);
    });
  }
}

function stockRow(
  at: NumberedRecord,
  columns: Columns<InventoryField>,
  { key, sku }: { readonly key: string | null; readonly sku: string },
  units: number,
): FeedRow {
  const { cells } = at.record;
  const column = columns.label('available');
  const messages = units < 0 ? [stockBelowZero(column, String(units))] : [];
  const patch = {
    ...(key === null ? {} : { external_key: key }),
    ...(sku === '' ? {} : { seller_sku: sku }),
    quantity: Math.max(0, units),
  };
  return feedRow(at, patch, messages, {
    // The seller may correct a rejected row and send it alone, so the row must state the stock of all locations.
    cells: () => cells.map((cell, index) => (index === columns.index('available') ? String(units) : cell)),
  });
}

/** The row of a variant whose sum is unknown. */
function unknownSum(
  at: NumberedRecord,
  columns: Columns<InventoryField>,
  { location, units }: Reading,
  { row, kind }: Fault,
): FeedRow {
  if (kind === 'repeated') {
    const message = `Row ${row} of this file has a variant and a location that an earlier row has.`;
    const detail = { column: columns.label('location'), value: location, message };
    return feedRow(at, null, [rowMessage('duplicate_in_file', detail)]);
  }
  const own = readUnits(units) === null && units.toLowerCase() !== NOT_STOCKED;
  const whose =
    kind === 'broken'
      ? 'handle, and its cells do not fit the header'
      : 'variant, and its count cannot be read';
  const message = own ? undefined : `Row ${row} has the same ${whose}.`;
  const expected = `a whole number or "${NOT_STOCKED}"`;
  const detail = { column: columns.label('available'), value: units, expected, message };
  return feedRow(at, null, [rowMessage('type_invalid', detail)]);
}
