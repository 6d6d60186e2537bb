import type { SellerDb } from '../../../platform/db/table.ts';
import { API_COLUMNS } from '../domain/fields/field-columns.ts';
import type { ValidPatch } from '../domain/fields/validate-patch.ts';
import { type IdentityEvidence, identityEvidence } from '../domain/identity/evidence.ts';
import { resolveIdentity } from '../domain/identity/resolve-identity.ts';
import { type FoundProducts, lookupKeys, matchRow } from '../domain/match-row.ts';
import type { StoredIdentity } from '../domain/product.ts';
import type { RowMessage } from '../domain/row.ts';
import { hasError } from '../domain/row-codes.ts';
import { loadByGtins, loadByIds, loadByMpnBrand, loadBySkus } from '../store/load-products.ts';

interface IdentityVerdict {
  readonly usable: boolean;
  readonly identity: StoredIdentity | null;
  readonly messages: readonly RowMessage[];
  readonly identity_resolution: IdentityEvidence;
  /** The product that a write with this body would change; `null` when it would create one. */
  readonly product_id: string | null;
}

async function lookUp(at: SellerDb, { patch }: ValidPatch): Promise<FoundProducts> {
  const keys = lookupKeys(patch);
  const [sku] = keys.seller_sku === null ? [] : await loadBySkus(at, [keys.seller_sku]);
  const [byId] = keys.product_id === null ? [] : await loadByIds(at, [keys.product_id]);
  const gtins = keys.gtin14 === null ? [] : await loadByGtins(at, [keys.gtin14]);
  const pairs =
    keys.brand_folded === null || keys.mpn_folded === null
      ? []
      : await loadByMpnBrand(at, [{ brand: keys.brand_folded, mpn: keys.mpn_folded }]);
  return {
    bySku: () => sku,
    byProductId: () => byId,
    byExternalKey: () => undefined,
    byGtin: () => gtins,
    byMpnBrand: () => pairs,
  };
}

/** Returns the findings that a write with this identity would have. */
export async function checkIdentity(at: SellerDb, request: ValidPatch): Promise<IdentityVerdict> {
  const { patch } = request;
  const { existing, match } = matchRow(lookupKeys(patch), await lookUp(at, request));
  const messages = [...request.messages];
  let identity = existing?.identity ?? null;
  if (patch.identity != null && !hasError(messages)) {
    const resolved = resolveIdentity(patch.identity, {
      seller_sku: patch.seller_sku ?? existing?.seller_sku ?? null,
      title: patch.title ?? existing?.title ?? null,
      brand: patch.brand ?? existing?.brand ?? null,
      existing: identity,
      product_id: existing?.product_id ?? null,
      match,
      from_file: false,
      columns: API_COLUMNS.identity,
    });
    identity = resolved.identity;
    messages.push(...resolved.messages);
  }
  const usable = !hasError(messages);
  return {
    usable,
    identity: usable ? identity : null,
    messages,
    identity_resolution: identityEvidence(identity, match, existing?.product_id ?? null),
    product_id: existing?.product_id ?? null,
  };
}
