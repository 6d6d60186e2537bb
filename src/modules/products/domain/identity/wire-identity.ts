import type { StoredIdentity } from '../product.ts';
import type { ExemptionReason, IdentityClaim } from '../row.ts';
import { normaliseStrategy } from './normalise-strategy.ts';

/** `identity` of a product on the wire: the strategy and the keys that it uses. */
type WireIdentity =
  | { readonly strategy: 'product_id'; readonly value: string; readonly mpn?: string }
  | {
      readonly strategy: 'global_id';
      readonly value: string;
      readonly scheme: string;
      readonly gtin14: string;
      readonly mpn?: string;
    }
  | { readonly strategy: 'mpn_brand'; readonly mpn: string; readonly brand: string }
  | {
      readonly strategy: 'exempt';
      readonly reason: ExemptionReason | null;
      readonly source: 'seller' | 'file';
      readonly mpn?: string;
    };

/** @param brand the product's brand, which the strategy `mpn_brand` shows as part of the identity */
export function identityToWire(identity: StoredIdentity, brand: string | null): WireIdentity {
  const mpn = identity.mpn === null ? {} : { mpn: identity.mpn };
  switch (identity.strategy) {
    case 'product_id':
      return { strategy: 'product_id', value: identity.product_ref ?? '', ...mpn };
    case 'global_id':
      return {
        strategy: 'global_id',
        value: identity.value_entered ?? '',
        scheme: identity.scheme ?? '',
        gtin14: identity.gtin14 ?? '',
        ...mpn,
      };
    case 'mpn_brand':
      return { strategy: 'mpn_brand', mpn: identity.mpn ?? '', brand: brand ?? identity.brand_folded ?? '' };
    case 'exempt':
      return {
        strategy: 'exempt',
        reason: identity.exempt_reason,
        source: identity.exempt_source ?? 'seller',
        ...mpn,
      };
  }
}

/** `identity` in a request body; `product_id` and `global_id` are other names of `value`. */
interface WireIdentityInput {
  readonly strategy: string;
  readonly value?: string | null | undefined;
  readonly product_id?: string | null | undefined;
  readonly global_id?: string | null | undefined;
  readonly scheme?: string | null | undefined;
  readonly mpn?: string | null | undefined;
  readonly brand?: string | null | undefined;
  readonly reason?: string | null | undefined;
}

/** @returns `null` for an unknown strategy */
export function identityFromWire(input: WireIdentityInput): IdentityClaim | null {
  const strategy = normaliseStrategy(input.strategy);
  if (strategy === null) return null;
  const named = strategy === 'product_id' ? input.product_id : input.global_id;
  const value = input.value ?? named;
  return {
    strategy,
    ...(value == null ? {} : { value }),
    ...(input.scheme == null ? {} : { scheme: input.scheme }),
    ...(input.mpn == null ? {} : { mpn: input.mpn }),
    ...(input.brand == null ? {} : { brand: input.brand }),
    ...(input.reason == null ? {} : { reason: input.reason }),
    source: 'seller',
  };
}
