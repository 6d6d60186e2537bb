import { defineErrors } from '../../kernel/errors.ts';

export const authErrors = defineErrors({
  insufficient_assurance: {
    status: 403,
    detail:
      'The marketplace session must have assurance level aal2: complete the second factor, then send the refreshed session.',
  },
  invalid_grant: { status: 400, detail: 'The marketplace does not know this user name with this password.' },
});
