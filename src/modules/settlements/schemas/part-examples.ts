/** Examples for the API description: lines, totals, proofs and holds. */
import { listMetadataExample, metadataExample } from '../../reconciliation/index.ts';
import { SETTLEMENT_STATUSES } from '../domain/settlement.ts';
import { CLOSED_EXAMPLE, PAYOUT_ID } from './examples.ts';
import { HASH_ALGORITHM, PROOF_CONTRACT } from './settlement-parts.ts';

const ORDER = 'ord_06fh5m2k9x0007c1e4g7j0m3p6';
const ORDER_LINE = 'oli_06fh5m2k9x0008m1q4t7v2w5y8';
const SALE = 'txn_06fjd1h4k7m0p3r6t9v2x5z8b1';

export const LINE_EXAMPLE = {
  row_no: 1,
  transaction_id: SALE,
  type: 'sale' as const,
  component: null,
  bucket: 'gross' as const,
  amount_minor: 5_995,
  running_balance_minor: 5_995,
  order_id: ORDER,
  order_number: '1002',
  order_line_id: ORDER_LINE,
  order_line_no: 1,
  sku: 'TEA-250',
  quantity: 1,
  rate_bps: null,
  related_id: null,
  posted_on: '2026-06-30',
  available_on: '2026-07-07',
  late: false,
  invoice_id: null,
  description: 'Sale TEA-250',
};

const NONE = {
  settlement_count: 0,
  gross_amount_minor: 0,
  fees_minor: 0,
  adjustments_minor: 0,
  net_amount_minor: 0,
  payout_amount_minor: 0,
};
const PAID = {
  settlement_count: 2,
  gross_amount_minor: 191_541,
  fees_minor: 23_426,
  adjustments_minor: 8_250,
  net_amount_minor: 176_365,
  payout_amount_minor: 125_630,
};
export const SUMMARY_CONTRACT = 'financials.settlement_summary.v1';
export const SUMMARY_EXAMPLE = {
  by_status: SETTLEMENT_STATUSES.map((status) => ({ status, ...(status === 'paid' ? PAID : NONE) })),
  totals: PAID,
  ...metadataExample(SUMMARY_CONTRACT),
};

const check = (name: string, amount: number, subject_id: string | null = null) => ({
  name,
  subject_id,
  expected_minor: amount,
  actual_minor: amount,
  difference_minor: 0,
});
const sha256 = CLOSED_EXAMPLE.audit.lines_sha256 ?? '';
export const PROOF_EXAMPLE = {
  settlement_id: CLOSED_EXAMPLE.settlement_id,
  status: 'balanced' as const,
  ...listMetadataExample(PROOF_CONTRACT),
  payouts: [{ payout_id: PAYOUT_ID, attempt: 1, status: 'in_transit', amount_minor: 94_959 }],
  checks: [
    check('opening_balance', 0),
    check('gross', 113_545),
    check('statement', 0),
    check('payout_amount', 94_959, PAYOUT_ID),
  ],
  types: [
    {
      type: 'sale' as const,
      bucket: 'gross' as const,
      line_count: 13,
      amount_minor: 113_545,
      recorded_amount_minor: 113_545,
    },
  ],
  lines: { line_count: 45, sha256, recorded_sha256: sha256, algorithm: HASH_ALGORITHM },
  failing: null,
  data: [
    {
      order_id: ORDER,
      order_number: '1002',
      amount_minor: 5_995,
      line_count: 1,
      lines: [
        {
          order_line_id: ORDER_LINE,
          amount_minor: 5_995,
          entries: [
            {
              transaction_id: SALE,
              journal_id: 'jnl_06fjd1h4k7m0p3r6t9v2x5z8b0',
              row_no: 1,
              type: 'sale' as const,
              amount_minor: 5_995,
            },
          ],
        },
      ],
    },
  ],
  page: { limit: 50, next_cursor: null, has_more: false },
};
