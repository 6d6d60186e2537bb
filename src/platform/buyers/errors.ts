import { defineErrors } from '../../kernel/errors.ts';

export const buyerErrors = defineErrors({
  buyer_erased: {
    status: 410,
    detail: 'The buyer’s personal data were erased at the buyer’s request.',
  },
});
