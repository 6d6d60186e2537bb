/**
 * A store platform's inventory export: one record for each variant at each location. The stock of a variant is
 * the sum of what is available at the locations that the seller chooses; variants are found by their SKU or by
 * the handle and options under which their product was imported.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { RecordFormat } from '../../../../../kernel/readers/records.ts';
import type { FieldColumns } from '../../fields/field-columns.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { stripTextMark } from '../cell.ts';
import { type Columns, type ColumnTable, resolveColumns, unguardedColumns } from '../columns.ts';
import { type OpenFile, recordsAfterHeader } from '../detection/dialects.ts';
import { stockBelowZero } from '../field-readers.ts';
import { variantKey } from '../file-key.ts';
import { fileLabels } from '../file-labels.ts';
import { readUnits } from '../read-number.ts';
import { createRowNumberer, faultOf, feedRow, ignoredRow, type RowSite } from '../row-site.ts';

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

/** Under which names findings about such a file are reported. */
export function inventoryLabels(header: readonly string[]): FieldColumns {
  return fileLabels(resolveColumns(header, INVENTORY_COLUMNS), { quantity: ['available'] });
}

/** How such a file is to be read. */
export interface StoreInventoryFile {
  readonly format: RecordFormat;
  readonly header: readonly string[];
  /** Records before the first data record, the header included. */
  readonly header_record: number;
  /** Locations whose stock counts; `null` for all. */
  readonly locations: readonly string[] | null;
}

interface VariantStock {
  units: number;
  /** Row that carries the stock; `null` while no location stocks the variant. */
  row: number | null;
  /** First row whose count cannot be read; the sum is then unknown. */
  faulty: number | null;
}

interface Stock {
  readonly variants: ReadonlyMap<string, VariantStock>;
  readonly locations: ReadonlySet<string>;
}

type Reading =
  | { readonly fault: FeedRow }
  | { readonly fault: null; readonly key: string; readonly location: string; readonly units: string };

const NOT_STOCKED = 'not stocked';

function createReader(file: StoreInventoryFile) {
  const columns = unguardedColumns(resolveColumns(file.header, INVENTORY_COLUMNS), new Set(['sku']));
  let handle = '';
  const read = (site: RowSite): Reading => {
    const fault = faultOf(site, file.header.length);
    if (fault !== null) return { fault };
    const { cells } = site.record;
    // A blank handle means the one above, as in the products export.
    handle = columns.text(cells, 'handle') || handle;
    return {
      fault: null,
      key: variantKey(handle, optionsOf(cells, columns)),
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

/** Adds up the file; memory grows with the number of variants, not with their locations. */
async function sumStock(open: OpenFile, file: StoreInventoryFile): Promise<Stock> {
  const variants = new Map<string, VariantStock>();
  const locations = new Set<string>();
  const { read } = createReader(file);
  const site = createRowNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    for (const record of batch) {
      const at = site(record);
      const reading = read(at);
      if (reading.fault !== null) continue;
      locations.add(reading.location);
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
  return { variants, locations };
}

/** The names of the locations in a file, in the order in which it names them. */
export async function inventoryLocations(
  open: OpenFile,
  file: StoreInventoryFile,
): Promise<readonly string[]> {
  return [...(await sumStock(open, file)).locations];
}

/**
 * The rows of the file, in file order: the first record of a variant carries its stock, its other locations are
 * merged into that one. Reads the file twice, because the records of a variant need not stand together.
 */
export async function* mapInventoryFile(open: OpenFile, file: StoreInventoryFile): AsyncGenerator<FeedRow[]> {
  const { variants } = await sumStock(open, file);
  const { columns, read } = createReader(file);
  const site = createRowNumberer();
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    yield batch.map((record) => {
      const at = site(record);
      const reading = read(at);
      if (reading.fault !== null) return reading.fault;
      const { key, location, units } = reading;
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
      return stockRow(at, columns, key, stock.units);
    });
  }
}

function stockRow(at: RowSite, columns: Columns<InventoryField>, key: string, units: number): FeedRow {
  const { cells } = at.record;
  const column = columns.label('available');
  const messages = units < 0 ? [stockBelowZero(column, String(units))] : [];
  const sku = stripTextMark(columns.text(cells, 'sku'));
  const patch = {
    external_key: key,
    ...(sku === '' ? {} : { seller_sku: sku }),
    quantity: Math.max(0, units),
  };
  return feedRow(at, patch, messages, {
    // A rejected row that is corrected and sent alone must carry the whole stock, not that of its location.
    cells: () => cells.map((cell, index) => (index === columns.index('available') ? String(units) : cell)),
  });
}

/** One unreadable location refuses the variant at all its locations. */
function unreadable(at: RowSite, column: string, value: string, faulty: number): FeedRow {
  const own = readUnits(value) === null;
  const message = own ? undefined : `The count of the same variant in row ${faulty} cannot be read.`;
  const detail = { column, value, expected: `a whole number or "${NOT_STOCKED}"`, message };
  return feedRow(at, null, [rowMessage('type_invalid', detail)]);
}
