import type { IdentityStrategy, StoredIdentity } from '../product.ts';

/** How the product of a row was found. */
const MATCH_REASONS = [
  'product_id',
  'seller_sku',
  'external_key',
  'exact_gtin',
  'mpn_brand_folded',
  'brand_suggested',
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];

/** Confidence in the row result, 0..1. */
const CONFIDENCE: Readonly<Record<MatchReason, number>> = {
  product_id: 1,
  seller_sku: 1,
  external_key: 1,
  exact_gtin: 1,
  mpn_brand_folded: 0.9,
  brand_suggested: 0.5,
};

/** A product of the seller that the row may mean. */
export interface IdentityCandidate {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly reason: MatchReason;
}

/** The products of the catalogue that fit one row. */
export interface RowMatch {
  /** How the row's product was found; `null` when the catalogue does not have it. */
  readonly matched_by: MatchReason | null;
  readonly candidates: readonly IdentityCandidate[];
  /** Whether the seller has the product that the row's `product_id` names. */
  readonly product_visible?: boolean;
}

/** The part of a row result that explains the match (docs/design/feeds-and-imports.md#row-results). */
export interface IdentityEvidence {
  readonly strategy: IdentityStrategy | null;
  /** Canonical GTIN, folded `mpn|brand`, exemption reason or product id; `null` without an identity. */
  readonly normalised: string | null;
  readonly matched_by: MatchReason | null;
  readonly candidates: readonly (IdentityCandidate & {
    readonly confidence: number;
    readonly chosen: boolean;
  })[];
}

export const NO_MATCH: RowMatch = { matched_by: null, candidates: [] };

/** @returns `normalised` of the {@link IdentityEvidence} */
function identityKey(identity: StoredIdentity): string {
  switch (identity.strategy) {
    case 'global_id':
      return identity.gtin14 ?? '';
    case 'mpn_brand':
      return `${identity.mpn_folded}|${identity.brand_folded}`;
    case 'product_id':
      return identity.product_ref ?? '';
    case 'exempt':
      return identity.exempt_reason ?? 'not_stated';
  }
}

/**
 * Whether both are the same identity, even if they were written in different forms. Curation reviews a change only if
 * they differ here.
 */
export function sameIdentity(left: StoredIdentity | null, right: StoredIdentity | null): boolean {
  if (left === right) return true;
  if (left === null || right === null || left.strategy !== right.strategy) return false;
  return (
    left.gtin14 === right.gtin14 &&
    left.mpn_folded === right.mpn_folded &&
    left.brand_folded === right.brand_folded &&
    left.product_ref === right.product_ref &&
    left.exempt_reason === right.exempt_reason
  );
}

/**
 * Explains how a row's product was identified.
 *
 * @param identity the product's identity after the row
 * @param productId the product that the row changed, `null` when it changed none
 */
export function identityEvidence(
  identity: StoredIdentity | null,
  match: RowMatch,
  productId: string | null,
): IdentityEvidence {
  return {
    strategy: identity?.strategy ?? null,
    normalised: identity === null ? null : identityKey(identity),
    matched_by: match.matched_by,
    candidates: match.candidates.map((candidate) => ({
      ...candidate,
      confidence: CONFIDENCE[candidate.reason],
      chosen: candidate.product_id === productId,
    })),
  };
}
