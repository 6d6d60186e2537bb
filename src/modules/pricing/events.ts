import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { Instant } from '../../kernel/schema.ts';

export const recommendationsChanged = defineEvent({
  type: 'pricing.recommendations_changed',
  summary: 'Recommended prices have changed; no price of a product changes automatically',
  schema: Type.Object(
    {
      recommended: Type.Integer({ description: 'Products with a recommended price now' }),
      opened: Type.Array(Type.String(), {
        maxItems: 50,
        description: 'Products that have a new recommended price, at most 50 of them',
      }),
      closed: Type.Integer({ description: 'Products that have none any more' }),
      evaluated_at: Instant({ description: 'When the products were evaluated' }),
    },
    { title: 'PricingRecommendations', description: 'What has changed in the recommended prices.' },
  ),
  example: {
    recommended: 3,
    opened: ['prd_01j0000000000000000000000'],
    closed: 1,
    evaluated_at: '2026-06-28T17:00:00.000Z',
  },
  notification: {
    severity: 'info',
    href: '/pricing/products?status=recommended',
    title: 'Recommended prices have changed: there are {recommended} now',
  },
});
