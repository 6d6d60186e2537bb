/** The same product in every example of the API description. */
import type { WireProduct } from './product.ts';

export const PRODUCT_EXAMPLE: WireProduct = {
  product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  seller_sku: 'MUG-BLU',
  title: 'Blue stoneware mug, 350 ml',
  description: '<p>Thrown and glazed by hand.</p>',
  brand: 'Harbour Clay',
  category: 'Home > Kitchen > Mugs',
  condition: 'new',
  external_key: null,
  identity: { strategy: 'exempt', reason: 'handmade', source: 'seller' },
  price_minor: 2499,
  compare_at_minor: null,
  currency: 'AUD',
  currency_exponent: 2,
  quantity_available: 10,
  quantity_reserved: 2,
  quantity_on_hand: 12,
  reorder_point: 3,
  shipping_profile_id: null,
  images: [
    {
      image_id: 'img_06fh5m2k9x000a2b3c4d5e6f7g',
      url: 'https://cdn.example.com/mug-blue.jpg',
      alt: 'Blue mug',
      position: 1,
      width: null,
      height: null,
      content_type: null,
      bytes: null,
      sha256: null,
    },
  ],
  attributes: { colour: 'Blue' },
  variation: null,
  status: 'active',
  curation: { state: 'pending', reasons: [] },
  visible: false,
  hidden_reasons: ['not_approved'],
  live: null,
  issues: [],
  source: { origin: 'api', run_id: null, row: null },
  version: 1,
  created_at: '2026-07-01T02:15:00.000Z',
  updated_at: '2026-07-01T02:15:00.000Z',
};

export const LIVE_EXAMPLE: NonNullable<WireProduct['live']> = {
  version: 1,
  title: PRODUCT_EXAMPLE.title,
  description: PRODUCT_EXAMPLE.description,
  brand: PRODUCT_EXAMPLE.brand,
  category: PRODUCT_EXAMPLE.category,
  identity: PRODUCT_EXAMPLE.identity,
  images: PRODUCT_EXAMPLE.images,
  approved_at: '2026-07-01T04:00:00.000Z',
};

export const WRITTEN_EXAMPLE = {
  ...PRODUCT_EXAMPLE,
  warnings: [],
  identity_resolution: {
    strategy: 'exempt',
    normalised: 'handmade',
    matched_by: null,
    candidates: [],
  },
};
