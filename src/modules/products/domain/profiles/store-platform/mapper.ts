/**
 * Maps a store-platform products export: each variant is a row. The records of a product are held until its handle
 * ends, because pictures and option names of a variant stand on other records of the group.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { normaliseHeader } from '../cell.ts';
import { resolveColumns, unguardedColumns } from '../columns.ts';
import type { CreateMapper } from '../profile.ts';
import { createRowNumberer, faultOf, feedRow, ignoredRow, type RowSite } from '../row-site.ts';
import { createSkuLedger } from '../sku-ledger.ts';
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

/** More than the 2,048 variants that the platform allows; a larger group is mapped in parts, to bound the memory. */
const GROUP_RECORDS_MAX = 2_500;

/** In these columns a leading apostrophe is a text mark, whatever follows it. */
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
    skus: createSkuLedger('staged'),
  };
  const numberer = createRowNumberer();
  const firstRows = new Map<string, number>();
  let open: { product: StoreGroup; keys: Map<string, number> } | null = null;

  const flush = (): FeedRow[] => {
    if (open === null) return [];
    const rows = groupRows(file, open.product, open.keys);
    open.product.entries.length = 0;
    return rows;
  };

  const startGroup = (handle: string, derived: boolean, row: number): StoreGroup => {
    const reappears = firstRows.get(handle) ?? null;
    if (reappears === null) firstRows.set(handle, row);
    return { handle, entries: [], head: null, optionNames: [], reappears, handleDerived: derived };
  };

  return {
    push(record) {
      const site = numberer(record);
      const fault = faultOf(site, header.length);
      if (fault !== null) {
        if (open === null) return [fault];
        open.product.entries.push(faultEntry(site, fault));
        return open.product.entries.length > GROUP_RECORDS_MAX ? flush() : [];
      }
      const rows: FeedRow[] = [];
      const { handle, derived } = handleOf(record.cells, file, open?.product ?? null);
      if (
        open === null ||
        handle !== open.product.handle ||
        open.product.entries.length >= GROUP_RECORDS_MAX
      ) {
        rows.push(...flush());
        if (open === null || handle !== open.product.handle) {
          open = { product: startGroup(handle, derived, site.row_number), keys: new Map() };
        }
      }
      addEntry(open.product, site, file);
      return rows;
    },
    end: flush,
  };
};

/** The handle of a record: its own, that of the group it continues, or one made from its title. */
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

/** The platform makes handles in the same way: words in lower case joined by hyphens. */
function handleFromTitle(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words === null ? 'untitled' : words.join('-');
}

function faultEntry(site: RowSite, fault: FeedRow): StoreEntry {
  return { site, cells: [], kind: 'nothing', fault };
}

function addEntry(group: StoreGroup, site: RowSite, file: StoreFile): void {
  const { cells } = site.record;
  const entry: StoreEntry = { site, cells, kind: storeRowKind(cells, file.columns), fault: null };
  group.entries.push(entry);
  if (group.head === null && file.columns.text(cells, 'title') !== '') group.head = entry;
  if (group.optionNames.length === 0) {
    const names = optionNamesOf(cells, file.columns);
    if (names.some((name) => name !== '')) group.optionNames = names;
  }
}

/** The rows of a group in file order. */
function groupRows(file: StoreFile, group: StoreGroup, keys: Map<string, number>): FeedRow[] {
  const product: StoreProduct = { group, images: collectImages(group.entries, file.columns), keys };
  const isVariant = (entry: StoreEntry): boolean =>
    entry.kind === 'product' && hasVariantData(entry.cells, file.columns);
  const first = group.entries.find(isVariant) ?? group.head;
  return group.entries.map((entry) => {
    if (entry.fault !== null) return entry.fault;
    if (entry === first || isVariant(entry)) return variantRow(file, product, entry);
    if (entry.kind === 'nothing') return ignoredRow(entry.site, rowMessage('row_blank'));
    if (first !== null)
      return feedRow(entry.site, null, [], { role: 'merged', part_of: first.site.row_number });
    return ignoredRow(entry.site, rowMessage('image_without_product', { value: group.handle }));
  });
}
