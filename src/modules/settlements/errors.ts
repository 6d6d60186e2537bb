import { coreErrors, defineErrors } from '../../kernel/errors.ts';

export const errors = defineErrors({
  settlement_open: {
    status: 409,
    detail: 'The settlement is open: there is a proof of it once it is closed.',
    facts: { closes_at: '2026-07-15T16:00:00.000Z' },
  },
});

/** What every route of one settlement, payout or invoice may answer. */
export const notFoundErrors = [coreErrors.not_found];
