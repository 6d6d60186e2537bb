/**
 * Finds the content of a version. Versions with the same reviewed content form a range without gaps. The product has
 * the newest range. A range that a change has replaced before it was approved is kept as a {@link PastReview}.
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
  /** `null` once the marketplace has rejected it or suspended the product. */
  readonly content: ReviewedVersion | null;
  /** The order of the last suspension of this content, once a decision about newer content has ended it. */
  readonly suspended_at: string | null;
  readonly suspended_version: bigint | null;
}

/** The version that a decision is about. */
export type DecidedVersion =
  | { readonly is: 'present'; readonly version: number }
  | {
      readonly is: 'past';
      readonly version: number;
      readonly content: ReviewedVersion | null;
      readonly suspended: { readonly at: string | null; readonly version: bigint | null };
    }
  /** The live content, which a change has replaced: an approval changes nothing. */
  | { readonly is: 'live' }
  /** Content older than the live one: no decision changes anything. */
  | { readonly is: 'settled' };

interface Named {
  /** `null`: the newest version that the marketplace knew at `at`. */
  readonly version: number | null;
  readonly at: string;
}

/** @returns `null` when the marketplace cannot know the version, or when its content is no longer kept */
export function findDecidedVersion(
  product: StoredProduct,
  past: readonly PastReview[],
  { version, at }: Named,
): DecidedVersion | null {
  const { live_version, approved_at } = product;
  const time = Date.parse(at);
  const since = (instant: string) => time >= Date.parse(instant);
  if (version === null ? !since(product.created_at) : version < 1 || version > product.version) return null;
  if (version === null ? since(product.reviewed_at) : version >= product.reviewed_from) {
    const newest = since(product.updated_at) ? product.version : product.reviewed_from;
    return { is: 'present', version: version ?? newest };
  }
  const found = past.find(({ first_version, last_version, submitted_at, replaced_at }) =>
    version === null
      ? since(submitted_at) && !since(replaced_at)
      : version >= first_version && version <= last_version,
  );
  const named = version ?? found?.first_version ?? null;
  if (live_version !== null && named !== null && named <= live_version)
    return { is: named === live_version ? 'live' : 'settled' };
  if (found !== undefined) {
    const suspended = { at: found.suspended_at, version: found.suspended_version };
    return { is: 'past', version: named ?? found.first_version, content: found.content, suspended };
  }
  // Nothing was dropped, so the versions before the kept ones have the content of the live version.
  if (live_version === null || past.length >= PAST_REVIEWS_MAX) return null;
  return { is: named !== null || (approved_at !== null && since(approved_at)) ? 'live' : 'settled' };
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

const UNDECIDED: ReadonlySet<string> = new Set(['pending', 'suspended']);

/** The range that a write replaces, unless the product keeps it as its live version or it was never submitted. */
export function replacedReview(
  before: StoredProduct | null,
  next: CatalogueProduct,
  fields: readonly ReviewedField[],
  at: string,
): PastReview | null {
  if (before === null || before.reviewed_from === next.reviewed_from) return null;
  const { product_id, curation_state } = before;
  if (curation_state === 'not_submitted' || curation_state === 'approved') return null;
  return {
    product_id,
    first_version: before.reviewed_from,
    last_version: before.version,
    submitted_at: before.reviewed_at,
    replaced_at: at,
    content: UNDECIDED.has(curation_state) ? reviewedPart(before, fields) : null,
    suspended_at: null,
    suspended_version: null,
  };
}
