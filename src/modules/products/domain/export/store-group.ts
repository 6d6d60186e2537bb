/** How the store platform's shape groups products: the handle, the options and the pictures that they share. */
import type { ProductImage } from '../product.ts';
import type { OptionValue } from '../profiles/variation.ts';
import type { ExportRow } from './export-row.ts';

/** More options than the shape has columns for. */
const OPTIONS_MAX = 3;
const STORE_PROFILE = 'store_platform_products';

/** Words of a SKU in lower case, joined by hyphens, as the platform makes handles. */
const slug = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('-');

/** What the products of one handle have in common; the database orders by the same rule. */
export function groupKeyOf(row: ExportRow): string {
  const { external_key, external_profile, variation, product_id } = row;
  if (external_profile === STORE_PROFILE && external_key !== null) return external_key.split('#', 1)[0] ?? '';
  return variation?.parent_sku ?? product_id;
}

/** The handle: as it was imported, or the parent SKU, or one made of the product's own SKU and id. */
export function handleOf(row: ExportRow): string {
  const key = groupKeyOf(row);
  if (key !== row.product_id)
    return row.external_profile === STORE_PROFILE ? key.replaceAll('%23', '#') : key;
  const tail = row.product_id.slice(-8);
  return row.seller_sku === null ? tail : `${slug(row.seller_sku)}-${tail}`;
}

/** The options of a variant in the order of its theme. */
export function optionsOf({ variation }: ExportRow): readonly OptionValue[] {
  if (variation === null) return [];
  const axes = variation.theme.split('/').map((axis) => axis.trim());
  const names = axes.every((axis) => Object.hasOwn(variation.values, axis))
    ? axes
    : Object.keys(variation.values);
  return names.slice(0, OPTIONS_MAX).map((name) => ({ name, value: variation.values[name] ?? '' }));
}

/** Whether two lists hold the same addresses. */
function sameSet(left: readonly ProductImage[], right: readonly ProductImage[]): boolean {
  const urls = new Set(left.map(({ url }) => url));
  return left.length === right.length && right.every(({ url }) => urls.has(url));
}

/**
 * The pictures of the product behind those of its variants. A variant shows its own picture first and the
 * product's after it, so two variants with different first pictures tell where both stand.
 */
export function baseImages(rows: readonly ExportRow[]): ProductImage[] {
  const lists = rows.map(({ images }) => images ?? []);
  const [first = [], ...others] = lists;
  const second = others.find((list) => list[0]?.url !== first[0]?.url && sameSet(list, first));
  const known = second === undefined ? first : merged(first, second);
  const urls = new Set(known.map(({ url }) => url));
  const rest: ProductImage[] = [];
  for (const image of lists.flat()) {
    if (urls.has(image.url)) continue;
    urls.add(image.url);
    rest.push(image);
  }
  return [...known, ...rest].map((image, index) => ({ ...image, position: index + 1 }));
}

/** The common order of two lists that differ in which picture stands first. */
function merged(one: readonly ProductImage[], two: readonly ProductImage[]): ProductImage[] {
  const [headOne] = one;
  const [headTwo] = two;
  if (headOne === undefined || headTwo === undefined) return [...one];
  const restOne = one.slice(1);
  const placeOfOne = two.slice(1).findIndex(({ url }) => url === headOne.url);
  const placeOfTwo = restOne.findIndex(({ url }) => url === headTwo.url);
  // Each list lacks its own first picture: the one that stands earlier is not moved by the other's absence.
  const at = placeOfOne <= placeOfTwo ? placeOfOne : placeOfOne + 1;
  return [...restOne.slice(0, at), headOne, ...restOne.slice(at)];
}
