import type { ProductContent, ReviewedContent } from './product.ts';

/**
 * The content that buyers see: that of the product once it is approved, and the approved version while a change is
 * under review or after its rejection.
 *
 * @returns `null` when no version is approved
 */
export function liveContent(product: ProductContent): ReviewedContent | null {
  switch (product.curation_state) {
    case 'approved':
      return product;
    case 'pending':
    case 'rejected':
      return product.approved && { ...product, ...product.approved };
    case 'not_submitted':
    case 'suspended':
      return null;
  }
}

/** Why buyers cannot see a product. */
export const HIDDEN_REASONS = [
  'not_active',
  'sku_missing',
  'price_missing',
  'not_approved',
  'content_missing',
  'seller_closed',
] as const;
type HiddenReason = (typeof HIDDEN_REASONS)[number];

/**
 * Everything that keeps buyers from finding the product; empty: they see it. A sold-out product stays visible.
 * Source: docs/design/feeds-and-imports.md#curation.
 *
 * @param closed a holiday closing hides the products of the seller today
 */
export function hiddenReasons(product: ProductContent, closed: boolean): HiddenReason[] {
  const live = liveContent(product);
  const reasons: Readonly<Record<HiddenReason, boolean>> = {
    not_active: product.status !== 'active',
    sku_missing: product.seller_sku === null,
    price_missing: product.price_minor === null,
    not_approved: live === null,
    content_missing: live !== null && (live.title === null || live.identity === null),
    seller_closed: closed,
  };
  return HIDDEN_REASONS.filter((reason) => reasons[reason]);
}

/** Whether buyers can find the product, apart from a closing of its seller, which concerns all its products. */
export const isVisible = (product: ProductContent): boolean => hiddenReasons(product, false).length === 0;

/** Units that can be sold: on hand minus reserved, at least 0; `null` when the stock is unknown. */
export function quantityAvailable(product: {
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
}): number | null {
  if (product.quantity_on_hand === null) return null;
  return Math.max(0, product.quantity_on_hand - product.quantity_reserved);
}

/** Whether the units that can be sold are at or below the reorder point; unknown stock is not low. */
export function isLowStock(
  product: Parameters<typeof quantityAvailable>[0] & { readonly reorder_point: number | null },
): boolean {
  const available = quantityAvailable(product);
  return available !== null && product.reorder_point !== null && available <= product.reorder_point;
}
