import { currencyExponent, jsonOrNull } from '../../../kernel/money.ts';
import { identityToWire } from '../domain/identity/wire-identity.ts';
import { showImages } from '../domain/images/media-url.ts';
import type { StoredProduct } from '../domain/product.ts';
import type { Variation } from '../domain/row.ts';
import { hiddenReasons, liveContent, quantityAvailable } from '../domain/visibility.ts';
import type { WireProduct } from './product.ts';

/** What products show of their seller. */
export interface Shop {
  /** A holiday closing hides the products today. */
  readonly closed: boolean;
  /** What the addresses of uploaded images begin with. */
  readonly media_url: string;
}

/** The product in answers and events. */
export function toWire(product: StoredProduct, { closed, media_url }: Shop): WireProduct {
  const { identity, price_minor, compare_at_minor, variation } = product;
  const live = liveContent(product);
  const hidden_reasons = hiddenReasons(product, closed);
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
    price_minor: jsonOrNull(price_minor),
    compare_at_minor: jsonOrNull(compare_at_minor),
    currency: product.currency,
    currency_exponent: currencyExponent(product.currency),
    quantity_available: quantityAvailable(product),
    quantity_reserved: product.quantity_reserved,
    quantity_on_hand: product.quantity_on_hand,
    reorder_point: product.reorder_point,
    shipping_profile_id: product.shipping_profile_id,
    images: showImages(product.images, media_url),
    attributes: product.attributes,
    variation: variation === null ? null : inThemeOrder(variation),
    status: product.status,
    curation: {
      state: product.curation_state,
      reasons: product.curation_reasons as WireProduct['curation']['reasons'],
    },
    visible: hidden_reasons.length === 0,
    hidden_reasons,
    live: live && {
      version: product.live_version ?? product.reviewed_from,
      title: live.title,
      description: live.description,
      brand: live.brand,
      category: live.category,
      identity: live.identity === null ? null : identityToWire(live.identity, live.brand),
      images: showImages(live.images, media_url),
      approved_at: product.approved_at ?? product.reviewed_at,
    },
    issues: product.issues as WireProduct['issues'],
    source: { origin: product.source_origin, run_id: product.source_run_id, row: product.source_row },
    version: product.version,
    created_at: product.created_at,
    updated_at: product.updated_at,
  };
}

/** Entity tag of a product: a change of its content or of its stock makes a new one. */
export function productTag(product: Pick<StoredProduct, 'version' | 'stock_version'>): string {
  return `${product.version}-${product.stock_version}`;
}

/**
 * Entity tag of an answer with a product. A closing changes what the answer shows, not the version: `If-Match` does not
 * compare what follows `~` (platform/http/etag.ts).
 */
export const shownProductTag = (product: Parameters<typeof productTag>[0], { closed }: Shop): string =>
  productTag(product) + (closed ? '~closed' : '');

/** PostgreSQL sorts the options of stored JSON; the theme has the seller's order. */
function inThemeOrder(variation: Variation): Variation {
  const axes = variation.theme.split('/').map((axis) => axis.trim());
  if (!axes.every((axis) => Object.hasOwn(variation.values, axis))) return variation;
  return {
    ...variation,
    values: Object.fromEntries(axes.map((axis) => [axis, variation.values[axis] ?? ''])),
  };
}
