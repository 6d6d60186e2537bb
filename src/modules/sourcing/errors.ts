import { defineErrors } from '../../kernel/errors.ts';

export const awardErrors = defineErrors({
  quote_not_open: {
    status: 409,
    detail: 'This quote cannot be awarded any more; choose an open one, or ask again.',
    facts: { quote_id: 'quo_01j0000000000000000000000', status: 'expired' },
  },
  line_not_quoted: {
    status: 409,
    detail: 'The supplier has not quoted for this line; choose another quote for it.',
    facts: { quote_id: 'quo_01j0000000000000000000000', line_no: 2 },
  },
});
