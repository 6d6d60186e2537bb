import { sameIdentity } from '../identity/evidence.ts';
import type { ReviewedContent, ReviewedField, ReviewedVersion } from '../product.ts';
import { lookAlike } from './equality.ts';

const same = (left: unknown, right: unknown) => left === right;

const COMPARE: {
  readonly [K in ReviewedField]: (left: ReviewedContent[K], right: ReviewedContent[K]) => boolean;
} = {
  title: same,
  identity: sameIdentity,
  brand: same,
  category: same,
  images: lookAlike,
  description: same,
};

/** The cast is safe: each comparison gets its own field, which the compiler cannot prove. */
function isSame(field: ReviewedField, left: ReviewedContent, right: ReviewedContent): boolean {
  const compare = COMPARE[field] as (left: unknown, right: unknown) => boolean;
  return left[field] === right[field] || compare(left[field], right[field]);
}

/** Whether the marketplace has nothing to review in a change from one to the other. */
export const sameReviewed = (
  left: ReviewedContent,
  right: ReviewedContent,
  fields: readonly ReviewedField[],
): boolean => fields.every((field) => isSame(field, left, right));

/** The fields of `left` that differ from `right`; `null` when none does. */
export function reviewedDifference(
  left: ReviewedContent,
  right: ReviewedContent,
  fields: readonly ReviewedField[],
): ReviewedVersion | null {
  const differing = fields.filter((field) => !isSame(field, left, right));
  return differing.length === 0 ? null : reviewedPart(left, differing);
}

export const reviewedPart = (content: ReviewedContent, fields: readonly ReviewedField[]): ReviewedVersion =>
  Object.fromEntries(fields.map((field) => [field, content[field]]));
