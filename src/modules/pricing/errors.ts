import { defineErrors } from '../../kernel/errors.ts';

export const pricingErrors = defineErrors({
  floor_above_ceiling: {
    status: 409,
    detail: 'The floor is above the ceiling; send a floor that is at most the ceiling.',
  },
  too_many_rules: {
    status: 409,
    detail: 'A seller has at most 20 price rules; delete one first.',
    facts: { limit: 20 },
  },
});
