import { defineErrors } from '../../kernel/errors.ts';

export const billingErrors = defineErrors({
  checkout_disabled: {
    status: 409,
    detail: 'Plans cannot be bought here; the marketplace changes the plan of an account.',
  },
});
