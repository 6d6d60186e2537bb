import { defineErrors } from '../../kernel/errors.ts';

export const sellerErrors = defineErrors({
  member_not_found: { status: 404, detail: 'There is no such team member.' },
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
