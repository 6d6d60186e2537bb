import { API_IDENTITY_COLUMNS, FEED_IDENTITY_COLUMNS, type IdentityColumns } from '../identity/columns.ts';
import type { ProductPatch } from '../row.ts';

/** The column or path that findings name for each field. */
export interface FieldColumns {
  readonly fields: Readonly<Record<Exclude<keyof ProductPatch, 'identity_parts' | 'partial'>, string>>;
  readonly identity: IdentityColumns;
}

const SHARED = {
  seller_sku: 'seller_sku',
  title: 'title',
  description: 'description',
  brand: 'brand',
  category: 'category',
  condition: 'condition',
  external_key: 'external_key',
  currency: 'currency',
  reorder_point: 'reorder_point',
  shipping_profile_id: 'shipping_profile_id',
  status: 'status',
  attributes: 'attributes',
  variation: 'variation',
} as const;

/** Columns of the native feed. */
export const FEED_COLUMNS: FieldColumns = {
  fields: {
    ...SHARED,
    identity: 'identity_strategy',
    price_minor: 'price',
    compare_at_minor: 'compare_at',
    quantity: 'quantity',
    images: 'image_urls',
  },
  identity: FEED_IDENTITY_COLUMNS,
};

/** Paths in the body of a product request; a 422 error splits them at `.` into the parts of `loc`. */
export const API_COLUMNS: FieldColumns = {
  fields: {
    ...SHARED,
    identity: 'identity',
    price_minor: 'price_minor',
    compare_at_minor: 'compare_at_minor',
    quantity: 'quantity_on_hand',
    images: 'images',
  },
  identity: API_IDENTITY_COLUMNS,
};
