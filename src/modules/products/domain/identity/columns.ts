/** The column (of a feed) or the path (of the API) that findings name for each part of an identity. */
export interface IdentityColumns {
  readonly strategy: string;
  readonly value: string;
  readonly product_id: string;
  readonly mpn: string;
  readonly brand: string;
  readonly reason: string;
}

export const FEED_IDENTITY_COLUMNS: IdentityColumns = {
  strategy: 'identity_strategy',
  value: 'global_id',
  product_id: 'product_id',
  mpn: 'mpn',
  brand: 'brand',
  reason: 'exempt_reason',
};

export const API_IDENTITY_COLUMNS: IdentityColumns = {
  strategy: 'identity.strategy',
  value: 'identity.value',
  product_id: 'identity.value',
  mpn: 'identity.mpn',
  brand: 'identity.brand',
  reason: 'identity.reason',
};
