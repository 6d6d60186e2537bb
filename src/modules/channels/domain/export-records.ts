/**
 * A product of a store in the columns of the platform's own export, so that the import profile maps it as it maps a
 * file. Source: docs/design/channels.md#products.
 */
import { guardCell } from '../../../kernel/formula-guard.ts';
import type { StoreProduct } from './store-product.ts';

/** Stock is not among them: the store states it by location. */
export const EXPORT_HEADER = [
  ...(['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Type', 'Tags', 'Status'] as const),
  ...(['Option1 Name', 'Option1 Value', 'Option2 Name', 'Option2 Value'] as const),
  ...(['Option3 Name', 'Option3 Value', 'Variant SKU', 'Variant Barcode'] as const),
  ...(['Variant Price', 'Variant Compare At Price', 'Image Src', 'Image Position', 'Gift Card'] as const),
] as const;
type Column = (typeof EXPORT_HEADER)[number];
type Cells = Readonly<Partial<Record<Column, string>>>;

const OPTIONS = [1, 2, 3] as const;
/** An export marks a SKU and a barcode as text, and the profile takes the mark away. */
const MARKED: ReadonlySet<Column> = new Set(['Variant SKU', 'Variant Barcode']);

const headOf = (product: StoreProduct): Cells => ({
  Title: product.title,
  'Body (HTML)': product.description,
  Vendor: product.vendor,
  Type: product.product_type,
  Tags: product.tags.join(', '),
  Status: product.status,
  ...Object.fromEntries(OPTIONS.map((n) => [`Option${n} Name`, product.option_names[n - 1] ?? ''])),
  'Gift Card': String(product.gift_card),
});

const variantOf = ({
  options,
  sku,
  barcode,
  price,
  compare_at,
}: StoreProduct['variants'][number]): Cells => ({
  ...Object.fromEntries(OPTIONS.map((n) => [`Option${n} Value`, options[n - 1] ?? ''])),
  'Variant SKU': sku ?? '',
  'Variant Barcode': barcode ?? '',
  'Variant Price': price ?? '',
  'Variant Compare At Price': compare_at ?? '',
});

const imageOf = (url: string | undefined, index: number): Cells =>
  url === undefined ? {} : { 'Image Src': url, 'Image Position': String(index + 1) };

const toCells = (cells: Cells): string[] =>
  EXPORT_HEADER.map((column) => {
    const text = cells[column] ?? '';
    return MARKED.has(column) && text !== '' ? `'${text}` : guardCell(text);
  });

const PRICES: ReadonlySet<Column> = new Set(['Variant Price', 'Variant Compare At Price']);

/** The columns that an import reads, and the records in them. @param priced whether prices are among them */
export function exportColumns(priced: boolean) {
  const kept = EXPORT_HEADER.map((name) => priced || !PRICES.has(name));
  const only = (cells: readonly string[]): string[] => cells.filter((_, index) => kept[index]);
  return {
    header: only(EXPORT_HEADER),
    recordsOf: (product: StoreProduct): string[][] => exportRecords(product).map(only),
  };
}

/** The records of a product: first one for each variant in their order, then one for each further image. */
export function exportRecords(product: StoreProduct): string[][] {
  const { handle, images, variants } = product;
  const count = Math.max(variants.length, images.length);
  return Array.from({ length: count }, (_, index) => {
    const variant = variants[index];
    return toCells({
      Handle: handle,
      ...(index === 0 && headOf(product)),
      ...(variant && variantOf(variant)),
      ...imageOf(images[index], index),
    });
  });
}
