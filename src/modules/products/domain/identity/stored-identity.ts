import type { StoredIdentity } from '../product.ts';

/** The parts of an identity, all absent. */
export const NO_IDENTITY = {
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

const KEYS = ['strategy', ...(Object.keys(NO_IDENTITY) as (keyof typeof NO_IDENTITY)[])] as const;

/** Fills the keys that the strategy does not use with `null`. */
export function storedIdentity(
  parts: Pick<StoredIdentity, 'strategy'> & Partial<StoredIdentity>,
): StoredIdentity {
  return { ...NO_IDENTITY, ...parts };
}

/** Whether both are equal in every key, including the code as the seller wrote it. */
export function identicalIdentity(left: StoredIdentity | null, right: StoredIdentity | null): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  return KEYS.every((key) => left[key] === right[key]);
}

/** The folded MPN and brand of an `mpn_brand` identity; empty for every other identity. */
export function mpnBrandOf(identity: StoredIdentity | null | undefined): { mpn: string; brand: string }[] {
  if (identity?.strategy !== 'mpn_brand') return [];
  return [{ mpn: identity.mpn_folded ?? '', brand: identity.brand_folded ?? '' }];
}

/** A text that is equal for two products with the same global id, or with the same MPN and brand. */
export function identityMatchKey(identity: StoredIdentity | null | undefined): string | undefined {
  const [pair] = mpnBrandOf(identity);
  if (pair !== undefined) return `${pair.brand}\0${pair.mpn}`;
  return identity?.strategy === 'global_id' ? (identity.gtin14 ?? undefined) : undefined;
}
