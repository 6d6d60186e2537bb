/** Errors of orders. Another seller's order is the core's `not_found`, like a random id. */
import {
  type ApiError,
  coreErrors,
  defineErrors,
  type ErrorDef,
  fail,
  invalid,
} from '../../kernel/errors.ts';
import { productErrors } from '../products/index.ts';
import type { Refusal, RefusalCode } from './domain/refusal.ts';

const STATE = { from: 'shipped', allowed: ['request_refund'] };

const own = defineErrors({
  invalid_transition: {
    status: 409,
    detail: 'The state does not allow this; `allowed` lists what it does.',
    facts: STATE,
  },
  acceptance_window_passed: {
    status: 409,
    detail: 'The window for an answer has closed.',
    facts: { accept_by: '2026-06-29T01:00:00.000Z', from: 'rejected', allowed: [] },
  },
  quantity_exceeds_open: {
    status: 409,
    detail: 'Fewer units are open than that; nothing was changed.',
    facts: { order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', requested: 3, open: 2 },
  },
  version_conflict: {
    status: 409,
    detail: 'The order has another version by now; read it again and decide again.',
    facts: { version: 2, current_version: 3 },
  },
  already_dispatched: { status: 409, detail: 'The parcel was handed over already.', facts: STATE },
  already_answered: {
    status: 409,
    detail: 'The request has its answer.',
    facts: { status: 'accepted' },
  },
  label_exists: { status: 409, detail: 'The shipment has a label; void it first.' },
  label_in_progress: {
    status: 409,
    detail: 'A label for this parcel is being bought; ask again after the seconds in Retry-After.',
  },
  label_missing: { status: 409, detail: 'The shipment has no label.' },
  packages_missing: {
    status: 409,
    detail: 'The shipment says nothing of its packages; make one with their weight and size.',
  },
  quote_used: { status: 409, detail: 'The quote was used for a label; ask for another one.' },
  quote_expired: { status: 409, detail: 'The quote has expired; ask for another one.' },
  quote_mismatch: {
    status: 409,
    detail: 'The quote is for other packages or another destination than those of the shipment.',
  },
  tracking_window_passed: {
    status: 409,
    detail: 'Tracking is corrected within seven days of dispatch.',
    facts: { until: '2026-07-07T01:00:00.000Z' },
  },
  refund_exceeds_line: {
    status: 409,
    detail: 'Less than that is left to refund of the line.',
    facts: { order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', amount_minor: 2_499, remaining_minor: 1_000 },
  },
  refund_exceeds_paid: {
    status: 409,
    detail: 'Less than that is left of what the buyer paid.',
    facts: { amount_minor: 2_499, remaining_minor: 1_000 },
  },
  item_repeated: {
    status: 409,
    detail: 'An earlier item of this request is about the same order and parcel.',
  },
});

/** What the stock does not hold is refused in the words of the catalogue. */
export const errors = { ...own, insufficient_stock: productErrors.insufficient_stock };

const BY_CODE: Partial<Record<RefusalCode, ErrorDef>> = { ...errors, not_found: coreErrors.not_found };

/**
 * A refusal as the answer to a request: 422 where what was sent is wrong, else what the table says.
 *
 * @param allowed what could be done instead
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

/** What every route of one order may answer. */
export const ofOrder = [coreErrors.not_found];
/** What every action on one order may answer. */
export const ofAction = [
  coreErrors.not_found,
  coreErrors.precondition_failed,
  errors.version_conflict,
  errors.invalid_transition,
];
