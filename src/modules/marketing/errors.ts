import { defineErrors } from '../../kernel/errors.ts';

export const marketingErrors = defineErrors({
  promotion_locked: {
    status: 409,
    detail:
      'The marketplace knows this promotion, so its terms stay: until it ends, only "budget_minor" may rise and "ends_at" come earlier. Withdraw a submitted one to change it.',
    facts: { status: 'running', fields: ['value_bps'] },
  },
  below_floor: {
    status: 409,
    detail:
      'The promotion would take prices below their floors in pricing; "skus" names the first 50. Take less off, leave them out, or lower their floors.',
    facts: { skus: ['MUG-BLU'] },
  },
  too_many_promotions: {
    status: 409,
    detail: 'There are 100 promotions that have not ended; end or delete one first.',
    facts: { limit: 100, used: 100 },
  },
});
