import type { SellerDb } from '../../../platform/db/table.ts';
import type { IdentityCandidate } from '../domain/identity/evidence.ts';
import { identityMatchKey, mpnBrandOf } from '../domain/identity/stored-identity.ts';
import type { RowPlan } from '../domain/plan/plan-context.ts';
import type { CatalogueProduct, StoredIdentity } from '../domain/product.ts';
import { loadByGtins, loadByMpnBrand } from '../store/load-products.ts';

interface Draft {
  readonly existing: CatalogueProduct | null;
  readonly plan: RowPlan;
}

/** The new identity of a planned product; undefined when the plan keeps the current identity. */
export function newIdentityOf({ plan, existing }: Draft): StoredIdentity | undefined {
  const identity = plan.next?.identity ?? undefined;
  return identity === existing?.identity ? undefined : identity;
}

export const candidateOf = ({ product_id, seller_sku, identity }: CatalogueProduct): IdentityCandidate => ({
  product_id,
  seller_sku,
  reason: identity?.strategy === 'mpn_brand' ? 'mpn_brand_folded' : 'exact_gtin',
});

/** Finds the seller's other products with the new identity of a draft. */
export async function findSameIdentity(
  at: SellerDb,
  drafts: readonly Draft[],
): Promise<(draft: Draft) => IdentityCandidate[]> {
  const identities = drafts.flatMap((draft) => newIdentityOf(draft) ?? []);
  const gtins = new Set(identities.flatMap(({ gtin14 }) => gtin14 ?? []));
  const products = [
    ...(await loadByGtins(at, [...gtins])),
    ...(await loadByMpnBrand(at, identities.flatMap(mpnBrandOf))),
  ];
  const byKey = Map.groupBy(products, ({ identity }) => identityMatchKey(identity) ?? '');
  return (draft) => {
    const others = byKey.get(identityMatchKey(newIdentityOf(draft)) ?? '') ?? [];
    return others.filter(({ product_id }) => product_id !== draft.existing?.product_id).map(candidateOf);
  };
}
