/**
 * How a change affects curation: a new title or identity of an approved product is reviewed again, while the
 * approved version stays visible. Source: docs/design/feeds-and-imports.md#curation.
 */
import { sameIdentity } from '../identity/evidence.ts';
import type {
  ApprovedVersion,
  CatalogueProduct,
  CurationReason,
  CurationState,
  ProductContent,
} from '../product.ts';
import { sameImages, sameReasons } from './same.ts';

export type Curation = Pick<ProductContent, 'curation_state' | 'curation_reasons' | 'approved'>;

/** Curation of a product after its other fields have changed. */
export function curationAfter(before: ProductContent | null, after: ProductContent): Curation {
  const kept: Curation = {
    curation_state: after.curation_state,
    curation_reasons: after.curation_reasons,
    approved: after.approved,
  };
  if (before === null || before.curation_state === 'not_submitted') {
    return after.status === 'active' ? submitted('pending', null) : kept;
  }
  switch (before.curation_state) {
    case 'approved':
      return sameVersion(before, after) ? kept : submitted('pending', versionOf(before));
    case 'pending':
      return isApprovedVersion(after) ? submitted('approved', null) : kept;
    case 'rejected':
      if (!reviewedContentChanged(before, after)) return kept;
      return isApprovedVersion(after) ? submitted('approved', null) : submitted('pending', before.approved);
    // Only the marketplace ends a suspension.
    case 'suspended':
      return kept;
  }
}

/**
 * Applies the marketplace's decision about the present state of the product. A rejected change keeps the approved
 * version; the rejection of an approved product does not.
 *
 * @returns `null` when the decision changes nothing
 */
export function decideCuration(
  product: CatalogueProduct,
  decision: 'approved' | 'rejected' | 'suspended',
  reasons: readonly CurationReason[],
): Curation | null {
  const approved = decision === 'rejected' && product.curation_state !== 'approved' ? product.approved : null;
  const curation_reasons = decision === 'approved' ? [] : reasons;
  const same =
    product.curation_state === decision &&
    product.approved === approved &&
    sameReasons(product.curation_reasons, curation_reasons);
  return same ? null : { curation_state: decision, curation_reasons, approved };
}

function submitted(curation_state: CurationState, approved: ApprovedVersion | null): Curation {
  return { curation_state, curation_reasons: [], approved };
}

function versionOf(product: ProductContent): ApprovedVersion {
  return { title: product.title, identity: product.identity };
}

function sameVersion(left: ApprovedVersion, right: ApprovedVersion): boolean {
  return left.title === right.title && sameIdentity(left.identity, right.identity);
}

function isApprovedVersion(product: ProductContent): boolean {
  return product.approved !== null && sameVersion(product.approved, product);
}

/** A rejected product is reviewed again when a reviewed field changes. */
function reviewedContentChanged(before: ProductContent, after: ProductContent): boolean {
  return (
    !sameVersion(before, after) ||
    before.description !== after.description ||
    before.brand !== after.brand ||
    before.category !== after.category ||
    before.condition !== after.condition ||
    !sameImages(before.images, after.images)
  );
}
