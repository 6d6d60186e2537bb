/** The figures that the story must lead to. Source: docs/design/money.md#golden-example. */

/** The rows of a table, each cell by its column. Amounts (`1,135.45`) become minor units, whole numbers stay. */
function table<Column extends string>(
  columns: readonly Column[],
  text: string,
): Record<Column, string | number>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      if (cells.length !== columns.length) throw new Error(`not a row: ${line}`);
      return Object.fromEntries(columns.map((column, index) => [column, read(cells[index] ?? '')])) as Record<
        Column,
        string | number
      >;
    });
}
const read = (cell: string): string | number =>
  /^-?[\d,]+\.\d\d$/.test(cell)
    ? Number(cell.replaceAll(/[,.]/g, ''))
    : /^\d+$/.test(cell)
      ? Number(cell)
      : cell;

/** Per line in cents: gross after discount / platform fee / loyalty. */
export const LINES = `ord_1001 L1 5995/600/0, L2 995/100/0; ord_1002 L1 7330/733/147, L2 14567/1821/291;
ord_1003 L1 2933/293/0, L2 400/40/0; ord_1004 L1 5985/599/0, L2 850/85/0; ord_1005 L1 49900/6238/998, L2 1500/150/0;
ord_1006 L1 12900/1290/0, L2 1200/120/0; ord_1007 L1 8990/899/0; ord_1008 L1 3885/389/78, L2 660/66/0;
ord_1009 L1 21540/2693/0, L2 1000/100/0; ord_1010 L1 75996/7600/1520, L2 2000/200/0`
  .split(/;\s*/)
  .map((order) => {
    const [order_id = '', rest = ''] = order.split(/ (.*)/s);
    return {
      order_id,
      lines: rest.split(', ').map((line) => line.replace(/^L\d /, '').split('/').map(Number)),
    };
  });

/** Orders with the Sydney days on which they count and from which they are available. */
export const DAYS =
  `ord_1001 2026-06-30 2026-07-07, ord_1002 2026-07-01 2026-07-08, ord_1003 2026-07-03 2026-07-10,
ord_1004 2026-07-04 2026-07-11, ord_1005 2026-07-05 2026-07-12, ord_1006 2026-07-06 2026-07-13, ord_1007 2026-07-07 2026-07-14,
ord_1008 2026-07-14 2026-07-21, ord_1009 2026-07-21 2026-07-28, ord_1010 2026-07-28 2026-08-04`
    .split(/,\s*/)
    .map((row) => row.split(' '));

export const ORDER_FIGURES = table(
  [
    'order_id',
    'gross',
    'platform_fee',
    'loyalty',
    'order_fee',
    'processing',
    'credits',
    'fees',
    'adjustments',
    'net',
  ],
  `
| ord_1001 | 69.90 | 7.00 | 0.00 | 0.30 | 1.52 | 0.00 | 8.82 | 0.00 | 61.08 |
| ord_1002 | 218.97 | 25.54 | 4.38 | 0.30 | 4.13 | 0.00 | 34.35 | 0.00 | 184.62 |
| ord_1003 | 33.33 | 3.33 | 0.00 | 0.30 | 0.68 | 0.00 | 4.31 | 0.55 | 29.57 |
| ord_1004 | 68.35 | 6.84 | 0.00 | 0.30 | 1.50 | 3.99 | 4.65 | -39.90 | 23.80 |
| ord_1005 | 514.00 | 63.88 | 9.98 | 0.30 | 9.30 | 73.86 | 9.60 | -514.00 | -9.60 |
| ord_1006 | 141.00 | 14.10 | 0.00 | 0.30 | 27.77 | 14.10 | 28.07 | -141.00 | -28.07 |
| ord_1007 | 89.90 | 8.99 | 0.00 | 0.30 | 26.87 | 25.00 | 11.16 | 0.00 | 78.74 |
| ord_1008 | 45.45 | 4.55 | 0.78 | 0.30 | 1.10 | 0.00 | 6.73 | 0.00 | 38.72 |
| ord_1009 | 225.40 | 27.93 | 0.00 | 0.30 | 4.24 | 0.00 | 32.47 | 12.00 | 204.93 |
| ord_1010 | 779.96 | 78.00 | 15.20 | 0.30 | 13.95 | 0.00 | 107.45 | 0.00 | 672.51 |
`,
);

export const SETTLEMENTS = table(
  [
    'name',
    'period',
    'status',
    'opening_balance_minor',
    'gross_amount_minor',
    'fees_minor',
    'adjustments_minor',
    'net_amount_minor',
    'reserve_change_minor',
    'payable_amount_minor',
    'payout_amount_minor',
    'closing_balance_minor',
    'line_count',
  ],
  `
| stl_202607A | 2026-07-01..2026-07-15 | paid | 0.00 | 1,135.45 | 165.91 | -19.95 | 949.59 | 0.00 | 949.59 | 949.59 | 0.00 | 45 |
| stl_202607B | 2026-07-16..2026-07-31 | carried_forward | 0.00 | 270.85 | 13.35 | -764.85 | -507.35 | 0.00 | -507.35 | 0.00 | -507.35 | 25 |
| stl_202608A | 2026-08-01..2026-08-15 | paid | -507.35 | 779.96 | 68.35 | 102.45 | 814.06 | 0.00 | 306.71 | 306.71 | 0.00 | 13 |
`,
);

/** Lines and amounts by settlement and type, from the seller's side. */
export const BY_TYPE = table(
  ['settlement', 'group', 'type', 'count', 'amount'],
  `
| stl_202607A | gross | sale | 13 | 1,135.45 |
| stl_202607A | fees | loyalty_program_fund | 3 | -14.36 |
| stl_202607A | fees | payment_processing | 7 | -21.77 |
| stl_202607A | fees | platform_fee | 13 | -129.68 |
| stl_202607A | fees | platform_fee_credit | 1 | 2.00 |
| stl_202607A | fees | seller_order_fee | 7 | -2.10 |
| stl_202607A | adjustments | refund | 1 | -19.95 |
| stl_202607B | gross | sale | 4 | 270.85 |
| stl_202607B | fees | dispute_fee | 2 | -50.00 |
| stl_202607B | fees | loyalty_program_fund | 1 | -0.78 |
| stl_202607B | fees | loyalty_program_fund_credit | 1 | 9.98 |
| stl_202607B | fees | payment_processing | 2 | -5.34 |
| stl_202607B | fees | platform_fee | 4 | -32.48 |
| stl_202607B | fees | platform_fee_credit | 3 | 65.87 |
| stl_202607B | fees | seller_order_fee | 2 | -0.60 |
| stl_202607B | adjustments | chargeback | 3 | -230.90 |
| stl_202607B | adjustments | refund | 3 | -533.95 |
| stl_202608A | gross | sale | 2 | 779.96 |
| stl_202608A | fees | dispute_fee_credit | 1 | 25.00 |
| stl_202608A | fees | loyalty_program_fund | 1 | -15.20 |
| stl_202608A | fees | payment_processing | 1 | -13.95 |
| stl_202608A | fees | platform_fee | 2 | -78.00 |
| stl_202608A | fees | platform_fee_credit | 2 | 14.10 |
| stl_202608A | fees | seller_order_fee | 1 | -0.30 |
| stl_202608A | adjustments | chargeback_reversal | 1 | 89.90 |
| stl_202608A | adjustments | manual_adjustment | 1 | 12.00 |
| stl_202608A | adjustments | settlement_correction | 1 | 0.55 |
`,
);

/** Sums of the lines of each document: charges are positive, credits negative; empty if there are no lines. */
export const INVOICES = table(
  [
    'settlement',
    'kind',
    'total',
    'loyalty_program_fund',
    'payment_processing',
    'platform_fee',
    'platform_fee_credit',
    'seller_order_fee',
    'dispute_fee',
    'dispute_fee_credit',
    'loyalty_program_fund_credit',
  ],
  `
| stl_202607A | tax_invoice | 165.91 | 14.36 | 21.77 | 129.68 | -2.00 | 2.10 | 0.00 | 0.00 | 0.00 |
| stl_202607B | tax_invoice | 89.20 | 0.78 | 5.34 | 32.48 | 0.00 | 0.60 | 50.00 | 0.00 | 0.00 |
| stl_202607B | adjustment_note | -75.85 | 0.00 | 0.00 | 0.00 | -65.87 | 0.00 | 0.00 | 0.00 | -9.98 |
| stl_202608A | tax_invoice | 107.45 | 15.20 | 13.95 | 78.00 | 0.00 | 0.30 | 0.00 | 0.00 | 0.00 |
| stl_202608A | adjustment_note | -39.10 | 0.00 | 0.00 | 0.00 | -14.10 | 0.00 | 0.00 | -25.00 | 0.00 |
`,
);

export const QUARTERS = table(
  ['quarter', 'delivered_sales_minor', 'delivered_order_count', 'recorded_fees_minor'],
  `
| FY2025-26-Q4 | 69.90 | 1 | 8.82 |
| FY2026-27-Q1 | 2,116.36 | 9 | 238.79 |
`,
);

/** Figures at the end of a Sydney day, after the close of a period that ends on it. */
export const AS_OF = table(
  [
    'day',
    'delivered_order_count',
    'delivered_sales_minor',
    'recorded_fees_minor',
    'adjustments_minor',
    'in_hold_minor',
    'available_minor',
    'reserved_minor',
    'settled_unpaid_minor',
    'in_transit_minor',
    'pending_payout_minor',
    'completed_payout_minor',
  ],
  `
| 2026-07-08 | 7 | 1,135.45 | 165.91 | -19.95 | 703.89 | 245.70 | 0.00 | 0.00 | 0.00 | 949.59 | 0.00 |
| 2026-07-15 | 8 | 1,180.90 | 172.64 | -19.95 | 38.72 | 0.00 | 0.00 | 949.59 | 0.00 | 988.31 | 0.00 |
| 2026-07-16 | 8 | 1,180.90 | 172.64 | -19.95 | 38.72 | 0.00 | 0.00 | 0.00 | 949.59 | 988.31 | 0.00 |
| 2026-07-17 | 8 | 1,180.90 | 172.64 | -19.95 | 38.72 | 0.00 | 0.00 | 949.59 | 0.00 | 988.31 | 0.00 |
| 2026-07-21 | 9 | 1,406.30 | 129.26 | -553.90 | 192.93 | -419.38 | 0.00 | 0.00 | 0.00 | -226.45 | 949.59 |
| 2026-07-31 | 10 | 2,186.26 | 286.71 | -784.80 | 672.51 | -507.35 | 0.00 | 0.00 | 0.00 | 165.16 | 949.59 |
| 2026-08-15 | 10 | 2,186.26 | 247.61 | -682.35 | 0.00 | 0.00 | 0.00 | 306.71 | 0.00 | 306.71 | 949.59 |
| 2026-08-31 | 10 | 2,186.26 | 247.61 | -682.35 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 1,256.30 |
`,
);

/** Balances of the accounts over all three sellers; credits are positive. */
export const BALANCES = table(
  ['account', 'balance'],
  `
| buyer_refunds_payable | 0.00 |
| loyalty_fund | 20.36 |
| manual_adjustments | -12.55 |
| order_escrow | 66.67 |
| platform_fee_income | 158.19 |
| processing_cost | -2.37 |
| provider_clearing | -233.30 |
| seller_in_transit | 0.00 |
| seller_order_fee_income | 3.00 |
| seller_payable | 0.00 |
| seller_settled | 0.00 |
`,
);

export const PAYOUTS = table(
  ['provider_payout_id', 'settlement', 'attempt', 'amount_minor', 'status'],
  `
| po_1 | stl_202607A | 1 | 949.59 | failed |
| po_2 | stl_202607A | 2 | 949.59 | paid |
| po_3 | stl_202608A | 1 | 306.71 | paid |
`,
);

export const BY_STATUS = {
  paid: [2, 191_541, 23_426, 8_250, 176_365, 125_630],
  carried_forward: [1, 27_085, 1_335, -76_485, -50_735, 0],
} as const;

/** Ids are the golden names; `transaction_id` is free. */
export const SETTLEMENT_CSV = `settlement_id,period_start,period_end,row_no,row_type,posted_on,available_on,order_id,order_line_no,sku,quantity,group,type,description,amount,running_balance,currency,transaction_id,related_id,invoice_id,payment_reference,order_number
stl_202608A,2026-08-01,2026-08-15,1,opening_balance,2026-08-01,,,,,,balance,balance_carried_in,Opening balance,-507.35,-507.35,AUD,,,,,
stl_202608A,2026-08-01,2026-08-15,2,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,4,gross,sale,Sale SAMOVAR,759.96,252.61,AUD,txn,,,,1010
stl_202608A,2026-08-01,2026-08-15,3,transaction,2026-07-28,2026-08-04,ord_1010,2,,1,gross,sale,Sale shipping,20.00,272.61,AUD,txn,,,,1010
stl_202608A,2026-08-01,2026-08-15,4,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,,fees,platform_fee,Platform fee 10.00%,-76.00,196.61,AUD,txn,,inv_202608A_1,,1010
stl_202608A,2026-08-01,2026-08-15,5,transaction,2026-07-28,2026-08-04,ord_1010,2,,,fees,platform_fee,Platform fee 10.00%,-2.00,194.61,AUD,txn,,inv_202608A_1,,1010
stl_202608A,2026-08-01,2026-08-15,6,transaction,2026-07-28,2026-08-04,ord_1010,1,SAMOVAR,,fees,loyalty_program_fund,Loyalty program fund,-15.20,179.41,AUD,txn,,inv_202608A_1,,1010
stl_202608A,2026-08-01,2026-08-15,7,transaction,2026-07-28,2026-08-04,ord_1010,,,,fees,seller_order_fee,Seller order fee,-0.30,179.11,AUD,txn,,inv_202608A_1,,1010
stl_202608A,2026-08-01,2026-08-15,8,transaction,2026-07-28,2026-08-04,ord_1010,,,,fees,payment_processing,Payment processing,-13.95,165.16,AUD,txn,,inv_202608A_1,,1010
stl_202608A,2026-08-01,2026-08-15,9,transaction,2026-08-04,2026-08-04,ord_1009,,,,adjustments,manual_adjustment,Carrier damage goodwill,12.00,177.16,AUD,txn,adj_1,,,1009
stl_202608A,2026-08-01,2026-08-15,10,transaction,2026-08-05,2026-08-05,ord_1006,1,POT-L,,fees,platform_fee_credit,Platform fee credit,12.90,190.06,AUD,txn,dp_1,inv_202608A_2,,1006
stl_202608A,2026-08-01,2026-08-15,11,transaction,2026-08-05,2026-08-05,ord_1006,2,,,fees,platform_fee_credit,Platform fee credit,1.20,191.26,AUD,txn,dp_1,inv_202608A_2,,1006
stl_202608A,2026-08-01,2026-08-15,12,transaction,2026-08-06,2026-08-06,ord_1003,,,,adjustments,settlement_correction,Correction to stl_202607A,0.55,191.81,AUD,txn,adj_2,,,1003
stl_202608A,2026-08-01,2026-08-15,13,transaction,2026-08-10,2026-08-10,ord_1007,1,SET-6,,adjustments,chargeback_reversal,Chargeback won dp_2,89.90,281.71,AUD,txn,dp_2,,,1007
stl_202608A,2026-08-01,2026-08-15,14,transaction,2026-08-10,2026-08-10,ord_1007,,,,fees,dispute_fee_credit,Dispute fee returned dp_2,25.00,306.71,AUD,txn,dp_2,inv_202608A_2,,1007
stl_202608A,2026-08-01,2026-08-15,15,payout,2026-08-15,,,,,,payout,payout,Paid to bank account,-306.71,0.00,AUD,,po_3,,MKT STL 202608A,
stl_202608A,2026-08-01,2026-08-15,16,closing_balance,2026-08-15,,,,,,balance,balance_carried_out,Closing balance,0.00,0.00,AUD,,,,,
`;

export const ACTIVITY_CSV = `period_label,period_start,period_end,month,delivered_sales,delivered_order_count,recorded_fees,currency
FY2026-27-Q1,2026-07-01,2026-09-30,2026-07,2116.36,9,277.89,AUD
FY2026-27-Q1,2026-07-01,2026-09-30,2026-08,0.00,0,-39.10,AUD
FY2026-27-Q1,2026-07-01,2026-09-30,2026-09,0.00,0,0.00,AUD
`;

export const CARRIED_FORWARD = {
  period_start: '2026-07-16',
  period_end: '2026-07-31',
  period_start_at: '2026-07-15T14:00:00.000Z',
  period_end_at: '2026-07-31T14:00:00.000Z',
  timezone: 'Australia/Sydney',
  currency: 'AUD',
  status: 'carried_forward',
  opening_balance_minor: 0,
  gross_amount_minor: 27_085,
  fees_minor: 1_335,
  adjustments_minor: -76_485,
  net_amount_minor: -50_735,
  reserve_change_minor: 0,
  payable_amount_minor: -50_735,
  payout_amount_minor: 0,
  closing_balance_minor: -50_735,
  fee_components: {
    platform_fee_minor: 3_248,
    loyalty_program_fund_minor: 78,
    seller_order_fee_minor: 60,
    payment_processing_minor: 5_534,
    fee_credits_minor: 7_585,
  },
  adjustment_components: {
    refunds_minor: -53_395,
    chargebacks_minor: -23_090,
    manual_adjustments_minor: 0,
    settlement_corrections_minor: 0,
  },
  order_count: 2,
  line_count: 25,
  payment_reference: null,
  payout_id: null,
  reconciliation: { status: 'not_applicable' },
} as const;
