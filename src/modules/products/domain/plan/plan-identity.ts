import { composeClaim } from '../identity/compose-claim.ts';
import { type RowMatch, sameIdentity } from '../identity/evidence.ts';
import { foldBrand } from '../identity/fold.ts';
import { isGenericBrand } from '../identity/placeholders.ts';
import { resolveIdentity } from '../identity/resolve-identity.ts';
import { identicalIdentity } from '../identity/stored-identity.ts';
import type { CatalogueProduct, ProductContent, StoredIdentity } from '../product.ts';
import type { IdentityClaim, ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { PlanContext } from './plan-context.ts';

/** The brand after a row; if only the identity names a brand, the product gets it. */
export function brandAfter(
  before: string | null,
  patch: ProductPatch,
  context: PlanContext,
  messages: RowMessage[],
): string | null {
  const claimed = patch.identity?.brand;
  const stated = patch.brand === undefined ? before : patch.brand;
  if (claimed === undefined || (stated !== null && foldBrand(stated) === foldBrand(claimed))) return stated;
  if (patch.brand == null) return claimed;
  const message = 'The identity has a different brand from the product.';
  const column = context.columns.identity.brand;
  messages.push(rowMessage('identity_conflict', { severity: 'error', column, value: claimed, message }));
  return stated;
}

/**
 * The identity after a row.
 *
 * @param draft the product with all other fields of the row
 * @returns the same object when nothing changes
 */
export function identityAfter(
  before: CatalogueProduct | null,
  draft: ProductContent,
  patch: ProductPatch,
  context: PlanContext,
  match: RowMatch,
  messages: RowMessage[],
): StoredIdentity | null {
  const existing = before?.identity ?? null;
  const claim = claimOf(patch, before, draft);
  const identity = claim === undefined ? existing : resolve(claim);
  if (patch.brand != null && identity?.strategy !== 'mpn_brand' && isGenericBrand(patch.brand)) {
    const column = context.columns.fields.brand;
    const message = 'The brand is a placeholder, so buyers cannot find the product by its brand.';
    messages.push(rowMessage('brand_generic', { severity: 'warning', column, value: patch.brand, message }));
  }
  if (identicalIdentity(existing, identity)) return existing;
  if (existing !== null && identity !== null && existing.strategy !== 'exempt') {
    if (!sameIdentity(existing, identity)) {
      messages.push(rowMessage('sku_reused_for_other_identity', { column: context.columns.fields.identity }));
    }
  }
  return identity;

  function resolve(stated: IdentityClaim | null): StoredIdentity | null {
    if (stated === null) return null;
    const resolved = resolveIdentity(stated, {
      seller_sku: draft.seller_sku,
      title: draft.title,
      brand: draft.brand,
      existing,
      product_id: before?.product_id ?? null,
      match,
      from_file: context.from_file,
      columns: context.columns.identity,
    });
    for (const message of resolved.messages) messages.push(message);
    return resolved.identity;
  }
}

function claimOf(
  patch: ProductPatch,
  before: CatalogueProduct | null,
  draft: ProductContent,
): IdentityClaim | null | undefined {
  const existing = before?.identity ?? null;
  if (patch.identity !== undefined) return patch.identity;
  const composed =
    patch.identity_parts === undefined
      ? undefined
      : composeClaim(patch.identity_parts, existing, draft.brand, before?.product_id);
  if (composed !== undefined || existing?.strategy !== 'mpn_brand') return composed;
  // MPN and brand are the identity, so a new brand changes the identity.
  if (draft.brand !== null && foldBrand(draft.brand) === existing.brand_folded) return undefined;
  return { strategy: 'mpn_brand', ...(existing.mpn === null ? {} : { mpn: existing.mpn }) };
}
