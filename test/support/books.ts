/** Small consistent books of some weeks, for tests that then corrupt them. */
import type pg from 'pg';

/** account, amount (debit above zero); for the seller's lines also type, bucket, order line, related id. */
type Leg = readonly [account: string, amount: number, line?: readonly [string, string, string?, string?]];
interface Journal {
  readonly id: string;
  readonly kind: string;
  readonly on: string;
  /** Default: the day itself. */
  readonly available?: string;
  readonly order?: string;
  readonly reverses?: string;
  readonly legs: readonly Leg[];
}

const pay = (amount: number, ...line: [string, string, string?, string?]): Leg => [
  'seller_payable',
  amount,
  line,
];
const fee = (amount: number, counter: string, type: string, line?: string, related?: string): Leg[] => [
  pay(amount, type, 'fees', line, related),
  [counter, -amount],
];

/** Order `ord_1` is sold, delivered, paid out and partly refunded; `ord_2` is paid for and on its way. */
const BOOKS: readonly Journal[] = [
  {
    id: 'captured',
    kind: 'order_captured',
    on: '2026-07-01',
    order: 'ord_1',
    legs: [
      ['provider_clearing', 10_880],
      ['processing_cost', 120],
      ['order_escrow', -11_000],
    ],
  },
  {
    id: 'captured_2',
    kind: 'order_captured',
    on: '2026-07-01',
    order: 'ord_2',
    legs: [
      ['provider_clearing', 5_000],
      ['order_escrow', -5_000],
    ],
  },
  {
    id: 'delivered',
    kind: 'order_delivered',
    on: '2026-07-02',
    available: '2026-07-09',
    order: 'ord_1',
    legs: [
      pay(-10_000, 'sale', 'gross', 'oln_1'),
      pay(-1_000, 'sale', 'gross', 'oln_2'),
      ['order_escrow', 11_000],
      ...fee(1_000, 'platform_fee_income', 'platform_fee', 'oln_1'),
      ...fee(100, 'platform_fee_income', 'platform_fee', 'oln_2'),
      ...fee(200, 'loyalty_fund', 'loyalty_program_fund', 'oln_1'),
      ...fee(30, 'seller_order_fee_income', 'seller_order_fee'),
      ...fee(120, 'processing_cost', 'payment_processing'),
    ],
  },
  {
    id: 'closed_a',
    kind: 'settlement_closed',
    on: '2026-07-16',
    legs: [
      ['seller_payable', 9_550],
      ['seller_settled', -9_550],
    ],
  },
  {
    id: 'sent_a',
    kind: 'payout_sent',
    on: '2026-07-16',
    legs: [
      ['seller_settled', 9_550],
      ['seller_in_transit', -9_550],
    ],
  },
  {
    id: 'paid_a',
    kind: 'payout_paid',
    on: '2026-07-17',
    legs: [
      ['seller_in_transit', 9_550],
      ['provider_clearing', -9_550],
    ],
  },
  {
    id: 'refund_1',
    kind: 'refund_created',
    on: '2026-07-18',
    order: 'ord_1',
    legs: [
      pay(2_000, 'refund', 'adjustments', 'oln_1', 'rf_1'),
      ['buyer_refunds_payable', -2_000],
      ...fee(-200, 'platform_fee_income', 'platform_fee_credit', 'oln_1', 'rf_1'),
      ...fee(-40, 'loyalty_fund', 'loyalty_program_fund_credit', 'oln_1', 'rf_1'),
    ],
  },
  {
    id: 'confirmed_1',
    kind: 'refund_confirmed',
    on: '2026-07-19',
    order: 'ord_1',
    legs: [
      ['buyer_refunds_payable', 2_000],
      ['provider_clearing', -2_000],
    ],
  },
  {
    id: 'refund_2',
    kind: 'refund_created',
    on: '2026-07-19',
    order: 'ord_1',
    legs: [
      pay(500, 'refund', 'adjustments', 'oln_1', 'rf_2'),
      ['buyer_refunds_payable', -500],
      ...fee(-50, 'platform_fee_income', 'platform_fee_credit', 'oln_1', 'rf_2'),
    ],
  },
  {
    id: 'failed_2',
    kind: 'refund_failed',
    on: '2026-07-20',
    order: 'ord_1',
    reverses: 'refund_2',
    legs: [
      pay(-500, 'refund_reversal', 'adjustments', 'oln_1', 'rf_2'),
      ['buyer_refunds_payable', 500],
      ...fee(50, 'platform_fee_income', 'platform_fee_credit_reversal', 'oln_1', 'rf_2'),
    ],
  },
  {
    id: 'goodwill',
    kind: 'adjustment_recorded',
    on: '2026-07-20',
    legs: [pay(-5_000, 'manual_adjustment', 'adjustments'), ['manual_adjustments', 5_000]],
  },
  {
    id: 'reserved',
    kind: 'reserve_held',
    on: '2026-07-21',
    legs: [pay(300, 'reserve_hold', 'reserve'), ['seller_reserve', -300]],
  },
  {
    id: 'closed_b',
    kind: 'settlement_closed',
    on: '2026-08-01',
    legs: [
      ['seller_payable', 2_940],
      ['seller_settled', -2_940],
    ],
  },
  {
    id: 'sent_b1',
    kind: 'payout_sent',
    on: '2026-08-01',
    legs: [
      ['seller_settled', 2_940],
      ['seller_in_transit', -2_940],
    ],
  },
  {
    id: 'failed_b1',
    kind: 'payout_failed',
    on: '2026-08-02',
    legs: [
      ['seller_in_transit', 2_940],
      ['seller_settled', -2_940],
    ],
  },
  {
    id: 'sent_b2',
    kind: 'payout_sent',
    on: '2026-08-03',
    legs: [
      ['seller_settled', 2_940],
      ['seller_in_transit', -2_940],
    ],
  },
  {
    id: 'small',
    kind: 'adjustment_recorded',
    on: '2026-08-05',
    legs: [pay(-50, 'manual_adjustment', 'adjustments'), ['manual_adjustments', 50]],
  },
  {
    id: 'open',
    kind: 'adjustment_recorded',
    on: '2026-08-16',
    legs: [pay(-700, 'manual_adjustment', 'adjustments'), ['manual_adjustments', 700]],
  },
];

/** id, first and last day, status, then opening, gross, fees, adjustments, reserve, payout; lines, orders. */
const SETTLEMENTS = [
  ['stl_a', '2026-07-01', '2026-07-15', 'paid', 0, 11_000, 1_450, 0, 0, 9_550, 7, 1],
  ['stl_b', '2026-07-16', '2026-07-31', 'processing', 0, 0, -240, 3_000, -300, 2_940, 9, 0],
  ['stl_c', '2026-08-01', '2026-08-15', 'carried_forward', 0, 0, 0, 50, 0, 0, 1, 0],
] as const;
const PAYOUTS = [
  ['po_a', 'stl_a', 1, 9_550, 'paid'],
  ['po_b1', 'stl_b', 1, 2_940, 'failed'],
  ['po_b2', 'stl_b', 2, 2_940, 'in_transit'],
] as const;
const INVOICES = [
  ['inv_a', 'stl_a', 'tax_invoice', 1_450],
  ['inv_b', 'stl_b', 'adjustment_note', -240],
] as const;

const ORDER =
  'insert into sales_order (seller_id, order_id, order_number, status, payment_status, refund_status, currency, loyalty, ' +
  'items_minor, shipping_minor, seller_discount_minor, total_minor, ship_to, awaiting, accepted_open, placed_at, recorded_at, ' +
  "accept_by, placed_facts, search_text, version, updated_at) values ($1, $2::text, $2::text, 'delivered', 'captured', 'none', 'AUD', false, " +
  "$3::bigint, 0, 0, $3::bigint, '{}', 0, 0, $4::date, $4::date, $4::date, '{}', '', 1, $4::date)";
const LINE =
  'insert into order_line (seller_id, order_line_id, order_id, line_no, kind, status, unit_price_minor, gross_minor, discount_minor, ' +
  'net_minor, ordered, awaiting, accepted_open, rejected, cancelled, in_transit, delivered, lost, returned, reserved) ' +
  "values ($1, $2, $3, $4, $5, 'delivered', $6::bigint, $6::bigint, 0, $6::bigint, $7, 0, $8, 0, 0, 0, $9, 0, 0, 0)";
const JOURNAL =
  'insert into ledger_journal (seller_id, journal_id, kind, order_id, occurred_at, posted_on, recorded_at, late, idempotency_key, ' +
  "reverses_journal_id, actor) values ($1, $2::text, $3, $4, $5::date, $5::date, $5::date, false, $2::text, $6, 'test')";
/** All legs of a journal in one statement: the ledger refuses later ones. */
const ENTRIES = 'insert into ledger_entry select * from json_populate_recordset(null::ledger_entry, $1)';
const SETTLEMENT =
  'insert into settlement (seller_id, settlement_id, currency, period_start, period_end, status, opening_balance_minor, ' +
  'gross_amount_minor, fees_minor, adjustments_minor, net_amount_minor, reserve_change_minor, payable_amount_minor, ' +
  'payout_amount_minor, closing_balance_minor, by_type, order_count, line_count, lines_sha256, calculation_version, ledger_position, ' +
  "created_at, closed_at, closed_by, version) select $1, $2, 'AUD', $3, $4::date, $5, o, g, f, a, g - f + a, r, o + g - f + a + r, p, " +
  "o + g - f + a + r - p, '{}', $13, $12, '', 1, 1, $4::date, $4::date, 'test', 1 " +
  'from (select $6::bigint as o, $7::bigint as g, $8::bigint as f, $9::bigint as a, $10::bigint as r, $11::bigint as p) as figures';
/** Every available line goes into the settlement of its period. */
const SETTLE =
  'insert into settlement_line (seller_id, entry_id, settlement_id, row_no) select seller_id, entry_id, settlement_id, ' +
  'row_number() over (partition by settlement_id order by position) from ledger_entry join settlement using (seller_id) ' +
  'where seller_id = $1 and bucket is not null and available_on between period_start and period_end';
const PAYOUT =
  'insert into payout (seller_id, payout_id, settlement_id, attempt, amount_minor, currency, status, provider, method, created_at, ' +
  "bank_reference_status, version, updated_at) values ($1, $2, $3, $4, $5, 'AUD', $6, 'manual', 'bank_account', now(), 'unsupported', 1, now())";
const INVOICE =
  'insert into invoice (seller_id, invoice_id, invoice_number, kind, settlement_id, period_start, period_end, issued_on, status, ' +
  'currency, total_minor, supplier, recipient, gst_mode, pdf_status, created_at) select seller_id, $2::text, $2::text, $4, settlement_id, ' +
  "period_start, period_end, period_end, 'issued', 'AUD', $5, '{}', '{}', 'registered', 'pending', now() from settlement " +
  'where seller_id = $1 and settlement_id = $3';
const INVOICE_LINES =
  'insert into invoice_line (seller_id, entry_id, invoice_id) select l.seller_id, l.entry_id, i.invoice_id from settlement_line l ' +
  'join invoice i using (seller_id, settlement_id) join ledger_entry e using (seller_id, entry_id) ' +
  "where l.seller_id = $1 and e.bucket = 'fees'";

async function writeOrders(client: pg.Client, seller: string): Promise<void> {
  const at = '2026-07-01';
  await client.query(ORDER, [seller, 'ord_1', 11_000, at]);
  await client.query(LINE, [seller, 'oln_1', 'ord_1', 1, 'item', 10_000, 1, 0, 1]);
  await client.query(LINE, [seller, 'oln_2', 'ord_1', 2, 'shipping', 1_000, 0, 0, 0]);
  await client.query(ORDER, [seller, 'ord_2', 5_000, at]);
  await client.query(LINE, [seller, 'oln_3', 'ord_2', 1, 'item', 5_000, 1, 1, 0]);
}

async function writeJournals(client: pg.Client, seller: string): Promise<void> {
  let position = 0;
  await client.query('begin');
  for (const { id, kind, on, available = on, order = null, reverses = null, legs } of BOOKS) {
    await client.query(JOURNAL, [seller, id, kind, order, on, reverses]);
    const rows = legs.map(([account, amount_minor, line]) => {
      position += 1;
      const [type, bucket, order_line_id, related_id] = line ?? [undefined, undefined];
      return {
        ...{
          seller_id: seller,
          entry_id: `txn_${position}`,
          journal_id: id,
          position,
          account,
          amount_minor,
        },
        ...{
          currency: 'AUD',
          type,
          bucket,
          order_id: order,
          order_line_id,
          related_id,
          posted_on: on,
          late: false,
        },
        available_on: type === undefined ? null : available,
      };
    });
    await client.query(ENTRIES, [JSON.stringify(rows)]);
  }
  await client.query('commit');
}

/** Writes the books of a seller, on the session of the database's owner. */
export async function writeBooks(client: pg.Client, seller: string): Promise<void> {
  await writeOrders(client, seller);
  await writeJournals(client, seller);
  for (const settlement of SETTLEMENTS) await client.query(SETTLEMENT, [seller, ...settlement]);
  await client.query(SETTLE, [seller]);
  for (const payout of PAYOUTS) await client.query(PAYOUT, [seller, ...payout]);
  for (const invoice of INVOICES) await client.query(INVOICE, [seller, ...invoice]);
  await client.query(INVOICE_LINES, [seller]);
  await client.query('insert into invoice_series (seller_id, last) values ($1, 2)', [seller]);
  await client.query(
    'insert into reserve (seller_id, reserve_id, amount_minor, released_minor, currency, reason_code, held_at) ' +
      "values ($1, 'rsv_1', 300, 0, 'AUD', 'risk', '2026-07-21')",
    [seller],
  );
  await client.query(
    'insert into provider_transaction (provider, provider_transaction_id, type, amount_minor, fee_minor, net_minor, currency, ' +
      "created_at, recorded_at) values ('bank', $1, 'charge', 11000, 120, 10880, 'AUD', now(), now())",
    [`txn_of_${seller}`],
  );
  await client.query(
    'insert into provider_match (seller_id, provider, provider_transaction_id, journal_id, matched_at) ' +
      "values ($1, 'bank', $2, 'captured', now())",
    [seller, `txn_of_${seller}`],
  );
}
