/**
 * Composes one identity claim from separate columns and the product's present values. If the row gives no strategy,
 * the strongest possible one is chosen: a global id, then MPN and brand, then an exemption, then a product id.
 */
import type { IdentityStrategy, StoredIdentity } from '../product.ts';
import type { IdentityClaim, IdentityParts } from '../row.ts';
import { isPlaceholder, statesAbsence } from './placeholders.ts';

interface Texts {
  readonly global_id: string;
  readonly mpn: string;
  readonly exempt_reason: string;
  readonly product_id: string;
}

/**
 * @param parts columns of the row; an absent column keeps the product's value
 * @param existing the product's identity before the row
 * @param brand the product's brand after the row
 * @param ownId the product's own id: in the column `product_id` it names the product and is not an identity
 * @returns the claim; `null` when the row removes the identity; `undefined` when nothing changes
 */
export function composeClaim(
  parts: IdentityParts,
  existing: StoredIdentity | null,
  brand: string | null,
  ownId: string | null = null,
): IdentityClaim | null | undefined {
  const before = textsOf(existing);
  const after: Texts = {
    global_id: parts.global_id ?? before.global_id,
    mpn: parts.mpn ?? before.mpn,
    exempt_reason: parts.exempt_reason ?? before.exempt_reason,
    product_id:
      parts.product_id === undefined || parts.product_id === ownId ? before.product_id : parts.product_id,
  };
  const stated = parts.strategy === undefined || parts.strategy === '' ? null : parts.strategy;
  const sameStrategy = stated === null || stated === existing?.strategy;
  if (sameStrategy && sameTexts(before, after)) return undefined;
  const strategy = stated ?? inferStrategy(after, brand);
  if (strategy === null) return null;
  const codeStated = (parts.global_id ?? '') !== '';
  const claim = claimOf(strategy, after, stated === null, codeStated);
  // A row with an exemption contradicts its identity, or the one that the product keeps.
  const identified = claim.strategy === 'global_id' || claim.strategy === 'mpn_brand';
  const contradicts = identified && (parts.exempt_reason ?? '') !== '';
  return contradicts ? { ...claim, reason: after.exempt_reason } : claim;
}

function textsOf(identity: StoredIdentity | null): Texts {
  return {
    global_id: identity?.value_entered ?? '',
    mpn: identity?.mpn ?? '',
    exempt_reason: identity?.exempt_reason ?? '',
    product_id: identity?.product_ref ?? '',
  };
}

function sameTexts(left: Texts, right: Texts): boolean {
  return (
    left.global_id === right.global_id &&
    left.mpn === right.mpn &&
    left.exempt_reason.toLowerCase() === right.exempt_reason.toLowerCase() &&
    left.product_id === right.product_id
  );
}

function inferStrategy(texts: Texts, brand: string | null): IdentityStrategy | null {
  const absent = statesAbsence(texts.global_id);
  if (texts.global_id !== '' && !absent) return 'global_id';
  const hasMpn = texts.mpn !== '' && !isPlaceholder(texts.mpn);
  if (hasMpn && brand !== null && !isUnbranded(brand)) return 'mpn_brand';
  if (texts.exempt_reason !== '' || absent || statesAbsence(texts.mpn)) return 'exempt';
  if (texts.product_id !== '') return 'product_id';
  if (hasMpn && brand !== null) return 'exempt';
  return texts.mpn === '' ? null : 'mpn_brand';
}

/** On auction sites `Unbranded` officially means that the product has no brand. */
function isUnbranded(brand: string): boolean {
  return brand.trim().toLowerCase() === 'unbranded';
}

/** @param codeStated whether the row itself gives a code: beside a stated exemption that is a contradiction */
function claimOf(
  strategy: IdentityStrategy,
  texts: Texts,
  inferred: boolean,
  codeStated: boolean,
): IdentityClaim {
  const mpn = texts.mpn === '' || isPlaceholder(texts.mpn) ? {} : { mpn: texts.mpn };
  switch (strategy) {
    case 'product_id':
      return { strategy, value: texts.product_id, ...mpn };
    case 'global_id':
      return { strategy, value: texts.global_id, ...mpn };
    case 'mpn_brand':
      return { strategy, mpn: texts.mpn };
    case 'exempt': {
      const absent = texts.global_id !== '' && isPlaceholder(texts.global_id);
      const value = absent || codeStated ? { value: texts.global_id } : {};
      if (texts.exempt_reason !== '') {
        return { strategy, reason: texts.exempt_reason, ...value, ...mpn, source: 'seller' };
      }
      // Without a reason the file itself declared the exemption (`Does not apply`, `Unbranded`).
      return { strategy, ...value, ...mpn, source: inferred || absent ? 'file' : 'seller' };
    }
  }
}
