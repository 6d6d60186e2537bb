import type { StoredIdentity } from '../product.ts';

const EMPTY = {
  gtin14: null,
  value_entered: null,
  scheme: null,
  mpn: null,
  mpn_folded: null,
  brand_folded: null,
  exempt_reason: null,
  exempt_source: null,
  product_ref: null,
} as const;

/** Every key of a stored identity is present; those that the strategy does not use are `null`. */
export function storedIdentity(
  parts: Pick<StoredIdentity, 'strategy'> & Partial<StoredIdentity>,
): StoredIdentity {
  return { ...EMPTY, ...parts };
}

/** True when nothing differs, not even how the code was written. */
export function identicalIdentity(left: StoredIdentity | null, right: StoredIdentity | null): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  return (
    left.strategy === right.strategy &&
    left.gtin14 === right.gtin14 &&
    left.value_entered === right.value_entered &&
    left.scheme === right.scheme &&
    left.mpn === right.mpn &&
    left.mpn_folded === right.mpn_folded &&
    left.brand_folded === right.brand_folded &&
    left.exempt_reason === right.exempt_reason &&
    left.exempt_source === right.exempt_source &&
    left.product_ref === right.product_ref
  );
}
