/**
 * Finds the content of a version. Versions with the same reviewed content form a range without gaps. The product has
 * the newest range; the ranges that changes have replaced are kept.
 * Source: docs/design/feeds-and-imports.md#curation.
 */
import type { CatalogueProduct, ReviewedField, ReviewedVersion, StoredProduct } from '../product.ts';
import { reviewedPart, sameReviewed } from './reviewed-content.ts';

/** Enough for a seller who edits while the marketplace reviews; a decision about an older range is rejected. */
export const PAST_REVIEWS_MAX = 20;

/** Versions of a product with the same reviewed content, which a change replaced. */
export interface PastReview {
  readonly product_id: string;
  readonly first_version: number;
  readonly last_version: number;
  /** RFC 3339. */
  readonly submitted_at: string;
  readonly replaced_at: string;
  readonly content: ReviewedVersion;
}

/** Orders the decisions about a product. */
export interface DecisionOrder {
  /** RFC 3339; `null` before the first decision. */
  readonly at: string | null;
  readonly version: bigint | null;
}

/** A past or present range of versions. */
export interface Review extends Omit<PastReview, 'product_id' | 'replaced_at'> {
  /** `null` for the present range. */
  readonly replaced_at: string | null;
  /** The order of the last decision about it. */
  readonly decided: DecisionOrder;
}

export const presentReview = (product: StoredProduct, decided: DecisionOrder): Review => ({
  first_version: product.reviewed_from,
  last_version: product.version,
  submitted_at: product.reviewed_at,
  replaced_at: null,
  content: {},
  decided,
});

/** The version that a decision is about, with its reviewed fields where they may differ from those of the product. */
export interface DecidedVersion {
  readonly version: number;
  readonly content: ReviewedVersion;
}

interface Named {
  /** `null`: the newest version that the marketplace knew at `at`. */
  readonly version: number | null;
  readonly at: string;
}

/** @returns `null` when the marketplace cannot know the version, or when its content is no longer kept */
export function findDecidedVersion(
  { version: newest, updated_at, live_version, approved }: StoredProduct,
  reviews: readonly Review[],
  { version, at }: Named,
): DecidedVersion | null {
  const since = (instant: string) => Date.parse(at) >= Date.parse(instant);
  const found = reviews.find(({ first_version, last_version, submitted_at, replaced_at }) =>
    version === null
      ? since(submitted_at) && (replaced_at === null || !since(replaced_at))
      : version >= first_version && version <= last_version,
  );
  if (found !== undefined) {
    const { content, first_version, replaced_at } = found;
    const known = replaced_at === null && since(updated_at) ? newest : first_version;
    return { content, version: version ?? known };
  }
  return version !== null && version === live_version ? { content: approved ?? {}, version } : null;
}

/** The next state of a product with the versions of its reviewed content; the product itself when they stay. */
export function withReviewedVersions<P extends CatalogueProduct>(
  before: StoredProduct | null,
  next: P,
  fields: readonly ReviewedField[],
): P {
  if (before === null) return next;
  const submitted = before.curation_state === 'not_submitted';
  if (!submitted && sameReviewed(before, next, fields)) return next;
  const reviewed_from = next.version;
  // Approved without a decision: the seller has gone back to the live content.
  return next.curation_state === 'approved'
    ? { ...next, reviewed_from, live_version: reviewed_from }
    : { ...next, reviewed_from };
}

/** The range that a write replaces, unless the product was never submitted. */
export function replacedReview(
  before: StoredProduct | null,
  next: CatalogueProduct,
  fields: readonly ReviewedField[],
  at: string,
): PastReview | null {
  if (before === null || before.reviewed_from === next.reviewed_from) return null;
  if (before.curation_state === 'not_submitted') return null;
  return {
    product_id: before.product_id,
    first_version: before.reviewed_from,
    last_version: before.version,
    submitted_at: before.reviewed_at,
    replaced_at: at,
    content: reviewedPart(before, fields),
  };
}
