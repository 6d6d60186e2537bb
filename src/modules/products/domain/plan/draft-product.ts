import { generatedKey } from '../export/store-group.ts';
import type { RowMatch } from '../identity/evidence.ts';
import type { CatalogueProduct } from '../product.ts';
import type { ProductPatch, RowMessage } from '../row.ts';
import { unwritten } from './changes.ts';
import { mergeAttributes } from './merge-attributes.ts';
import { mergeImages } from './merge-images.ts';
import type { PlanContext, PlanInput } from './plan-context.ts';
import { brandAfter, identityAfter } from './plan-identity.ts';
import { variationAfter } from './variation-after.ts';

/** Attribute that names the column from which the brand was read. */
const BRAND_SOURCE = 'brand_source';

type Draft = { -readonly [K in keyof CatalogueProduct]: CatalogueProduct[K] };

/** The product with the fields of the row, before curation, issues and evidence. */
export function draftProduct(
  existing: CatalogueProduct | null,
  patch: ProductPatch,
  role: PlanInput['role'],
  context: PlanContext,
  match: RowMatch,
  messages: RowMessage[],
): Draft {
  const draft: Draft = existing === null ? unwritten(context.currency) : { ...existing };
  if (role === 'deactivate') {
    if (draft.status === 'active') draft.status = 'inactive';
    return draft;
  }
  if (patch.quantity !== undefined) draft.quantity_on_hand = patch.quantity;
  if (patch.reorder_point !== undefined) draft.reorder_point = patch.reorder_point;
  if (context.mode === 'inventory') return draft;
  const { fields } = context.columns;
  setScalars(draft, patch);
  setExternalKey(draft, patch, context, match);
  draft.status = statusAfter(existing, patch, role);
  draft.brand = brandAfter(draft.brand, patch, context, messages);
  if (patch.images !== undefined) {
    draft.images = mergeImages(draft.images, patch.images, context.nextImageId, fields.images, messages);
  }
  if (patch.attributes !== undefined) {
    const named = newAttributes(existing, draft, patch.attributes);
    draft.attributes = mergeAttributes(draft.attributes, named, fields.attributes, messages);
  }
  if (patch.variation !== undefined) draft.variation = variationAfter(draft.variation, patch.variation);
  draft.identity = identityAfter(existing, draft, patch, context, match, messages);
  return draft;
}

/** The source of a brand is not recorded for a product that has the same brand already. */
function newAttributes(
  existing: CatalogueProduct | null,
  draft: Draft,
  named: NonNullable<ProductPatch['attributes']>,
): NonNullable<ProductPatch['attributes']> {
  const known = existing !== null && existing.brand !== null && existing.brand === draft.brand;
  if (!known || !Object.hasOwn(named, BRAND_SOURCE) || Object.hasOwn(existing.attributes, BRAND_SOURCE)) {
    return named;
  }
  const { [BRAND_SOURCE]: _source, ...others } = named;
  return others;
}

function setScalars(draft: Draft, patch: ProductPatch): void {
  if (patch.seller_sku !== undefined && patch.seller_sku !== '') draft.seller_sku = patch.seller_sku;
  if (patch.title !== undefined) draft.title = patch.title;
  if (patch.description !== undefined) draft.description = patch.description;
  if (patch.category !== undefined) draft.category = patch.category;
  if (patch.condition !== undefined) draft.condition = patch.condition;
  if (patch.price_minor !== undefined) draft.price_minor = patch.price_minor;
  if (patch.compare_at_minor !== undefined) draft.compare_at_minor = patch.compare_at_minor;
}

/** A product keeps the key of the first tool: with two tools the key would change with every import. */
function setExternalKey(draft: Draft, patch: ProductPatch, context: PlanContext, match: RowMatch): void {
  if (patch.external_key === undefined) return;
  const taken = match.candidates.some(
    ({ reason, product_id }) => reason === 'external_key' && product_id !== draft.product_id,
  );
  if (taken) return;
  if (draft.external_key !== null && draft.external_profile !== context.profile) return;
  if (draft.external_key === null && draft.version > 0 && patch.external_key === generatedKey(draft)) return;
  draft.external_key = patch.external_key;
  draft.external_profile = patch.external_key === null ? null : context.profile;
}

/** A new product is active unless the row has a status; a staged product stays a draft until it is complete. */
function statusAfter(existing: CatalogueProduct | null, patch: ProductPatch, role: PlanInput['role']) {
  if (role === 'staged' && (existing === null || existing.status === 'draft')) return 'draft';
  return patch.status ?? existing?.status ?? 'active';
}
