import { defineErrors } from '../../kernel/errors.ts';

export const intelErrors = defineErrors({
  category_not_yours: {
    status: 404,
    detail:
      'You have no active product in this category and have sold none in 90 days; choose one of GET /marketplace-intel/categories.',
  },
});
