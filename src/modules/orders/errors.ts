/** Errors of orders. Another seller's order is `not_found`, like an unknown id. */
import {
  type ApiError,
  coreErrors,
  defineErrors,
  type ErrorDef,
  fail,
  invalid,
} from '../../kernel/errors.ts';
import { productErrors } from '../products/index.ts';
import { shippingErrors } from '../shipping/index.ts';
import type { Refusal, RefusalCode } from './domain/refusal.ts';

const STATE = { from: 'shipped', allowed: ['request_refund'] };

const own = defineErrors({
  invalid_transition: {
    status: 409,
    detail: 'The state does not allow this action; `allowed` lists the actions that it allows.',
    facts: STATE,
  },
  acceptance_window_passed: {
    status: 409,
    detail: 'The time to accept or reject this order is over.',
    facts: { accept_by: '2026-06-29T01:00:00.000Z', from: 'rejected', allowed: [] },
  },
  quantity_exceeds_open: {
    status: 409,
    detail: 'You asked for more units than are still open. Nothing was changed.',
    facts: { order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', requested: 3, open: 2 },
  },
  version_conflict: {
    status: 409,
    detail: 'The order has changed since you read it. Read it again before you retry.',
    facts: { version: 2, current_version: 3 },
  },
  already_dispatched: { status: 409, detail: 'The parcel has already been dispatched.', facts: STATE },
  already_answered: {
    status: 409,
    detail: 'This request has already been answered.',
    facts: { status: 'accepted' },
  },
  label_exists: { status: 409, detail: 'The shipment already has a label. Void it first.' },
  label_in_progress: {
    status: 409,
    detail: 'Another request is buying a label for this parcel. Retry after the seconds in Retry-After.',
  },
  packages_missing: {
    status: 409,
    detail: 'The shipment has no packages. Create it with weight and dimensions.',
  },
  quote_used: { status: 409, detail: 'The quote has been used for a label. Request a new quote.' },
  quote_expired: { status: 409, detail: 'The quote has expired. Request a new quote.' },
  quote_mismatch: {
    status: 409,
    detail:
      'The quote is for different packages or a different destination. Request a quote for this shipment.',
  },
  tracking_window_passed: {
    status: 409,
    detail: 'A tracking number can be corrected within seven days of dispatch only.',
    facts: { until: '2026-07-07T01:00:00.000Z' },
  },
  refund_exceeds_line: {
    status: 409,
    detail: 'This is more than can still be refunded on the line.',
    facts: { order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', amount_minor: 2_499, remaining_minor: 1_000 },
  },
  refund_exceeds_paid: {
    status: 409,
    detail: 'This is more than what is left of the buyer’s payment.',
    facts: { amount_minor: 2_499, remaining_minor: 1_000 },
  },
  supplied_by_dropship: {
    status: 409,
    detail:
      'A supplier sends these units. Follow them at /dropship/orders, or take them over there before they are sent.',
  },
  item_repeated: {
    status: 409,
    detail: 'An earlier item of this request names the same order and parcel. Send each once.',
  },
});

/** Errors of orders, the catalogue's error for missing stock, and shipping's for a missing label. */
export const errors = {
  ...own,
  insufficient_stock: productErrors.insufficient_stock,
  label_missing: shippingErrors.label_missing,
};

const BY_CODE: Partial<Record<RefusalCode, ErrorDef>> = { ...errors, not_found: coreErrors.not_found };

/**
 * The error for a refusal: 422 when the request is wrong, otherwise the error with the refusal's code.
 *
 * @param allowed actions that are allowed now
 */
export function toApiError(
  { code, message, facts, at, input }: Refusal,
  allowed?: readonly string[],
): ApiError {
  if (at !== undefined)
    return invalid([
      { loc: ['body', ...at], msg: message, type: code, ...(input === undefined ? {} : { input }) },
    ]);
  const def = BY_CODE[code];
  if (def === undefined) return fail(coreErrors.internal_error);
  return def === coreErrors.not_found
    ? fail(def)
    : fail(def, { detail: message, facts: allowed === undefined ? facts : { ...facts, allowed } });
}

/** Errors of every route of one order. */
export const ofOrder = [coreErrors.not_found];
/** Errors of every action on one order. */
export const ofAction = [
  coreErrors.not_found,
  coreErrors.precondition_failed,
  errors.version_conflict,
  errors.invalid_transition,
];
