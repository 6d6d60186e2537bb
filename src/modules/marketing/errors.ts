import { defineErrors } from '../../kernel/errors.ts';

export const marketingErrors = defineErrors({
  promotion_locked: {
    status: 409,
    detail:
      'The marketplace knows this promotion, so its terms stay: until it ends, only "budget_minor" may rise and "ends_at" come earlier. Withdraw a submitted one to change it.',
    facts: { status: 'running', fields: ['value_bps'] },
  },
  too_many_promotions: {
    status: 409,
    detail: 'There are 100 promotions that have not ended; end or delete one first.',
    facts: { limit: 100, used: 100 },
  },
});
