import { defineErrors } from '../../kernel/errors.ts';

export const authErrors = defineErrors({
  insufficient_assurance: {
    status: 403,
    detail:
      'The marketplace session must have assurance level aal2: complete the second factor, then send the refreshed session.',
  },
  seller_not_found: {
    status: 404,
    detail: 'No seller account belongs to this marketplace identity; finish registration first.',
  },
  tax_id_taken: {
    status: 409,
    detail: 'This tax_id belongs to another seller; sign in as that seller or ask to be invited to its team.',
  },
  already_registered: {
    status: 409,
    detail: 'This marketplace identity belongs to a seller with another tax_id.',
  },
  invalid_grant: { status: 400, detail: 'The marketplace does not know this user name with this password.' },
});
