import { generatedKey, productIdInKey } from '../export/store-group.ts';
import type { RowMatch } from '../identity/evidence.ts';
import { isOnlySku } from '../match-row.ts';
import type { CatalogueProduct } from '../product.ts';
import type { ProductPatch, RowMessage } from '../row.ts';
import { type RowCode, rowMessage } from '../row-codes.ts';
import { newProduct } from './changes.ts';
import { missingRequirements } from './issues.ts';
import { keepUnsaid } from './keep-unsaid.ts';
import { mergeAttributes } from './merge-attributes.ts';
import { mergeImages } from './merge-images.ts';
import type { PlanContext, PlanInput } from './plan-context.ts';
import { brandAfter, identityAfter } from './plan-identity.ts';
import { variationAfter } from './variation-after.ts';

type Draft = { -readonly [K in keyof CatalogueProduct]: CatalogueProduct[K] };

/** The product with the fields of the row; curation and issues are not updated yet. */
export function draftProduct(
  existing: CatalogueProduct | null,
  stated: ProductPatch,
  role: PlanInput['role'],
  context: PlanContext,
  match: RowMatch,
  messages: RowMessage[],
): Draft {
  const draft: Draft =
    existing === null
      ? { ...newProduct(context.currency), reorder_point: context.default_reorder_point }
      : { ...existing };
  const patch =
    existing === null || context.profile === null ? stated : keepUnsaid(stated, existing, context.profile);
  if (role === 'deactivate') {
    if (draft.status === 'active') draft.status = 'inactive';
    return draft;
  }
  if (patch.quantity !== undefined)
    draft.quantity_on_hand = quantityAfter(draft, patch.quantity, context, messages);
  if (patch.reorder_point !== undefined) draft.reorder_point = patch.reorder_point;
  if (context.mode === 'inventory') return draft;
  const { fields } = context.columns;
  setScalars(draft, patch);
  setExternalKey(existing, draft, patch, context);
  draft.brand = brandAfter(draft.brand, patch, context, messages);
  if (patch.images !== undefined) {
    draft.images = mergeImages(draft.images, patch.images, context, fields.images, messages);
  }
  if (patch.attributes !== undefined) {
    const attributes = withoutKnownVendor(existing, draft, patch.attributes);
    draft.attributes = mergeAttributes(draft.attributes, attributes, fields.attributes, messages);
  }
  if (patch.variation !== undefined)
    draft.variation = variationAfter(draft.variation, patch.variation, patch.partial?.options, {
      column: fields.variation,
      messages,
    });
  draft.identity = identityAfter(existing, draft, patch, context, match, messages);
  draft.status = statusAfter(existing, draft, patch, role, messages);
  return draft;
}

/** A supplier's count stays. A request is refused; a file applies the other fields of its row. */
function quantityAfter(
  { stock_source, quantity_on_hand: present }: Draft,
  stated: number | null,
  { columns, from_file }: PlanContext,
  messages: RowMessage[],
): number | null {
  if (stock_source === 'own' || stated === present) return stated;
  const column = columns.fields.quantity;
  const severity = from_file ? 'warning' : 'error';
  messages.push(rowMessage('stock_mirrored', { column, value: String(stated), severity }));
  return present;
}

/** A product that already has its brand from elsewhere does not get the mark of the vendor. */
function withoutKnownVendor(
  existing: CatalogueProduct | null,
  draft: Draft,
  attributes: NonNullable<ProductPatch['attributes']>,
): NonNullable<ProductPatch['attributes']> {
  if (existing === null || existing.brand !== draft.brand) return attributes;
  if (Object.hasOwn(existing.attributes, 'brand_source')) return attributes;
  const { brand_source: _, ...others } = attributes;
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
  if (patch.shipping_profile_id !== undefined) draft.shipping_profile_id = patch.shipping_profile_id;
}

/**
 * A product keeps the key of its first import, so that this file finds it again. A key that is only the SKU gives way
 * to a key of another profile, because a file with such a key finds the product by its SKU too. The key of a product
 * without a SKU gives way to its first SKU: a listing that is renamed later is still found.
 */
function setExternalKey(
  before: CatalogueProduct | null,
  draft: Draft,
  patch: ProductPatch,
  context: PlanContext,
): void {
  if (patch.external_key == null) return;
  const isFirstSku = before?.seller_sku === null && patch.external_key === patch.seller_sku;
  const sameProfile = draft.external_profile === context.profile;
  const givesWay = sameProfile ? isFirstSku : isOnlySku(draft) && !isOnlySku(patch);
  if (draft.external_key !== null && !givesWay) return;
  if (draft.version > 0 && isGenerated(patch.external_key, draft)) return;
  draft.external_key = patch.external_key;
  draft.external_profile = context.profile;
}

/** Whether an export made the key for a product that had none. */
const isGenerated = (key: string, draft: Draft): boolean =>
  key === generatedKey(draft) || productIdInKey(key) === draft.product_id;

/** A draft with such a finding waits for the seller, even if it lacks nothing. */
const HOLDS_BACK: ReadonlySet<string> = new Set<RowCode>(['needs_variant_details', 'price_below_minimum']);

/**
 * A new product is active unless the row has a status. A row that stages a new product makes a draft; one that stages a
 * draft leaves it so while it lacks something, which may be what the file has no column for.
 */
function statusAfter(
  existing: CatalogueProduct | null,
  draft: CatalogueProduct,
  patch: ProductPatch,
  role: PlanInput['role'],
  messages: readonly RowMessage[],
) {
  const waits = (): boolean =>
    missingRequirements(draft).length > 0 || messages.some(({ code }) => HOLDS_BACK.has(code));
  const staged = role === 'staged' && (existing === null || (existing.status === 'draft' && waits()));
  return staged ? 'draft' : (patch.status ?? existing?.status ?? 'active');
}
