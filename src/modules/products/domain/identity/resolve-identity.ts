/**
 * Checks an identity claim and turns it into the stored form
 * (docs/design/feeds-and-imports.md#identity). It reads no database: `match` holds what the catalogue has.
 */

import type { IdentityStrategy, StoredIdentity } from '../product.ts';
import { EXEMPTION_REASONS, type IdentityClaim, type RowMessage } from '../row.ts';
import { hasError, rowMessage } from '../row-codes.ts';
import { foldBrand, foldMpn } from './fold.ts';
import type { IdentityContext } from './identity-context.ts';
import { isGenericBrand, isPlaceholder, statesAbsence } from './placeholders.ts';
import { resolveGlobalId } from './resolve-global-id.ts';
import { storedIdentity } from './stored-identity.ts';

interface IdentityResolution {
  /** The product's identity after the row; not to be written when a finding is an error. */
  readonly identity: StoredIdentity | null;
  readonly messages: RowMessage[];
}

type Resolver = (
  claim: IdentityClaim,
  context: IdentityContext,
  messages: RowMessage[],
) => StoredIdentity | null;

const RESOLVERS: Readonly<Record<IdentityStrategy, Resolver>> = {
  product_id: resolveProductId,
  global_id: resolveGlobalIdOrAbsence,
  mpn_brand: resolveMpnBrand,
  exempt: resolveExemption,
};

export function resolveIdentity(claim: IdentityClaim, context: IdentityContext): IdentityResolution {
  const messages: RowMessage[] = [];
  const identity = RESOLVERS[claim.strategy](claim, context, messages);
  if (identity !== null && !hasError(messages)) reportConflicts(identity, context, messages);
  return { identity, messages };
}

/** Accepts only ids of the seller's own products. */
function resolveProductId(claim: IdentityClaim, context: IdentityContext, messages: RowMessage[]) {
  const value = claim.value ?? '';
  const column = context.columns.product_id;
  if (value === '') {
    messages.push(rowMessage('required_missing', { column }));
    return null;
  }
  // Its own id names the product and is not an identity.
  if (value === context.product_id) return context.existing;
  if (context.match.product_visible !== true) {
    messages.push(rowMessage('identity_not_found', { column, value }));
    return null;
  }
  return storedIdentity({ strategy: 'product_id', product_ref: value, mpn: claim.mpn ?? null });
}

function resolveGlobalIdOrAbsence(claim: IdentityClaim, context: IdentityContext, messages: RowMessage[]) {
  const value = claim.value ?? '';
  if (context.from_file && statesAbsence(value)) {
    return resolveExemption({ ...claim, strategy: 'exempt', source: 'file' }, context, messages);
  }
  if ((claim.reason ?? '') !== '') {
    messages.push(exemptWithCode(value, context.columns.value));
    return null;
  }
  return resolveGlobalId(claim, context, messages);
}

function resolveMpnBrand(claim: IdentityClaim, context: IdentityContext, messages: RowMessage[]) {
  const { columns } = context;
  const mpn = claim.mpn ?? '';
  const brand = claim.brand ?? context.brand ?? '';
  if (context.from_file && statesAbsence(mpn)) {
    const { mpn: _statement, ...rest } = claim;
    return resolveExemption({ ...rest, strategy: 'exempt', source: 'file' }, context, messages);
  }
  if ((claim.reason ?? '') !== '') {
    messages.push(exemptWithPair(mpn, columns.mpn));
    return null;
  }
  const mpn_folded = foldMpn(mpn);
  const brand_folded = foldBrand(brand);
  if (mpn_folded === '') messages.push(rowMessage('mpn_missing', { column: columns.mpn, value: mpn }));
  if (brand_folded === '') messages.push(rowMessage('brand_missing', { column: columns.brand }));
  else if (isGenericBrand(brand)) {
    messages.push(rowMessage('brand_generic', { column: columns.brand, value: brand }));
  }
  if (mpn_folded === '' || brand_folded === '') return null;
  reportSuspiciousMpn(mpn, mpn_folded, claim, context, messages);
  return storedIdentity({ strategy: 'mpn_brand', mpn, mpn_folded, brand_folded });
}

/** An MPN that repeats another field is nearly always a mistake, so it is a warning. */
function reportSuspiciousMpn(
  mpn: string,
  folded: string,
  claim: IdentityClaim,
  context: IdentityContext,
  messages: RowMessage[],
): void {
  const repeated =
    (isPlaceholder(mpn) && 'a placeholder') ||
    (context.seller_sku !== null && folded === foldMpn(context.seller_sku) && 'the SKU') ||
    (context.title !== null && folded === foldMpn(context.title) && 'the title') ||
    (claim.value !== undefined && folded === foldMpn(claim.value) && 'the global id');
  if (!repeated) return;
  const message = `The MPN is ${repeated === 'a placeholder' ? repeated : `the same as ${repeated}`}.`;
  messages.push(rowMessage('mpn_suspicious', { column: context.columns.mpn, value: mpn, message }));
}

const exemptWithCode = (value: string, column: string): RowMessage =>
  rowMessage('identity_conflict', {
    severity: 'error',
    column,
    value,
    message: 'An exempt product has no global id, and this one has a global id beside the exemption.',
    hint: 'Leave out the exemption, or leave the global id empty.',
  });

const exemptWithPair = (value: string, column: string): RowMessage =>
  rowMessage('identity_conflict', {
    severity: 'error',
    column,
    value,
    message:
      'MPN and brand identify the product, so it is not exempt, and this one has an exemption beside them.',
    hint: 'Leave out the exemption; or state the strategy exempt, and the MPN stays without identifying the product.',
  });

function resolveExemption(claim: IdentityClaim, context: IdentityContext, messages: RowMessage[]) {
  const { existing, columns } = context;
  const source = claim.source ?? 'seller';
  if (claim.value !== undefined && !isPlaceholder(claim.value) && !statesAbsence(claim.value)) {
    messages.push(exemptWithCode(claim.value, columns.value));
    return null;
  }
  // A file without identities repeats `Does not apply` at every import; that must not remove the seller's identity.
  if (source === 'file' && existing !== null) return existing;
  const stated = (claim.reason ?? '').trim().toLowerCase();
  const reason = EXEMPTION_REASONS.find((known) => known === stated) ?? null;
  const expected = EXEMPTION_REASONS.join(', ');
  if (reason === null && stated !== '') {
    messages.push(rowMessage('enum_invalid', { column: columns.reason, value: claim.reason, expected }));
  } else if (reason === null && source === 'seller') {
    if (existing?.strategy === 'exempt') return existing;
    messages.push(rowMessage('required_missing', { column: columns.reason, expected }));
  } else if (reason === null) {
    messages.push(rowMessage('exemption_assumed', { column: columns.value, value: claim.value }));
  }
  return storedIdentity({
    strategy: 'exempt',
    exempt_reason: reason,
    exempt_source: source,
    value_entered: claim.value ?? null,
    mpn: claim.mpn ?? null,
  });
}

/** Two products of a seller may have the same GTIN (a warning), but not the same MPN and brand (an error). */
function reportConflicts(identity: StoredIdentity, context: IdentityContext, messages: RowMessage[]): void {
  for (const candidate of context.match.candidates) {
    if (candidate.product_id === context.product_id) continue;
    const other = candidate.seller_sku ?? candidate.product_id;
    if (candidate.reason === 'mpn_brand_folded' && identity.strategy === 'mpn_brand') {
      const message = `Your product ${other} has this MPN and brand.`;
      messages.push(rowMessage('mpn_brand_conflict', { column: context.columns.mpn, message }));
    } else if (candidate.reason === 'exact_gtin' && identity.strategy === 'global_id') {
      const message = `Your product ${other} has the same global id.`;
      messages.push(rowMessage('identity_conflict', { column: context.columns.value, message }));
    }
  }
}
