import type { CurationReason, ProductImage, ProductIssue } from '../product.ts';
import type { Variation } from '../row.ts';

export function sameImages(left: readonly ProductImage[], right: readonly ProductImage[]): boolean {
  return sameList(
    left,
    right,
    (a, b) =>
      a.image_id === b.image_id &&
      a.url === b.url &&
      a.alt === b.alt &&
      a.position === b.position &&
      a.width === b.width &&
      a.height === b.height &&
      a.content_type === b.content_type &&
      a.bytes === b.bytes &&
      a.sha256 === b.sha256,
  );
}

export function sameIssues(left: readonly ProductIssue[], right: readonly ProductIssue[]): boolean {
  return sameList(
    left,
    right,
    (a, b) =>
      a.code === b.code &&
      a.attribute === b.attribute &&
      a.severity === b.severity &&
      a.message === b.message,
  );
}

export function sameReasons(left: readonly CurationReason[], right: readonly CurationReason[]): boolean {
  return sameList(left, right, (a, b) => a.code === b.code && a.detail === b.detail);
}

/** Only the theme gives the order of the options. */
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

function sameList<T>(left: readonly T[], right: readonly T[], same: (a: T, b: T) => boolean): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every((item, index) => {
    const other = right[index];
    return other !== undefined && same(item, other);
  });
}
