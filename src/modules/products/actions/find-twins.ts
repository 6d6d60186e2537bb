import type { Db } from '../../../kernel/context.ts';
import type { IdentityCandidate } from '../domain/identity/evidence.ts';
import { mpnBrandOf, sharedIdentityKey } from '../domain/identity/stored-identity.ts';
import type { RowPlan } from '../domain/plan/plan-context.ts';
import type { CatalogueProduct, StoredIdentity } from '../domain/product.ts';
import { loadByGtins, loadByMpnBrand } from '../store/load-products.ts';

interface Draft {
  readonly existing: CatalogueProduct | null;
  readonly plan: RowPlan;
}

/** The identity that a plan gives to its product; undefined when it keeps the present one. */
export function newIdentityOf({ plan, existing }: Draft): StoredIdentity | undefined {
  const identity = plan.next?.identity ?? undefined;
  return identity === existing?.identity ? undefined : identity;
}

export const candidateOf = ({ product_id, seller_sku, identity }: CatalogueProduct): IdentityCandidate => ({
  product_id,
  seller_sku,
  reason: identity?.strategy === 'mpn_brand' ? 'mpn_brand_folded' : 'exact_gtin',
});

/** Finds other products of the seller with the new identity of a draft. */
export async function findTwins(
  db: Db,
  drafts: readonly Draft[],
): Promise<(draft: Draft) => IdentityCandidate[]> {
  const identities = drafts.flatMap((draft) => newIdentityOf(draft) ?? []);
  const gtins = new Set(identities.flatMap(({ gtin14 }) => gtin14 ?? []));
  const products = [
    ...(await loadByGtins(db, [...gtins])),
    ...(await loadByMpnBrand(db, identities.flatMap(mpnBrandOf))),
  ];
  const byKey = Map.groupBy(products, ({ identity }) => sharedIdentityKey(identity) ?? '');
  return (draft) => {
    const others = byKey.get(sharedIdentityKey(newIdentityOf(draft)) ?? '') ?? [];
    return others.filter(({ product_id }) => product_id !== draft.existing?.product_id).map(candidateOf);
  };
}
