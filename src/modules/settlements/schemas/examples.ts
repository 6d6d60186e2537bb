/** Examples for the API description: settlements and payouts of one seller. */
import { notCompared, sourceOf } from '../../reconciliation/index.ts';
import type { SettlementWire } from './settlement.ts';

/** The payout that pays the example; `payouts` shows it. */
export const PAYOUT_ID = 'pay_06fjh5m2k9x0001a2b3c4d5e6f';
export const PAYMENT_REFERENCE = 'MKT STL 202607A';
const CLOSED_AT = '2026-07-15T16:00:00.000Z';
export const SENT_AT = '2026-07-16T01:00:00.000Z';
export const PAID_AT = '2026-07-17T01:00:00.000Z';
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

export const PAID_EXAMPLE: SettlementWire = {
  ...CLOSED_EXAMPLE,
  status: 'paid',
  payout_id: PAYOUT_ID,
  payment_reference: PAYMENT_REFERENCE,
  paid_on: '2026-07-17',
  reconciliation: notCompared('not_started', 'settlement'),
  ...later('paid', PAID_AT, 'marketplace', null),
};
