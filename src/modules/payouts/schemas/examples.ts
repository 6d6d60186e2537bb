/** Examples for the API description: payouts of one settlement. */

import { notCompared } from '../../reconciliation/index.ts';
import { CLOSED_EXAMPLE, PAID_AT, PAYMENT_REFERENCE, PAYOUT_ID, SENT_AT } from '../../settlements/index.ts';
import type { PayoutWire } from './payout.ts';

export const SENT_PAYOUT: PayoutWire = {
  payout_id: PAYOUT_ID,
  settlement_id: CLOSED_EXAMPLE.settlement_id,
  attempt: 1,
  retry_of: null,
  amount_minor: 94_959,
  currency: 'AUD',
  currency_exponent: 2,
  status: 'in_transit',
  method: 'bank_account',
  destination: null,
  created_at: SENT_AT,
  sent_at: SENT_AT,
  expected_arrival_on: null,
  paid_at: null,
  returned_at: null,
  failure_code: null,
  failure_message: null,
  payment_reference: PAYMENT_REFERENCE,
  bank_reference: null,
  bank_reference_status: 'pending',
  provider: 'manual',
  provider_payout_id: 'po_1',
  provider_transfer_id: null,
  composition: {
    opening_balance_minor: 0,
    gross_amount_minor: 113_545,
    fees_minor: 16_591,
    fee_components: CLOSED_EXAMPLE.fee_components,
    adjustments_minor: -1_995,
    adjustment_components: CLOSED_EXAMPLE.adjustment_components,
    reserve_change_minor: 0,
    closing_balance_minor: 0,
    total_minor: 94_959,
  },
  reconciliation: notCompared('not_started', 'payout'),
  status_history: [
    { status: 'in_transit', at: SENT_AT, actor: 'marketplace', reason: null, source_event_id: 'evt-1' },
  ],
};

const then = (status: PayoutWire['status'], reason: string | null): PayoutWire => ({
  ...SENT_PAYOUT,
  status,
  failure_code: reason,
  status_history: [
    ...SENT_PAYOUT.status_history,
    { status, at: PAID_AT, actor: 'marketplace', reason, source_event_id: 'evt-2' },
  ],
});
export const PAID_PAYOUT: PayoutWire = { ...then('paid', null), paid_at: PAID_AT };
export const FAILED_PAYOUT = then('failed', 'account_closed');
export const RETURNED_PAYOUT: PayoutWire = {
  ...then('returned', 'account_closed'),
  paid_at: PAID_AT,
  returned_at: PAID_AT,
};
