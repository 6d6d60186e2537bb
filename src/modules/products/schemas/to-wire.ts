import { currencyExponent, minorToJson } from '../../../kernel/money.ts';
import { identityToWire } from '../domain/identity/wire-identity.ts';
import type { StoredProduct } from '../domain/product.ts';
import type { Variation } from '../domain/row.ts';
import { isVisible, quantityAvailable } from '../domain/visibility.ts';
import type { WireProduct } from './product.ts';

/** The product as every answer, event and export of it shows it. */
export function toWire(product: StoredProduct): WireProduct {
  const { identity, price_minor, compare_at_minor, variation } = product;
  return {
    product_id: product.product_id,
    seller_sku: product.seller_sku,
    title: product.title,
    description: product.description,
    brand: product.brand,
    category: product.category,
    condition: product.condition,
    external_key: product.external_key,
    identity: identity === null ? null : identityToWire(identity, product.brand),
    price_minor: price_minor === null ? null : minorToJson(price_minor),
    compare_at_minor: compare_at_minor === null ? null : minorToJson(compare_at_minor),
    currency: product.currency,
    currency_exponent: currencyExponent(product.currency),
    quantity_available: quantityAvailable(product),
    quantity_reserved: product.quantity_reserved,
    quantity_on_hand: product.quantity_on_hand,
    reorder_point: product.reorder_point,
    images: product.images as WireProduct['images'],
    attributes: product.attributes,
    variation: variation === null ? null : inThemeOrder(variation),
    status: product.status,
    curation: {
      state: product.curation_state,
      reasons: product.curation_reasons as WireProduct['curation']['reasons'],
    },
    visible: isVisible(product),
    issues: product.issues as WireProduct['issues'],
    source: { origin: product.source_origin, run_id: product.source_run_id, row: product.source_row },
    version: product.version,
    created_at: product.created_at,
    updated_at: product.updated_at,
  };
}

/** Entity tag of a product: its content and its stock are counted apart, and either change makes a new tag. */
export function productTag(product: Pick<StoredProduct, 'version' | 'stock_version'>): string {
  return `${product.version}-${product.stock_version}`;
}

/** The database keeps the options in an order of its own; the theme says the seller's. */
export function inThemeOrder(variation: Variation): Variation {
  const axes = variation.theme.split('/').map((axis) => axis.trim());
  if (!axes.every((axis) => Object.hasOwn(variation.values, axis))) return variation;
  return {
    ...variation,
    values: Object.fromEntries(axes.map((axis) => [axis, variation.values[axis] ?? ''])),
  };
}
