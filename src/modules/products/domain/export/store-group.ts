/** Groups products as a store platform's file does: by handle, options and shared pictures. */
import type { ProductImage } from '../product.ts';
import type { OptionValue } from '../profiles/file-key.ts';
import { variantKey } from '../profiles/file-key.ts';
import type { ExportRow } from './export-row.ts';

/** The file has columns for three options. */
const OPTIONS_MAX = 3;
const STORE_PROFILE = 'store_platform_products';

/** The words of a SKU in lower case, joined by hyphens: the form of the platform's handles. */
const slug = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('-');

type GroupedRow = Pick<
  ExportRow,
  'product_id' | 'seller_sku' | 'external_key' | 'external_profile' | 'variation'
>;

/** The key of a product's group. The query of the export orders the products by the same rule. */
export function groupKeyOf(row: GroupedRow): string {
  const { external_key, external_profile, variation, product_id } = row;
  if (external_profile === STORE_PROFILE && external_key !== null) return external_key.split('#', 1)[0] ?? '';
  return variation?.parent_sku ?? product_id;
}

/** The handle of a product: the imported one, or the parent SKU, or one made from the product's SKU and id. */
export function handleOf(row: GroupedRow): string {
  const key = groupKeyOf(row);
  if (key !== row.product_id)
    return row.external_profile === STORE_PROFILE ? key.replaceAll('%23', '#') : key;
  // An import of the file must find a product without a SKU by its handle, so the handle has the whole id.
  if (row.seller_sku === null) return idAsKey(row);
  return `${slug(row.seller_sku)}-${row.product_id.slice(-8)}`;
}

const idAsKey = ({ product_id }: Pick<GroupedRow, 'product_id'>): string => product_id.replace('_', '-');

const ID_AS_HANDLE = /^prd-([0-9a-z]{26})$/;

/** The product id in a handle that was made from it; `null` for other keys. */
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

/** Makes a key for an exported product without one. An import of the file finds the product by this key. */
export function generatedKey(row: GroupedRow): string {
  return variantKey(
    handleOf(row),
    optionsOf(row).map(({ value }) => value),
  );
}

/**
 * The key that the file must state for each row of a group; `null` if an import finds the product without it. A product
 * with an imported key states that key if its handle and options give another one. Any other product states its id,
 * unless its SKU or its handle names it and no other row has the same key.
 */
export function statedKeys(handle: string, rows: readonly GroupedRow[]): (string | null)[] {
  const keys = rows.map((row) => ({
    own: row.external_profile === STORE_PROFILE ? row.external_key : null,
    given: variantKey(
      handle,
      optionsOf(row).map(({ value }) => value),
    ),
  }));
  const uses = new Map<string, number>();
  for (const { own, given } of keys) {
    for (const key of new Set([own ?? given, given])) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  return rows.map((row, index) => {
    const { own, given } = keys[index] ?? { own: null, given: '' };
    if (own !== null) return own === given ? null : own;
    const named = row.seller_sku !== null || productIdInKey(given) === row.product_id;
    return named && uses.get(given) === 1 ? null : idAsKey(row);
  });
}

/** Whether two lists hold the same addresses. */
function sameSet(left: readonly ProductImage[], right: readonly ProductImage[]): boolean {
  const urls = new Set(left.map(({ url }) => url));
  return left.length === right.length && right.every(({ url }) => urls.has(url));
}

/**
 * Finds the pictures of the product from those of its variants. A variant shows its own picture first and then the
 * pictures of the product. So two variants with different first pictures show where both pictures belong. A picture
 * that one variant shows first and another variant lacks belongs to the first variant alone.
 */
export function baseImages(rows: readonly ExportRow[]): ProductImage[] {
  const lists = rows.map(({ images }) => images ?? []);
  const known = imagesAfterOwn(lists) ?? union(lists);
  return known.map((image, index) => ({ ...image, position: index + 1 }));
}

/** The pictures that all lists have; `null` if a list has another picture that is not its first. */
function imagesAfterOwn(lists: readonly (readonly ProductImage[])[]): readonly ProductImage[] | null {
  const shown = new Map<string, number>();
  for (const { url } of lists.flat()) shown.set(url, (shown.get(url) ?? 0) + 1);
  const isShared = ({ url }: ProductImage): boolean => shown.get(url) === lists.length;
  let behind: readonly ProductImage[] | null = null;
  for (const [front, ...rest] of lists) {
    if (front === undefined) continue;
    if (!rest.every(isShared)) return null;
    if (isShared(front)) continue;
    // The file has no column for the alt text of a variant's own picture.
    if (front.alt !== null) return null;
    behind = rest;
  }
  return behind;
}

/** All pictures, each once. If two lists differ only in order, their common order comes first. */
function union(lists: readonly (readonly ProductImage[])[]): readonly ProductImage[] {
  const [first = [], ...others] = lists;
  const second = others.find((list) => list[0]?.url !== first[0]?.url && sameSet(list, first));
  const known = second === undefined ? [...first] : commonOrder(first, second, lists);
  const urls = new Set(known.map(({ url }) => url));
  for (const image of lists.flat()) {
    if (urls.has(image.url)) continue;
    urls.add(image.url);
    known.push(image);
  }
  return known;
}

/** The common order of two lists with different first pictures. If both orders are possible, the other lists decide. */
function commonOrder(
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
  // Neither place counts the other first picture, so the later place is one too small.
  const oneIsFirst =
    placeOfOne === placeOfTwo ? !comesLater(headOne, headTwo, lists) : placeOfOne < placeOfTwo;
  const at = oneIsFirst ? placeOfOne : placeOfOne + 1;
  return [...restOne.slice(0, at), headOne, ...restOne.slice(at)];
}

function placeOf({ url }: ProductImage, list: readonly ProductImage[]): number {
  return list.findIndex((image) => image.url === url);
}

/** Whether a list that begins with neither picture has `one` after `other`. */
function comesLater(
  one: ProductImage,
  other: ProductImage,
  lists: readonly (readonly ProductImage[])[],
): boolean {
  const witness = lists.find((list) => placeOf(one, list) > 0 && placeOf(other, list) > 0);
  return witness !== undefined && placeOf(one, witness) > placeOf(other, witness);
}
