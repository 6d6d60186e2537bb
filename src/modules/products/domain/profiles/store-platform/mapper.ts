/**
 * Maps a store-platform products export: each variant is a row. The mapper holds the records of a product until the
 * next handle, because other records of the product have the pictures and option names of a variant.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import {
  createRecordNumberer,
  feedRow,
  ignoredRow,
  type NumberedRecord,
  unusableRow,
} from '../../record-rows.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { normaliseHeader } from '../cell.ts';
import { resolveColumns, unguardedColumns } from '../columns.ts';
import type { CreateMapper } from '../profile.ts';
import { metafieldColumns, STORE_COLUMNS, type StoreField } from './columns.ts';
import {
  collectImages,
  hasVariantData,
  optionNamesOf,
  type StoreEntry,
  type StoreGroup,
  storeRowKind,
} from './group.ts';
import type { StoreFile } from './store-file.ts';
import { type StoreProduct, variantRow } from './variant.ts';
import { FACTS_METAFIELD } from './variant-facts.ts';

/** The platform allows 2,048 variants. A larger group is mapped in parts, to limit the memory. */
const GROUP_RECORDS_MAX = 2_500;

/** In these columns any leading apostrophe is a text mark; in others it only guards a formula. */
const TEXT_MARKED: ReadonlySet<StoreField> = new Set(['sku', 'barcode']);

export const createStorePlatformMapper: CreateMapper = (header, context) => {
  const columns = unguardedColumns(resolveColumns(header, STORE_COLUMNS), TEXT_MARKED);
  const metafields = metafieldColumns(header, columns);
  const file: StoreFile = {
    columns,
    names: header.map((cell) => normaliseHeader(unguardCell(cell))),
    metafields: metafields.filter(({ attribute }) => attribute !== FACTS_METAFIELD),
    facts: metafields.find(({ attribute }) => attribute === FACTS_METAFIELD)?.index ?? null,
    currency: context.seller_currency,
  };
  const number = createRecordNumberer();
  const firstRows = new Map<string, number>();
  let open: StoreGroup | null = null;

  const flush = (): FeedRow[] => {
    if (open === null) return [];
    const rows = groupRows(file, open);
    open.entries.length = 0;
    return rows;
  };

  const startGroup = (handle: string, derived: boolean, row: number): StoreGroup => {
    const reappears = firstRows.get(handle) ?? null;
    if (reappears === null) firstRows.set(handle, row);
    return { handle, entries: [], head: null, optionNames: [], reappears, handleDerived: derived };
  };

  return {
    push(record) {
      const numbered = number(record);
      const fault = unusableRow(numbered, header.length);
      if (fault !== null) {
        if (open === null) return [fault];
        open.entries.push(faultEntry(numbered, fault));
        return open.entries.length > GROUP_RECORDS_MAX ? flush() : [];
      }
      const rows: FeedRow[] = [];
      const { handle, derived } = handleOf(record.cells, file, open);
      if (open === null || handle !== open.handle || open.entries.length >= GROUP_RECORDS_MAX) {
        rows.push(...flush());
        if (open === null || handle !== open.handle) open = startGroup(handle, derived, numbered.row_number);
      }
      addEntry(open, numbered, file);
      return rows;
    },
    end: flush,
  };
};

/** The handle of a record. If it has none, the handle comes from its title, or from the group that it continues. */
function handleOf(
  cells: readonly string[],
  file: StoreFile,
  group: StoreGroup | null,
): { handle: string; derived: boolean } {
  const own = file.columns.text(cells, 'handle');
  if (own !== '') return { handle: own, derived: false };
  const title = file.columns.text(cells, 'title');
  if (title === '' && group !== null) return { handle: group.handle, derived: group.handleDerived };
  return { handle: handleFromTitle(title), derived: true };
}

/** Makes a handle as the platform does: words in lower case joined by hyphens. */
function handleFromTitle(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words === null ? 'untitled' : words.join('-');
}

function faultEntry(numbered: NumberedRecord, fault: FeedRow): StoreEntry {
  return { numbered, cells: [], kind: 'blank', fault };
}

function addEntry(group: StoreGroup, numbered: NumberedRecord, file: StoreFile): void {
  const { cells } = numbered.record;
  const entry: StoreEntry = { numbered, cells, kind: storeRowKind(cells, file.columns), fault: null };
  group.entries.push(entry);
  if (group.head === null && file.columns.text(cells, 'title') !== '') group.head = entry;
  if (group.optionNames.length === 0) {
    const names = optionNamesOf(cells, file.columns);
    if (names.some((name) => name !== '')) group.optionNames = names;
  }
}

/** The rows of a group in file order. */
function groupRows(file: StoreFile, group: StoreGroup): FeedRow[] {
  const product: StoreProduct = { group, images: collectImages(group.entries, file.columns) };
  const isVariant = (entry: StoreEntry): boolean =>
    entry.kind === 'product' && hasVariantData(entry.cells, file.columns);
  const first = group.entries.find(isVariant) ?? group.head;
  return group.entries.map((entry) => {
    if (entry.fault !== null) return entry.fault;
    if (entry === first || isVariant(entry)) return variantRow(file, product, entry);
    if (entry.kind === 'blank') return ignoredRow(entry.numbered, rowMessage('row_blank'));
    if (first !== null)
      return feedRow(entry.numbered, null, [], { role: 'merged', part_of: first.numbered.row_number });
    return ignoredRow(entry.numbered, rowMessage('image_without_product', { value: group.handle }));
  });
}
