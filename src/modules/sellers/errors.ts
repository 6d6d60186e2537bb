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
      'The last owner can neither leave, be removed nor lose the role; make another active member an owner first.',
  },
});

/** Errors of the registration. */
export const registrationErrors = defineErrors({
  tax_id_taken: {
    status: 409,
    detail: 'This tax_id belongs to another seller; sign in as that seller or ask to be invited to its team.',
  },
  already_registered: {
    status: 409,
    detail:
      'This marketplace identity belongs to a seller with another tax_id; a member of its team must leave that team first.',
  },
});

/** Refusals of the acceptance of an invitation. */
export const invitationErrors = defineErrors({
  invitation_expired: {
    status: 410,
    detail: 'This invitation has expired; ask the team to invite you again.',
  },
  invitation_for_another: {
    status: 403,
    detail: 'This invitation is for another person; sign in to the marketplace as the invited person.',
  },
  email_not_verified: {
    status: 403,
    detail:
      'The marketplace has not verified the e-mail address of this session; verify it there, then send a new session.',
  },
});
