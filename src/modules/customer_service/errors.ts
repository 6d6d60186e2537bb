import { defineErrors } from '../../kernel/errors.ts';

export const ticketErrors = defineErrors({
  ticket_limit: {
    status: 409,
    detail: 'You have too many requests that are not resolved; resolve those that are done.',
    facts: { limit: 100, used: 100 },
  },
  escalation_not_due: {
    status: 409,
    detail: 'No clock of the marketplace is breached, or the ticket was escalated already.',
  },
  claim_decided: {
    status: 409,
    detail: 'The marketplace has decided about the claim; a decision against you can be appealed once.',
    facts: { decision: 'granted' },
  },
  offer_exceeds_claim: {
    status: 409,
    detail: 'The offer is more than the buyer claims.',
    facts: { amount_minor: 6_345 },
  },
  appeal_window_passed: {
    status: 409,
    detail: 'The time for an appeal has passed.',
    facts: { appeal_by: '2026-08-05T14:00:00.000Z' },
  },
  appeal_used: { status: 409, detail: 'A decision about a claim can be appealed once.' },
});
