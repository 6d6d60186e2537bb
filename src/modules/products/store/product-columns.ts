/**
 * The columns of `product`. The statements that read, insert and update products are made from this table.
 */

import type { GtinScheme } from '../../../kernel/gtin.ts';
import {
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { NO_IDENTITY } from '../domain/identity/stored-identity.ts';
import type {
  CatalogueProduct,
  CurationReason,
  CurationState,
  IdentityStrategy,
  ProductImage,
  ProductIssue,
  ReviewedVersion,
  SourceOrigin,
  StockSource,
  StoredIdentity,
  StoredProduct,
} from '../domain/product.ts';
import type { Condition, ExemptionReason, ProductStatus, Variation } from '../domain/row.ts';
import { searchText } from './search-text.ts';
import { STOCK_OF_EACH } from './stock-columns.ts';

/** Columns that are written and read. */
const CONTENT = {
  seller_sku: nullable(text),
  title: nullable(text),
  description: nullable(text),
  brand: nullable(text),
  category: nullable(text),
  condition: nullable(textOf<Condition>()),
  external_key: nullable(text),
  external_profile: nullable(text),
  identity_strategy: nullable(textOf<IdentityStrategy>()),
  gtin14: nullable(text),
  value_entered: nullable(text),
  scheme: nullable(textOf<GtinScheme>()),
  mpn: nullable(text),
  mpn_folded: nullable(text),
  brand_folded: nullable(text),
  exempt_reason: nullable(textOf<ExemptionReason>()),
  exempt_source: nullable(textOf<'seller' | 'file'>()),
  product_ref: nullable(text),
  price_minor: nullable(money),
  compare_at_minor: nullable(money),
  currency: text,
  shipping_profile_id: nullable(text),
  status: textOf<ProductStatus>(),
  images: json<readonly ProductImage[]>(),
  attributes: json<Readonly<Record<string, string>>>(),
  variation: nullable(json<Variation>()),
  curation_state: textOf<CurationState>(),
  curation_reasons: json<readonly CurationReason[]>(),
  approved: nullable(json<ReviewedVersion>()),
  issues: json<readonly ProductIssue[]>(),
  source_origin: textOf<SourceOrigin>(),
  source_run_id: nullable(text),
  source_row: nullable(integer),
};

/** Columns of a bulk insert. */
export const INSERTED = { product_id: text, ...CONTENT, search_text: text, version: integer };

/** Columns of a bulk update. A new product has no live version, and its reviewed content is that of version 1. */
export const UPDATED = {
  ...INSERTED,
  live_version: nullable(integer),
  approved_at: nullable(instant),
  reviewed_from: integer,
};

export function toRow(product: CatalogueProduct): RowOf<typeof UPDATED> {
  const { identity } = product;
  return {
    ...product,
    ...(identity ?? NO_IDENTITY),
    identity_strategy: identity?.strategy ?? null,
    search_text: searchText(product),
  };
}

/** Rows of {@link SELECT_LIST}. */
export const PRODUCT = {
  product_id: text,
  ...CONTENT,
  version: integer,
  live_version: nullable(integer),
  approved_at: nullable(instant),
  reviewed_from: nullable(integer),
  reviewed_at: nullable(instant),
  created_at: instant,
  updated_at: instant,
  quantity_on_hand: nullable(integer),
  quantity_reserved: integer,
  stock_source: textOf<StockSource>(),
  reorder_point: nullable(integer),
  stock_version: integer,
};
type ProductRow = RowOf<typeof PRODUCT>;

/** Select list of a product `p` with its stock `i`. */
export const SELECT_LIST = [
  'p.product_id',
  ...Object.keys(CONTENT).map((name) => `p.${name}`),
  'p.version',
  'p.live_version',
  'p.approved_at',
  'p.reviewed_from',
  'p.reviewed_at',
  'p.created_at',
  'p.updated_at',
  'i.quantity_on_hand',
  'coalesce(i.quantity_reserved, 0) as quantity_reserved',
  "coalesce(i.stock_source, 'own') as stock_source",
  'i.reorder_point',
  'coalesce(i.version, 0) as stock_version',
].join(', ');

/**
 * A product has no row of stock until a quantity is set. The stock is looked up for each product: with a join, the
 * planner may read the seller's whole stock for each product.
 */
export const FROM_PRODUCT = `product p ${STOCK_OF_EACH}`;

function toIdentity(row: ProductRow): StoredIdentity | null {
  if (row.identity_strategy === null) return null;
  return {
    strategy: row.identity_strategy,
    gtin14: row.gtin14,
    value_entered: row.value_entered,
    scheme: row.scheme,
    mpn: row.mpn,
    mpn_folded: row.mpn_folded,
    brand_folded: row.brand_folded,
    exempt_reason: row.exempt_reason,
    exempt_source: row.exempt_source,
    product_ref: row.product_ref,
  };
}

/** Every key is written out, because a rest pattern is many times slower. */
export function toProduct(row: ProductRow): StoredProduct {
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    description: row.description,
    brand: row.brand,
    category: row.category,
    condition: row.condition,
    external_key: row.external_key,
    external_profile: row.external_profile,
    identity: toIdentity(row),
    price_minor: row.price_minor,
    compare_at_minor: row.compare_at_minor,
    currency: row.currency,
    shipping_profile_id: row.shipping_profile_id,
    status: row.status,
    images: row.images,
    attributes: row.attributes,
    variation: row.variation,
    curation_state: row.curation_state,
    curation_reasons: row.curation_reasons,
    approved: row.approved,
    issues: row.issues,
    source_origin: row.source_origin,
    source_run_id: row.source_run_id,
    source_row: row.source_row,
    version: row.version,
    live_version: row.live_version,
    approved_at: row.approved_at,
    reviewed_from: row.reviewed_from ?? row.version,
    reviewed_at: row.reviewed_at ?? row.updated_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    quantity_on_hand: row.quantity_on_hand,
    quantity_reserved: row.quantity_reserved,
    stock_source: row.stock_source,
    reorder_point: row.reorder_point,
    stock_version: row.stock_version,
  };
}
