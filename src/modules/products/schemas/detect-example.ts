export const DETECT_EXAMPLE = {
  profile: 'store_platform_products',
  generation: 'C',
  confidence: 1,
  encoding: 'utf-8',
  delimiter: ',',
  header_row: 1,
  rows: 182,
  currency: null,
  columns: { matched: ['handle', 'title', 'variant sku', 'variant price'], missing: [], unknown: [] },
  candidates: [{ profile: 'store_platform_products', score: 1 }],
  near_miss: null,
  warnings: [],
  sample: [
    {
      row_number: 1,
      line_start: 2,
      line_end: 2,
      role: 'product',
      product: { seller_sku: 'MUG-BLU', title: 'Blue mug', price_minor: 2499 },
      messages: [],
    },
  ],
};
