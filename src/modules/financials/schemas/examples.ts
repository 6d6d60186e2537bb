/** What the description shows: settlements and payouts of one seller. */
import type { PayoutWire } from './payout.ts';
import type { SettlementWire } from './settlement.ts';
import { notCompared, sourceOf } from './source.ts';

const CLOSED_AT = '2026-07-15T16:00:00.000Z';
const SENT_AT = '2026-07-16T01:00:00.000Z';
const PAID_AT = '2026-07-17T01:00:00.000Z';
const AUD = { currency: 'AUD', currency_exponent: 2 };

export const CLOSED_EXAMPLE: SettlementWire = {
  settlement_id: 'stl_4m7x0p2k9w3c8v5n1q6t0r2y5d',
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  period_start_at: '2026-06-30T14:00:00.000Z',
  period_end_at: '2026-07-15T14:00:00.000Z',
  timezone: 'Australia/Sydney',
  ...AUD,
  status: 'ready',
  opening_balance_minor: 0,
  gross_amount_minor: 113_545,
  fees_minor: 16_591,
  adjustments_minor: -1_995,
  net_amount_minor: 94_959,
  reserve_change_minor: 0,
  payable_amount_minor: 94_959,
  payout_amount_minor: 94_959,
  closing_balance_minor: 0,
  carry_reason: null,
  fee_components: {
    platform_fee_minor: 12_968,
    loyalty_program_fund_minor: 1_436,
    seller_order_fee_minor: 210,
    payment_processing_minor: 2_177,
    fee_credits_minor: 200,
  },
  adjustment_components: {
    refunds_minor: -1_995,
    chargebacks_minor: 0,
    manual_adjustments_minor: 0,
    settlement_corrections_minor: 0,
  },
  order_count: 7,
  line_count: 45,
  payment_reference: null,
  payout_id: null,
  invoice_ids: ['inv_06fjg2s8w1b4k7n0q3t6v9x2z5'],
  hold_reasons: [],
  expected_payout_on: '2026-07-16',
  paid_on: null,
  reconciliation: notCompared('not_applicable', 'settlement'),
  source: sourceOf('financials.settlement.v1', 118n, CLOSED_AT),
  audit: {
    created_at: CLOSED_AT,
    closed_at: CLOSED_AT,
    closed_by: 'system',
    calculation_version: 1,
    ledger_position: 118,
    lines_sha256: 'b71c62e0a8b7f0f3a5d2c1e4968775a0b3c4d5e6f708192a3b4c5d6e7f809102',
    status_history: [{ status: 'ready', at: CLOSED_AT, actor: 'system', reason: null }],
  },
};

const { audit } = CLOSED_EXAMPLE;
const later = (status: string, at: string, actor: string, reason: string | null) => ({
  audit: { ...audit, status_history: [...audit.status_history, { status, at, actor, reason }] },
});

export const HELD_EXAMPLE: SettlementWire = {
  ...CLOSED_EXAMPLE,
  status: 'on_hold',
  hold_reasons: ['risk_review'],
  expected_payout_on: null,
  ...later('on_hold', SENT_AT, 'marketplace', 'risk_review'),
};

export const SENT_PAYOUT: PayoutWire = {
  payout_id: 'pay_06fjh5m2k9x0001a2b3c4d5e6f',
  settlement_id: CLOSED_EXAMPLE.settlement_id,
  attempt: 1,
  retry_of: null,
  amount_minor: 94_959,
  ...AUD,
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
  payment_reference: 'MKT STL 202607A',
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
export const PAID_EXAMPLE: SettlementWire = {
  ...CLOSED_EXAMPLE,
  status: 'paid',
  payout_id: PAID_PAYOUT.payout_id,
  payment_reference: PAID_PAYOUT.payment_reference,
  paid_on: '2026-07-17',
  reconciliation: notCompared('not_started', 'settlement'),
  ...later('paid', PAID_AT, 'marketplace', null),
};
