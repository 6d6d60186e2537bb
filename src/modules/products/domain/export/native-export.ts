/**
 * Writes products in the columns of the native feed. Each column reads back the value that it wrote, so an export that
 * is sent as a feed changes nothing. Source: docs/design/feeds-and-imports.md#exports.
 */
import type { CsvColumn, CsvColumnKind, CsvValue } from '../../../../kernel/csv-writer.ts';
import { currencyExponent, formatDecimal, type Minor } from '../../../../kernel/money.ts';
import { NATIVE_COLUMNS } from '../native-feed/native-columns.ts';
import { lookup } from '../profiles/cell.ts';
import type { ExportRow } from './export-row.ts';

const amount = (value: Minor | null, currency: string): string | null =>
  value === null ? null : formatDecimal(value, currencyExponent(currency));

/** In the row of a product without a SKU the column `product_id` names the product, so it cannot state an identity. */
const isNamedById = (row: ExportRow): boolean => row.seller_sku === null;
const hasProductIdIdentity = (row: ExportRow): boolean => row.identity_strategy === 'product_id';

/**
 * The product's own id, or the id that is its identity. In a row with a SKU and without a strategy the column would
 * state an identity, so a draft without one leaves it empty.
 */
function shownProductId(row: ExportRow): string | null {
  if (isNamedById(row)) return row.product_id;
  if (hasProductIdIdentity(row)) return row.product_ref;
  return row.identity_strategy === null ? null : row.product_id;
}

/** Values of the columns without `*`. */
const VALUES: Readonly<Record<string, (row: ExportRow) => CsvValue>> = {
  seller_sku: (row) => row.seller_sku,
  title: (row) => row.title,
  description: (row) => row.description,
  brand: (row) => row.brand,
  mpn: (row) => row.mpn,
  global_id: (row) => row.value_entered,
  identity_strategy: (row) => (isNamedById(row) && hasProductIdIdentity(row) ? null : row.identity_strategy),
  product_id: shownProductId,
  exempt_reason: (row) => row.exempt_reason,
  category: (row) => row.category,
  condition: (row) => row.condition,
  price: (row) => amount(row.price_minor, row.currency),
  compare_at: (row) => amount(row.compare_at_minor, row.currency),
  quantity: (row) => row.quantity_on_hand,
  reorder_point: (row) => row.reorder_point,
  status: (row) => row.status,
  image_urls: (row) => row.images?.map(({ url }) => url).join('|'),
  parent_sku: (row) => row.variation?.parent_sku,
};

const KINDS: Readonly<Record<string, CsvColumnKind>> = { decimal: 'decimal', 'whole number': 'number' };

/** Names of all attributes and options of the exported products. */
interface FamilyNames {
  readonly attributes: readonly string[];
  readonly axes: readonly string[];
}

const textColumn = (name: string, value: CsvColumn<ExportRow>['value']): CsvColumn<ExportRow> => ({
  name,
  kind: 'text',
  value,
});

function familyColumns(family: string, names: FamilyNames): CsvColumn<ExportRow>[] {
  if (family === 'attributes.*') {
    return names.attributes.map((name) =>
      textColumn(`attributes.${name}`, ({ attributes }) => lookup(attributes ?? {}, name)),
    );
  }
  if (names.axes.length === 0) return [];
  const axes = names.axes.map((name) =>
    textColumn(`variation.${name}`, ({ variation }) => lookup(variation?.values ?? {}, name)),
  );
  // Products have their options in different orders, so the theme states each order. An option named `theme` takes the
  // column; then the order of the columns applies.
  if (names.axes.includes('theme')) return axes;
  return [textColumn('variation.theme', ({ variation }) => variation?.theme), ...axes];
}

/** The columns of a native export, in the order of the feed contract. */
export function nativeExportColumns(names: FamilyNames): readonly CsvColumn<ExportRow>[] {
  return NATIVE_COLUMNS.flatMap(({ name, type }): CsvColumn<ExportRow>[] => {
    const value = VALUES[name];
    if (value === undefined) return familyColumns(name, names);
    return [{ name, kind: KINDS[type] ?? 'text', value }];
  });
}

/** A product as a row of a JSON feed: the same columns with typed values. */
export function nativeExportObject(row: ExportRow): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { name } of NATIVE_COLUMNS) {
    const value = VALUES[name];
    if (name === 'image_urls') object[name] = row.images?.map(({ url }) => url) ?? [];
    else if (value !== undefined) object[name] = value(row) ?? null;
    else if (name === 'attributes.*')
      for (const [key, text] of Object.entries(row.attributes ?? {})) object[`attributes.${key}`] = text;
    else if (row.variation !== null) {
      object['variation.theme'] = row.variation.theme;
      for (const [key, text] of Object.entries(row.variation.values)) object[`variation.${key}`] = text;
    }
  }
  return object;
}
