import type { CurationReason, ProductImage, ProductIssue } from '../product.ts';
import type { Variation } from '../row.ts';

/** Compares lists item by item, by some keys of the items. */
const sameBy =
  <T>(...keys: (keyof T)[]) =>
  (left: readonly T[], right: readonly T[]): boolean =>
    left === right ||
    (left.length === right.length &&
      left.every((item, index) => keys.every((key) => item[key] === right[index]?.[key])));

const SHOWN = ['url', 'alt', 'position', 'width', 'height', 'content_type', 'bytes', 'sha256'] as const;

export const sameImages = sameBy<ProductImage>('image_id', ...SHOWN);
/**
 * Whether buyers see the same images. An image that is removed and put back by its address has a new id; the address of
 * an uploaded image contains its id.
 */
export const lookAlike = sameBy<ProductImage>(...SHOWN);
export const sameIssues = sameBy<ProductIssue>('code', 'attribute', 'severity', 'message');
export const sameReasons = sameBy<CurationReason>('code', 'detail');

/** The order of `values` does not matter: the theme gives the order of the options. */
export function sameVariation(left: Variation | null, right: Variation | null): boolean {
  if (left === null || right === null) return left === right;
  return (
    left.parent_sku === right.parent_sku && left.theme === right.theme && sameTexts(left.values, right.values)
  );
}

function sameTexts(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && left[name] === right[name])
  );
}
