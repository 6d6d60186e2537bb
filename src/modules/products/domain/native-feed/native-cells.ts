/**
 * A product in the columns of the native feed: the inverse of the mapper, so that an export that is fed back changes
 * nothing (docs/design/feeds-and-imports.md#exports).
 */
import type { CsvColumn } from '../../../../kernel/csv-writer.ts';
import { currencyExponent, formatDecimal, type Minor } from '../../../../kernel/money.ts';
import type { CatalogueProduct } from '../product.ts';

const text = (name: string, value: (product: CatalogueProduct) => string | null): NativeCell => ({
  name,
  kind: 'text',
  value,
});
const amount = (name: string, value: (product: CatalogueProduct) => Minor | null): NativeCell => ({
  name,
  kind: 'decimal',
  value: (product) => {
    const minor = value(product);
    return minor === null ? null : formatDecimal(minor, currencyExponent(product.currency));
  },
});
const whole = (name: string, value: (product: CatalogueProduct) => number | null): NativeCell => ({
  name,
  kind: 'number',
  value,
});

type NativeCell = CsvColumn<CatalogueProduct>;

const BEFORE_ATTRIBUTES: readonly NativeCell[] = [
  text('seller_sku', ({ seller_sku }) => seller_sku),
  text('title', ({ title }) => title),
  text('description', ({ description }) => description),
  text('brand', ({ brand }) => brand),
  text('mpn', ({ identity }) => identity?.mpn ?? null),
  text('global_id', ({ identity }) => identity?.value_entered ?? null),
  text('identity_strategy', ({ identity }) => identity?.strategy ?? null),
  text('product_id', productIdCell),
  text('exempt_reason', ({ identity }) => identity?.exempt_reason ?? null),
  text('category', ({ category }) => category),
  text('condition', ({ condition }) => condition),
  amount('price', ({ price_minor }) => price_minor),
  amount('compare_at', ({ compare_at_minor }) => compare_at_minor),
  whole('quantity', ({ quantity_on_hand }) => quantity_on_hand),
  whole('reorder_point', ({ reorder_point }) => reorder_point),
  text('status', ({ status }) => status),
  text('image_urls', ({ images }) => images.map(({ url }) => url).join('|')),
];

/**
 * The columns of an export.
 *
 * @param attributes names of all attributes in the catalogue
 * @param axes names of all options of variations in the catalogue
 */
export function nativeCells(attributes: readonly string[], axes: readonly string[]): readonly NativeCell[] {
  return [
    ...BEFORE_ATTRIBUTES,
    ...attributes.map((name) => text(`attributes.${name}`, (product) => own(product.attributes, name))),
    text('parent_sku', ({ variation }) => variation?.parent_sku ?? null),
    ...axes.map((name) => text(`variation.${name}`, ({ variation }) => own(variation?.values ?? {}, name))),
    // An option named theme takes the column; the columns then give the order of the options.
    ...(axes.length === 0 || axes.includes('theme')
      ? []
      : [text('variation.theme', ({ variation }) => variation?.theme ?? null)]),
  ];
}

/** The product of the identity; for a product without SKU its own id. */
function productIdCell({ identity, seller_sku, product_id }: CatalogueProduct): string | null {
  return identity?.product_ref ?? (seller_sku === null ? product_id : null);
}

function own(record: Readonly<Record<string, string>>, name: string): string | null {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null;
}
