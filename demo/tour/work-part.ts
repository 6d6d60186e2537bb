/** What a shop that trades should do next. */
import type { Part } from './step.ts';

export const WORK_PART: Part = {
  name: 'work',
  title: 'What to do next',
  about: 'What needs June now, what would help her listings most, and how well she serves her orders.',
  after: 'money',
  steps: [
    {
      title: 'What needs her attention',
      note: 'The gravest comes first, and each line names the list that it counts.',
      method: 'GET',
      url: '$API/dashboard/summary',
      show: ['attention.kind', 'attention.severity', 'attention.count', 'attention.due_at', 'attention.href'],
    },
    {
      title: 'A product that is not ready for sale',
      method: 'GET',
      url: '$API/quality/products?ready=false&limit=1',
      take: { PRODUCT: 'product_id' },
      show: ['data.product_id', 'data.seller_sku', 'data.score', 'data.codes'],
    },
    {
      title: 'What keeps it from being sold, and what would help most',
      method: 'GET',
      url: '$API/quality/products/$PRODUCT',
      show: ['ready', 'score', 'findings.code', 'findings.message', 'findings.fix', 'findings.gain_points'],
      items: 3,
    },
    {
      title: 'How well she serves her orders',
      note: 'Fewer than 30 orders are not judged.',
      method: 'GET',
      url: '$API/quality/seller-metrics?window=90',
      show: [
        'metrics.metric',
        'metrics.numerator',
        'metrics.denominator',
        'metrics.rate_bps',
        'metrics.status',
      ],
    },
    {
      title: 'The order that was late',
      note: 'She contested it, and the marketplace upheld that: it no longer counts.',
      method: 'GET',
      url: '$API/quality/seller-metrics/late_dispatch/events?window=90&counted=false',
      show: [
        'data.order_id',
        'data.day',
        'data.fact.cause',
        'data.counted',
        'data.contest.reason',
        'data.contest.status',
      ],
    },
  ],
};
