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

const KEYS = ['strategy', ...(Object.keys(EMPTY) as (keyof typeof EMPTY)[])] as const;

/** Every key of a stored identity is present; those that the strategy does not use are `null`. */
export function storedIdentity(
  parts: Pick<StoredIdentity, 'strategy'> & Partial<StoredIdentity>,
): StoredIdentity {
  return { ...EMPTY, ...parts };
}

/** True when nothing differs, also in the written form. */
export function identicalIdentity(left: StoredIdentity | null, right: StoredIdentity | null): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  return KEYS.every((key) => left[key] === right[key]);
}

/** The folded MPN and brand of an identity that they make up; else none. */
export function mpnBrandOf(identity: StoredIdentity | null | undefined): { mpn: string; brand: string }[] {
  if (identity?.strategy !== 'mpn_brand') return [];
  return [{ mpn: identity.mpn_folded ?? '', brand: identity.brand_folded ?? '' }];
}

/** The part of an identity that no two products of a seller should share, as one text. */
export function sharedIdentityKey(identity: StoredIdentity | null | undefined): string | undefined {
  const [pair] = mpnBrandOf(identity);
  if (pair !== undefined) return `${pair.brand}\0${pair.mpn}`;
  return identity?.strategy === 'global_id' ? (identity.gtin14 ?? undefined) : undefined;
}
