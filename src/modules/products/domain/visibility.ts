import type { ApprovedVersion, ProductContent } from './product.ts';

/**
 * The title and identity that buyers see: the product's own once they are approved, the last approved ones
 * while a change is under review or was refused.
 *
 * @returns `null` when no version is approved
 */
export function shownVersion(product: ProductContent): ApprovedVersion | null {
  switch (product.curation_state) {
    case 'approved':
      return product;
    case 'pending':
    case 'rejected':
      return product.approved;
    case 'not_submitted':
    case 'suspended':
      return null;
  }
}

/**
 * Whether buyers can find the product: it is active, has a price, and a version with title and identity is
 * approved. Stock plays no part; what is sold out stays visible.
 * Source: docs/design/feeds-and-imports.md#curation.
 */
export function isVisible(product: ProductContent): boolean {
  if (product.status !== 'active' || product.price_minor === null || product.seller_sku === null)
    return false;
  const shown = shownVersion(product);
  return shown !== null && shown.title !== null && shown.identity !== null;
}

/** Units that can be sold: on hand less reserved, never below zero; `null` when the stock is not known. */
export function quantityAvailable(product: {
  readonly quantity_on_hand: number | null;
  readonly quantity_reserved: number;
}): number | null {
  if (product.quantity_on_hand === null) return null;
  return Math.max(0, product.quantity_on_hand - product.quantity_reserved);
}

/** Whether the units that can be sold have come down to the reorder point; what is not known is not low. */
export function isLowStock(
  product: Parameters<typeof quantityAvailable>[0] & { readonly reorder_point: number | null },
): boolean {
  const available = quantityAvailable(product);
  return available !== null && product.reorder_point !== null && available <= product.reorder_point;
}
