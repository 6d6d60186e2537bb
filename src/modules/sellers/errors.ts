import { defineErrors } from '../../kernel/errors.ts';

export const sellerErrors = defineErrors({
  member_exists: {
    status: 409,
    detail: 'A team member or an open invitation with this sub or e-mail exists already.',
  },
  owner_required: {
    status: 403,
    detail: 'Only an owner may give, change or take the roles owner and admin.',
  },
  last_owner: {
    status: 409,
    detail:
      'The last owner can neither be removed nor lose the role; make another active member an owner first.',
  },
});

/** Refusals of registration and of the exchange. */
export const registrationErrors = defineErrors({
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
});
