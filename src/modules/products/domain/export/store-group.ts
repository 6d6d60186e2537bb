/** How the store platform's shape groups products: by handle, options and shared pictures. */
import type { ProductImage } from '../product.ts';
import type { OptionValue } from '../profiles/file-key.ts';
import { variantKey } from '../profiles/file-key.ts';
import type { ExportRow } from './export-row.ts';

/** More options than the shape has columns for. */
const OPTIONS_MAX = 3;
const STORE_PROFILE = 'store_platform_products';

/** Words of a SKU in lower case, joined by hyphens, as the platform makes handles. */
const slug = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('-');

export type GroupedRow = Pick<
  ExportRow,
  'product_id' | 'seller_sku' | 'external_key' | 'external_profile' | 'variation'
>;

/** The key of a product's group; the database orders by the same rule. */
export function groupKeyOf(row: GroupedRow): string {
  const { external_key, external_profile, variation, product_id } = row;
  if (external_profile === STORE_PROFILE && external_key !== null) return external_key.split('#', 1)[0] ?? '';
  return variation?.parent_sku ?? product_id;
}

/** The imported handle, or the parent SKU, or a handle from the product's SKU and id. */
export function handleOf(row: GroupedRow): string {
  const key = groupKeyOf(row);
  if (key !== row.product_id)
    return row.external_profile === STORE_PROFILE ? key.replaceAll('%23', '#') : key;
  // Without a SKU only the handle can name the product.
  if (row.seller_sku === null) return row.product_id.replace('_', '-');
  return `${slug(row.seller_sku)}-${row.product_id.slice(-8)}`;
}

const ID_AS_HANDLE = /^prd-([0-9a-z]{26})$/;

/** The product of a handle that was made from its id; `null` for other keys. */
export function productIdInKey(external_key: string | null | undefined): string | null {
  const id = ID_AS_HANDLE.exec(external_key ?? '')?.[1];
  return id === undefined ? null : `prd_${id}`;
}

/** The options of a variant in the order of its theme. */
export function optionsOf({ variation }: Pick<ExportRow, 'variation'>): readonly OptionValue[] {
  if (variation === null) return [];
  const axes = variation.theme.split('/').map((axis) => axis.trim());
  const names = axes.every((axis) => Object.hasOwn(variation.values, axis))
    ? axes
    : Object.keys(variation.values);
  return names.slice(0, OPTIONS_MAX).map((name) => ({ name, value: variation.values[name] ?? '' }));
}

/**
 * The key of an exported product that has none of its own. When the file is imported again, the key names the same
 * product.
 */
export function generatedKey(row: GroupedRow): string {
  return variantKey(
    handleOf(row),
    optionsOf(row).map(({ value }) => value),
  );
}

/** Whether two lists hold the same addresses. */
function sameSet(left: readonly ProductImage[], right: readonly ProductImage[]): boolean {
  const urls = new Set(left.map(({ url }) => url));
  return left.length === right.length && right.every(({ url }) => urls.has(url));
}

/**
 * The pictures of the product. A variant shows its own picture first and then the product's, so two variants with
 * different first pictures give the place of both. A picture that one variant shows first and another lacks belongs to
 * that variant alone.
 */
export function baseImages(rows: readonly ExportRow[]): ProductImage[] {
  const lists = rows.map(({ images }) => images ?? []);
  const known = behindOwnPictures(lists) ?? union(lists);
  return known.map((image, index) => ({ ...image, position: index + 1 }));
}

/** The pictures that all lists share, if each list has at most one more, at its beginning; otherwise `null`. */
function behindOwnPictures(lists: readonly (readonly ProductImage[])[]): readonly ProductImage[] | null {
  const shown = new Map<string, number>();
  for (const { url } of lists.flat()) shown.set(url, (shown.get(url) ?? 0) + 1);
  const isShared = ({ url }: ProductImage): boolean => shown.get(url) === lists.length;
  let behind: readonly ProductImage[] | null = null;
  for (const [front, ...rest] of lists) {
    if (front === undefined) continue;
    if (!rest.every(isShared)) return null;
    if (isShared(front)) continue;
    // The shape has no alt text for a variant's own picture.
    if (front.alt !== null) return null;
    behind = rest;
  }
  return behind;
}

/** Every picture once: in the common order of the first two lists that differ only in order, then the others. */
function union(lists: readonly (readonly ProductImage[])[]): readonly ProductImage[] {
  const [first = [], ...others] = lists;
  const second = others.find((list) => list[0]?.url !== first[0]?.url && sameSet(list, first));
  const known = second === undefined ? [...first] : merged(first, second, lists);
  const urls = new Set(known.map(({ url }) => url));
  for (const image of lists.flat()) {
    if (urls.has(image.url)) continue;
    urls.add(image.url);
    known.push(image);
  }
  return known;
}

/** The common order of two lists with different first pictures; the other `lists` decide in doubt. */
function merged(
  one: readonly ProductImage[],
  two: readonly ProductImage[],
  lists: readonly (readonly ProductImage[])[],
): ProductImage[] {
  const [headOne] = one;
  const [headTwo] = two;
  if (headOne === undefined || headTwo === undefined) return [...one];
  const restOne = one.slice(1);
  const placeOfOne = placeOf(headOne, two) - 1;
  const placeOfTwo = placeOf(headTwo, one) - 1;
  // Each first picture is missing at its place in its own list; the earlier of the two places is not moved.
  const earlier =
    placeOfOne === placeOfTwo ? !standsBehind(headOne, headTwo, lists) : placeOfOne < placeOfTwo;
  const at = earlier ? placeOfOne : placeOfOne + 1;
  return [...restOne.slice(0, at), headOne, ...restOne.slice(at)];
}

function placeOf({ url }: ProductImage, list: readonly ProductImage[]): number {
  return list.findIndex((image) => image.url === url);
}

/** Whether a list that begins with neither picture has `one` behind `other`. */
function standsBehind(
  one: ProductImage,
  other: ProductImage,
  lists: readonly (readonly ProductImage[])[],
): boolean {
  const witness = lists.find((list) => placeOf(one, list) > 0 && placeOf(other, list) > 0);
  return witness !== undefined && placeOf(one, witness) > placeOf(other, witness);
}
