import { defineErrors } from '../../kernel/errors.ts';

export const loyaltyErrors = defineErrors({
  program_terms_changed: {
    status: 409,
    detail: 'The program has other terms now; read GET /api/v1/loyalty/program and send their version.',
    facts: { program_version: '2026-1' },
  },
  notice_too_short: {
    status: 409,
    detail: 'The terms ask for a longer notice; choose "earliest_on" or a later day.',
    facts: { earliest_on: '2026-09-01', notice_days: 30 },
  },
});
