/**
 * Writes products in the shape of a store platform's own export: one record for each variant, and further records for
 * more images. An import of the file does not change products that came from such a file. The shape has no place for
 * exemptions, reorder points, reservations, attributes that are neither the platform's nor metafields, a fourth
 * option, grades of "used", and archived products (the platform's `archived` is `inactive` here). Facts about single
 * variants are in a column of their own (`profiles/store-platform/variant-facts.ts`).
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { CsvColumn, CsvValue } from '../../../../kernel/csv-writer.ts';
import { currencyExponent, formatDecimal } from '../../../../kernel/money.ts';
import type { ProductImage } from '../product.ts';
import {
  FACTS_COLUMN,
  FACTS_METAFIELD,
  type StoreMarks,
  writeFacts,
} from '../profiles/store-platform/variant-facts.ts';
import type { ExportRow } from './export-row.ts';
import { baseImages, handleOf, optionsOf, statedKeys } from './store-group.ts';

export const STORE_GENERATIONS = ['D', 'E'] as const;
export type StoreGeneration = (typeof STORE_GENERATIONS)[number];

/** One record of the file. */
export interface StoreRecord {
  readonly handle: string;
  /** The variant; `null` in a record that has only an image. */
  readonly row: ExportRow | null;
  /** The first variant of the product, whose record has the shared values. `null` in that record itself. */
  readonly head: ExportRow | null;
  readonly image: ProductImage | null;
  /** Set if the key of the variant does not follow from its handle and options. */
  readonly key: string | null;
  /** Set when the variant has another first picture than the product. */
  readonly variantImage: string | null;
  /** Set when the other columns cannot state the pictures of a variant. */
  readonly pictures: readonly ProductImage[] | null;
}

type Value = (row: ExportRow) => CsvValue;

interface StoreColumn {
  readonly names: Readonly<Record<StoreGeneration, string>>;
  readonly kind?: 'decimal' | 'number';
  readonly value: (record: StoreRecord) => CsvValue;
  /** Set when an empty cell of a further record means the value of the first record. */
  readonly inherits?: Value;
}

/** A value on the first record, and on other records only where they differ. */
const shared = (value: Value): Pick<StoreColumn, 'value' | 'inherits'> => ({
  inherits: value,
  value: ({ row, head }) => {
    if (row === null) return null;
    const own = value(row);
    return head !== null && value(head) === own ? null : own;
  },
});
/** A value on the record of each variant. */
const own =
  (value: Value): StoreColumn['value'] =>
  ({ row }) =>
    row === null ? null : value(row);
const attribute =
  (name: string): Value =>
  ({ attributes }) =>
    attributes !== null && Object.hasOwn(attributes, name) ? attributes[name] : null;

const STATUSES: Readonly<Record<string, string>> = {
  active: 'active',
  draft: 'draft',
  inactive: 'archived',
  archived: 'archived',
};
const CONDITIONS: Readonly<Record<string, string>> = {
  new: 'new',
  refurbished: 'refurbished',
  used_good: 'used',
};
const OVERSELL: Readonly<Record<string, string>> = { deny: 'deny', allow: 'continue' };

const amount = (value: ExportRow['price_minor'], { currency }: ExportRow): CsvValue =>
  value === null ? null : formatDecimal(value, currencyExponent(currency));

const both = (D: string, E: string): StoreColumn['names'] => ({ D, E });
const option = (index: number): StoreColumn[] => {
  const name: Value = (row) => optionsOf(row)[index]?.name ?? (index === 0 ? 'Title' : null);
  const value: Value = (row) => optionsOf(row)[index]?.value ?? (index === 0 ? 'Default Title' : null);
  const n = index + 1;
  return [
    { names: both(`Option${n} Name`, `Option${n} name`), value: shared(name).value },
    { names: both(`Option${n} Value`, `Option${n} value`), value: own(value) },
    { names: both(`Option${n} Linked To`, `Option${n} Linked To`), value: () => null },
  ];
};

const COLUMNS: readonly StoreColumn[] = [
  { names: both('Handle', 'URL handle'), value: ({ handle }) => handle },
  { names: both('Title', 'Title'), ...shared((row) => row.title) },
  { names: both('Body (HTML)', 'Description'), ...shared((row) => row.description) },
  { names: both('Vendor', 'Vendor'), ...shared((row) => row.brand) },
  { names: both('Product Category', 'Product category'), ...shared((row) => row.category) },
  { names: both('Type', 'Type'), ...shared(attribute('product_type')) },
  { names: both('Tags', 'Tags'), ...shared(attribute('tags')) },
  {
    names: both('Published', 'Published on online store'),
    ...shared((row) => (row.status === 'active' ? 'true' : 'false')),
  },
  ...option(0),
  ...option(1),
  ...option(2),
  { names: both('Variant SKU', 'SKU'), value: own((row) => row.seller_sku) },
  { names: both('Variant Grams', 'Weight value (grams)'), value: own(attribute('weight_g')) },
  {
    names: both('Variant Inventory Tracker', 'Inventory tracker'),
    value: own((row) => (row.quantity_on_hand === null ? null : 'shopify')),
  },
  {
    names: both('Variant Inventory Qty', 'Inventory quantity'),
    kind: 'number',
    value: own((row) => row.quantity_on_hand),
  },
  {
    names: both('Variant Inventory Policy', 'Continue selling when out of stock'),
    value: own((row) => OVERSELL[String(attribute('oversell')(row) ?? '')]),
  },
  {
    names: both('Variant Price', 'Price'),
    kind: 'decimal',
    value: own((row) => amount(row.price_minor, row)),
  },
  {
    names: both('Variant Compare At Price', 'Compare-at price'),
    kind: 'decimal',
    value: own((row) => amount(row.compare_at_minor, row)),
  },
  {
    names: both('Variant Barcode', 'Barcode'),
    value: own((row) =>
      row.identity_strategy === 'global_id' ? row.value_entered : attribute('barcode_raw')(row),
    ),
  },
  { names: both('Image Src', 'Product image URL'), value: ({ image }) => image?.url },
  { names: both('Image Position', 'Image position'), kind: 'number', value: ({ image }) => image?.position },
  { names: both('Image Alt Text', 'Image alt text'), value: ({ image }) => image?.alt },
  { names: both('Gift Card', 'Gift card'), ...shared(() => 'false') },
  { names: both('SEO Title', 'SEO title'), ...shared(attribute('seo_title')) },
  { names: both('SEO Description', 'SEO description'), ...shared(attribute('seo_description')) },
  {
    names: both('Google Shopping / Google Product Category', 'Google Shopping / Google product category'),
    ...shared(attribute('google_product_category')),
  },
  {
    names: both('Google Shopping / Gender', 'Google Shopping / Gender'),
    ...shared(attribute('gender')),
  },
  {
    names: both('Google Shopping / Age Group', 'Google Shopping / Age group'),
    ...shared(attribute('age_group')),
  },
  {
    names: both('Google Shopping / MPN', 'Google Shopping / Manufacturer part number (MPN)'),
    value: own((row) => row.mpn),
  },
  {
    names: both('Google Shopping / Condition', 'Google Shopping / Condition'),
    ...shared((row) => CONDITIONS[row.condition ?? '']),
  },
  { names: both('Variant Image', 'Variant image URL'), value: ({ variantImage }) => variantImage },
  { names: both('Status', 'Status'), ...shared((row) => STATUSES[row.status]) },
];

/** Attributes that the platform calls metafields: a namespace and a key. */
const METAFIELD = /^[^.()]+\.[^()]+$/;

type NamedColumn = CsvColumn<StoreRecord> & Pick<StoreColumn, 'inherits'>;

/**
 * The columns of a generation, the metafields of the exported products behind them.
 *
 * @param attributes the names of all attributes of the exported products
 */
export function storeExportColumns(
  generation: StoreGeneration,
  attributes: readonly string[],
): readonly CsvColumn<StoreRecord>[] {
  const fixed = COLUMNS.map(
    ({ names, kind, ...column }): NamedColumn => ({
      ...column,
      name: names[generation],
      kind: kind ?? 'text',
    }),
  );
  const metafields = attributes
    .filter((name) => METAFIELD.test(name) && name !== FACTS_METAFIELD)
    .map(
      (name): NamedColumn => ({
        name: `${name.slice(name.indexOf('.') + 1)} (product.metafields.${name})`,
        kind: 'text',
        ...shared(attribute(name)),
      }),
    );
  const columns = [...fixed, ...metafields];
  return [...columns, factsColumn(columns)];
}

/** Facts that the other columns cannot state; see `profiles/store-platform/variant-facts.ts`. */
function factsColumn(columns: readonly NamedColumn[]): CsvColumn<StoreRecord> {
  const value = ({ row, head, key, pictures }: StoreRecord): string => {
    const none = columns.flatMap(({ name, inherits }) =>
      row !== null &&
      head !== null &&
      inherits !== undefined &&
      isEmpty(inherits(row)) &&
      !isEmpty(inherits(head))
        ? [name]
        : [],
    );
    const marks = row === null ? {} : marksBeyondColumns(row);
    return writeFacts({
      ...(key === null ? {} : { key }),
      ...(pictures === null ? {} : { pictures: pictures.map(({ url, alt }) => ({ url, alt })) }),
      ...(none.length === 0 ? {} : { none }),
      ...(Object.keys(marks).length === 0 ? {} : { marks }),
    });
  };
  return { name: FACTS_COLUMN, kind: 'text', value };
}

/** The marks of a product to which an import of its columns alone would give others. */
function marksBeyondColumns(row: ExportRow): StoreMarks {
  const implied = {
    store_status: row.status === 'active' ? null : STATUSES[row.status],
    stock_tracking: row.quantity_on_hand === null ? 'none' : null,
  };
  const own = (name: string): string | null => row.attributes?.[name] ?? null;
  return Object.fromEntries(
    Object.entries(implied).flatMap(([name, mark]) =>
      own(name) === mark ? [] : [[name, [mark, own(name)]]],
    ),
  );
}

const isEmpty = (value: CsvValue): boolean => value === null || value === undefined || value === '';

/** Whether an import of the other columns gives a variant the same pictures. */
function columnsStatePictures({ images }: ExportRow, base: readonly ProductImage[]): boolean {
  const own = images ?? [];
  const [shown] = own;
  const known = base.find(({ url }) => url === shown?.url) ?? (shown && { url: shown.url, alt: null });
  const read = known === undefined ? base : [known, ...base.filter(({ url }) => url !== known.url)];
  return (
    read.length === own.length &&
    own.every(({ url, alt }, index) => url === read[index]?.url && alt === read[index]?.alt)
  );
}

/** The records of the products of one handle. */
export function storeRecords(rows: readonly ExportRow[]): StoreRecord[] {
  const [first] = rows;
  if (first === undefined) return [];
  const handle = handleOf(first);
  const images = baseImages(rows);
  const keys = statedKeys(handle, rows);
  const stated = rows.some((row) => !columnsStatePictures(row, images));
  const records = Array.from({ length: Math.max(rows.length, images.length) }, (_, index): StoreRecord => {
    const row = rows[index] ?? null;
    const shown = row?.images?.[0]?.url;
    return {
      handle,
      row,
      head: index === 0 ? null : first,
      key: keys[index] ?? null,
      image: images[index] ?? null,
      variantImage: shown !== undefined && shown !== images[0]?.url ? shown : null,
      pictures: stated && row !== null ? (row.images ?? []) : null,
    };
  });
  return records;
}
