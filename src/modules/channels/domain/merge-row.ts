/**
 * The row that an existing product gets from its store: the fields that the merge takes, and what the product lacks.
 * Source: docs/design/channels.md#merge.
 */
import type { CatalogueProduct } from '../../products/domain/product.ts';
import type { FeedRow, ProductPatch } from '../../products/domain/row.ts';
import { storeTexts } from './field-texts.ts';
import type { FieldTexts, MergeRules } from './link-words.ts';
import { type MergedProduct, mergeProduct } from './merge-product.ts';

/** What a product lacks here; what it has is never replaced. */
const FILLED = ['seller_sku', 'identity', 'condition', 'variation'] as const;

function fillsOf(product: CatalogueProduct, patch: ProductPatch): ProductPatch {
  const missing = FILLED.filter((field) => product[field] === null && patch[field] !== undefined);
  return Object.fromEntries(missing.map((field) => [field, patch[field]]));
}

interface How {
  readonly base: FieldTexts;
  readonly rules: MergeRules;
  /** Another product has the key of the variant in the store's export. */
  readonly keyTaken: boolean;
  /** The terms of the marketplace are overdue, so nothing is put on sale. */
  readonly overdue: boolean;
}

export interface MergedRow extends MergedProduct {
  readonly row: FeedRow;
  /** The store sells the product, and it is not on sale here because the terms are overdue. */
  readonly heldBack: boolean;
}

/** @param row as the import profile maps the variant */
export function mergeRow(product: CatalogueProduct, row: FeedRow, { base, rules, ...how }: How): MergedRow {
  const stated = row.patch ?? {};
  // A draft waits for what the row lacks; that is no edit of its status.
  const waits = row.role === 'staged' && product.status === 'draft';
  const { status, ...content } = storeTexts(stated);
  const store = waits || status === undefined ? content : { ...content, status };
  const merged = mergeProduct(product, store, waits ? { ...base, status: 'inactive' } : base, rules);
  const heldBack = how.overdue && merged.patch.status === 'active' && product.status !== 'active';
  const { status: taken, ...others } = merged.patch;
  const { external_key } = stated;
  // What the store says of its status holds with the status; it is no content, so the merge leaves it out.
  const { store_status } = stated.attributes ?? {};
  const sold = (taken ?? product.status) === 'active';
  const holds = !heldBack && status !== undefined && sold === (status === 'active');
  const patch: ProductPatch = {
    ...fillsOf(product, stated),
    ...(external_key != null && !how.keyTaken && { external_key }),
    ...others,
    ...(holds && store_status !== undefined && { attributes: { ...others.attributes, store_status } }),
    ...(taken !== undefined && !heldBack && { status: taken }),
  };
  const kept = heldBack ? { ...merged.base, status: base.status ?? 'inactive' } : merged.base;
  return { ...merged, base: kept, row: { ...row, patch }, heldBack };
}

/**
 * The base of a product that was made from a row: all that the store states, and the status that it got. Prices that were
 * left out are known to be none here.
 */
export const firstBase = (row: FeedRow, { status }: Pick<CatalogueProduct, 'status'>): FieldTexts => ({
  ...{ price_minor: null, compare_at_minor: null },
  ...storeTexts(row.patch ?? {}),
  status: status === 'active' ? 'active' : 'inactive',
});
