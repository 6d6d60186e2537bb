import { defineErrors } from '../../kernel/errors.ts';

export const authErrors = defineErrors({
  invalid_grant: { status: 400, detail: 'The marketplace does not know this user name with this password.' },
});
