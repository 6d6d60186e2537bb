import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { Nullable } from '../../kernel/schema.ts';
import { METRIC_EXAMPLE, PerformanceFigure } from './schemas/performance.ts';
import { READINESS_EXAMPLE, Readiness } from './schemas/readiness.ts';

const Flipped = Type.Object(
  {
    products: Type.Integer({ description: 'How many products it is about' }),
    run_id: Nullable(Type.String({ description: 'The feed run that changed them; null: it is one product' })),
    product: Nullable(Readiness),
  },
  { title: 'ListingsFlipped', description: 'Products that became ready for sale, or stopped being ready.' },
);
const example = { products: 1, run_id: null, product: READINESS_EXAMPLE };

export const qualityEvents = {
  blocked: defineEvent({
    type: 'quality.listing_blocked',
    summary: 'A product stopped being ready for sale, or a feed run stopped some',
    schema: Flipped,
    example: { ...example, product: { ...READINESS_EXAMPLE, ready: false } },
    notification: {
      severity: 'warning',
      title: 'Not ready for sale: {product.seller_sku|product.product_id|run_id} ({products})',
    },
  }),
  ready: defineEvent({
    type: 'quality.listing_ready',
    summary: 'A product became ready for sale, or a feed run made some ready',
    schema: Flipped,
    example,
    clears: { types: ['quality.listing_blocked'] },
  }),
  metric: defineEvent({
    type: 'quality.metric_status_changed',
    summary: 'A metric of the last 30 days meets its target, or misses it, unlike when it was judged last',
    schema: PerformanceFigure,
    id: 'metric',
    example: METRIC_EXAMPLE,
    notification: {
      severity: 'warning',
      where: { status: 'missed' },
      href: '/quality/seller-metrics',
      title: 'Target missed: {metric}, {numerator} of {denominator} orders',
    },
    clears: { types: ['quality.metric_status_changed'], where: { status: 'met' } },
  }),
};
