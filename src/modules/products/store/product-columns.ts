/**
 * The columns of `product` as data: reading, bulk inserting and bulk updating are all made from this table, so a
 * new field is one line here and one in the migration.
 */

import type { Minor } from '../../../kernel/money.ts';
import {
  type ArrayParameter,
  bigintArray,
  intArray,
  jsonbArray,
  textArray,
} from '../../../platform/db/arrays.ts';
import type { CatalogueProduct, StoredIdentity, StoredProduct } from '../domain/product.ts';
import { STOCK_OF_EACH } from './list-inventory.ts';
import { searchText } from './search-text.ts';

type Products = readonly CatalogueProduct[];

interface Column {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'integer' | 'jsonb';
  /** The column of many products as one parameter. */
  readonly array: (products: Products) => ArrayParameter;
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const text = (name: string, get: (product: CatalogueProduct) => string | null): Column => ({
  name,
  type: 'text',
  array: (products) => textArray(products.map(get)),
});
const jsonb = (name: string, get: (product: CatalogueProduct) => unknown): Column => ({
  name,
  type: 'jsonb',
  array: (products) => jsonbArray(products.map((product) => json(get(product)))),
});
const identity = (name: string, get: (identity: StoredIdentity) => string | null): Column =>
  text(name, (product) => (product.identity === null ? null : get(product.identity)));

/** What a write sets; the key, the version and the instants come from the statement. */
export const CONTENT_COLUMNS: readonly Column[] = [
  text('seller_sku', (p) => p.seller_sku),
  text('title', (p) => p.title),
  text('description', (p) => p.description),
  text('brand', (p) => p.brand),
  text('category', (p) => p.category),
  text('condition', (p) => p.condition),
  text('external_key', (p) => p.external_key),
  text('external_profile', (p) => p.external_profile),
  identity('identity_strategy', (i) => i.strategy),
  identity('gtin14', (i) => i.gtin14),
  identity('value_entered', (i) => i.value_entered),
  identity('scheme', (i) => i.scheme),
  identity('mpn', (i) => i.mpn),
  identity('mpn_folded', (i) => i.mpn_folded),
  identity('brand_folded', (i) => i.brand_folded),
  identity('exempt_reason', (i) => i.exempt_reason),
  identity('exempt_source', (i) => i.exempt_source),
  identity('product_ref', (i) => i.product_ref),
  { name: 'price_minor', type: 'bigint', array: (ps) => bigintArray(ps.map((p) => p.price_minor)) },
  { name: 'compare_at_minor', type: 'bigint', array: (ps) => bigintArray(ps.map((p) => p.compare_at_minor)) },
  text('currency', (p) => p.currency),
  text('status', (p) => p.status),
  jsonb('images', (p) => p.images),
  jsonb('attributes', (p) => p.attributes),
  jsonb('variation', (p) => p.variation),
  text('curation_state', (p) => p.curation_state),
  jsonb('curation_reasons', (p) => p.curation_reasons),
  jsonb('approved', (p) => p.approved),
  jsonb('issues', (p) => p.issues),
  text('source_origin', (p) => p.source_origin),
  text('source_run_id', (p) => p.source_run_id),
  { name: 'source_row', type: 'integer', array: (ps) => intArray(ps.map((p) => p.source_row)) },
  text('search_text', searchText),
];

/** Select list of a product `p` joined with its stock `i`. */
export const SELECT_LIST = [
  'p.product_id',
  ...CONTENT_COLUMNS.filter(({ name }) => name !== 'search_text').map(({ name }) => `p.${name}`),
  'p.version',
  'p.created_at',
  'p.updated_at',
  'i.quantity_on_hand',
  'coalesce(i.quantity_reserved, 0) as quantity_reserved',
  'i.reorder_point',
  'coalesce(i.version, 0) as stock_version',
].join(', ');

/**
 * Stock belongs to the product: one row each, absent until a quantity was stated. It is looked up for each
 * product: joined, the planner may read the seller's whole stock for every one of them.
 */
export const FROM_PRODUCT = `product p ${STOCK_OF_EACH}`;

type Row = Omit<StoredProduct, 'identity' | 'price_minor' | 'compare_at_minor'> & {
  readonly price_minor: bigint | null;
  readonly compare_at_minor: bigint | null;
  readonly identity_strategy: StoredIdentity['strategy'] | null;
} & Omit<StoredIdentity, 'strategy'>;

function toIdentity(row: Row): StoredIdentity | null {
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

/** The product of a row of {@link SELECT_LIST}. Written out: a rest pattern takes many times as long, and a page has 50. */
export function toProduct(given: unknown): StoredProduct {
  const row = given as Row;
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
    price_minor: row.price_minor as Minor | null,
    compare_at_minor: row.compare_at_minor as Minor | null,
    currency: row.currency,
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
    created_at: row.created_at,
    updated_at: row.updated_at,
    quantity_on_hand: row.quantity_on_hand,
    quantity_reserved: row.quantity_reserved,
    reorder_point: row.reorder_point,
    stock_version: row.stock_version,
  };
}
