import { coreErrors, defineErrors } from '../../kernel/errors.ts';

export const errors = defineErrors({
  settlement_open: {
    status: 409,
    detail: 'The settlement is open. Its proof exists after the close.',
    facts: { closes_at: '2026-07-15T16:00:00.000Z' },
  },
});

/** The errors of all routes of one settlement, payout or invoice. */
export const notFoundErrors = [coreErrors.not_found];
