import type { IdentityStrategy, StoredIdentity } from '../product.ts';

/** How a row matches a product. */
export const MATCH_REASONS = [
  'product_id',
  'seller_sku',
  'external_key',
  'exact_gtin',
  'mpn_brand_folded',
  'brand_suggested',
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];

/** Confidence of each kind of match in the row result, 0..1. */
const CONFIDENCE: Readonly<Record<MatchReason, number>> = {
  product_id: 1,
  seller_sku: 1,
  external_key: 1,
  exact_gtin: 1,
  mpn_brand_folded: 0.9,
  brand_suggested: 0.5,
};

/** A product of the seller that may be the row's. */
export interface IdentityCandidate {
  readonly product_id: string;
  readonly seller_sku: string | null;
  readonly reason: MatchReason;
}

/** The match of one row in the catalogue. */
export interface RowMatch {
  /** How `existing` was found; `null` when there is none. */
  readonly matched_by: MatchReason | null;
  readonly candidates: readonly IdentityCandidate[];
  /** Whether the product that a `product_id` names can be seen by this seller. */
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

/** The normalised identity of the evidence. */
export function identityKey(identity: StoredIdentity): string {
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
 * True when both are the same identity, even if it was written in another form. Only a difference here is a change
 * that curation must review.
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
 * @param identity what the product has after the row
 * @param product_id the product that the row was applied to, `null` when it was not
 */
export function identityEvidence(
  identity: StoredIdentity | null,
  match: RowMatch,
  product_id: string | null,
): IdentityEvidence {
  return {
    strategy: identity?.strategy ?? null,
    normalised: identity === null ? null : identityKey(identity),
    matched_by: match.matched_by,
    candidates: match.candidates.map((candidate) => ({
      ...candidate,
      confidence: CONFIDENCE[candidate.reason],
      chosen: candidate.product_id === product_id,
    })),
  };
}
