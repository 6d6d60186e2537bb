/**
 * A ledger of any size, written with set statements as the service writes it order by order: placed, paid and delivered.
 * All triggers of the database run: they check every journal and sum every day.
 */
import type pg from 'pg';
import { addDays } from '../../src/kernel/australia/settlement-period.ts';

interface LedgerSize {
  readonly orders: number;
  /** Lines of each order; all are goods. */
  readonly linesEach: number;
  /** The orders are delivered evenly over these Sydney days, both included. */
  readonly from: string;
  readonly to: string;
}

/** Cents. */
const PRICE = 2_000;
const PLATFORM_FEE = 200;
const ORDER_FEE = 30;
const PROCESSING = 75;
const HOLD_DAYS = 7;
/** Lines that one statement writes. */
const LINES_AT_ONCE = 10_000;

/** Legs of an order that do not depend on its lines: all of the payment, and the last ones of the delivery. */
const LEGS_BESIDE = 9;
/** Legs of an order: a sale and a fee for each line. */
export const legsOf = (linesEach: number): number => LEGS_BESIDE + 2 * linesEach;
/** Statement lines of an order: two for each order line, the order's fee, the processing. */
export const statementLinesOf = (linesEach: number): number => 2 * linesEach + 2;

/** $1 seller, $2 first order, $3 last order, $4 lines each, $5 first day, $6 days, $7 all orders. */
const ORDERS =
  "select n, 'ord_' || lpad(n::text, 26, '0') as order_id, lpad(n::text, 26, '0') as tail, " +
  '$5::date + (((n - 1)::bigint * $6::int) / $7::int)::int as day, ' +
  `$4::int * ${PRICE} as gross, $4::int * ${PLATFORM_FEE} as fee from generate_series($2::int, $3::int) n`;

const SALES_ORDERS =
  'insert into sales_order (seller_id, order_id, order_number, status, payment_status, refund_status, currency, loyalty, ' +
  'items_minor, shipping_minor, seller_discount_minor, total_minor, ship_to, awaiting, accepted_open, placed_at, recorded_at, ' +
  'accept_by, delivered_at, captured_minor, captured_at, provider_fee_minor, placed_facts, search_text, version, updated_at) ' +
  "select $1, order_id, n::text, 'delivered', 'captured', 'none', 'AUD', false, gross, 0, 0, gross, '{}', 0, 0, " +
  `day, day, day, day + interval '3 hours', gross, day + interval '1 hour', ${PROCESSING}, '{}', '', 1, day from (${ORDERS}) o`;

const ORDER_LINES =
  'insert into order_line (seller_id, order_line_id, order_id, line_no, kind, seller_sku, title, category, status, unit_price_minor, ' +
  'gross_minor, discount_minor, net_minor, ordered, awaiting, accepted_open, rejected, cancelled, in_transit, delivered, lost, ' +
  "returned, reserved) select $1, 'oln_' || tail || '_' || l, order_id, l, 'item', 'SKU-' || (n * 7 + l) % 5000, " +
  `'Thing ' || (n * 7 + l) % 5000, 'Home > Kitchen', 'delivered', ${PRICE}, ${PRICE}, 0, ${PRICE}, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0 ` +
  `from (${ORDERS}) o, generate_series(1, $4::int) l`;

const JOURNALS =
  'insert into ledger_journal (seller_id, journal_id, kind, order_id, occurred_at, posted_on, recorded_at, late, ' +
  "idempotency_key, actor) select $1, 'jnl_' || k.letter || tail, k.kind, order_id, day + k.at, day, day + k.at, false, " +
  `k.kind || ':' || order_id, 'marketplace' from (${ORDERS}) o, ` +
  "(values ('c', 'order_captured', interval '1 hour'), ('d', 'order_delivered', interval '3 hours')) k (letter, kind, at)";

/** The legs of an order in sequence; `r` counts them from 1. */
const LEGS = `
  select r, 'c' as journal, null::int as line, account, amount, null as type from (values
    (1, 'provider_clearing', gross - ${PROCESSING}), (2, 'processing_cost', ${PROCESSING}), (3, 'order_escrow', -gross)
  ) c (r, account, amount)
  union all select 3 + l, 'd', l, 'seller_payable', -${PRICE}, 'sale' from generate_series(1, $4::int) l
  union all select 3 + $4::int + l, 'd', l, 'seller_payable', ${PLATFORM_FEE}, 'platform_fee' from generate_series(1, $4::int) l
  union all select 3 + 2 * $4::int + r, 'd', null, account, amount, type from (values
    (1, 'seller_payable', ${ORDER_FEE}, 'seller_order_fee'), (2, 'seller_payable', ${PROCESSING}, 'payment_processing'),
    (3, 'order_escrow', gross, null), (4, 'platform_fee_income', -fee, null),
    (5, 'seller_order_fee_income', -${ORDER_FEE}, null), (6, 'processing_cost', -${PROCESSING}, null)
  ) d (r, account, amount, type)`;

const ENTRIES =
  'insert into ledger_entry (seller_id, entry_id, journal_id, position, account, amount_minor, currency, type, component, bucket, ' +
  'order_id, order_line_id, quantity, rate_bps, posted_on, available_on, late, description) ' +
  "select $1, 'txn_' || lpad(at::text, 26, '0'), 'jnl_' || journal || tail, at, account, amount, 'AUD', type, " +
  "case type when 'sale' then null else type end, case when type = 'sale' then 'gross' when type is not null then 'fees' end, " +
  "order_id, 'oln_' || tail || '_' || line, case type when 'sale' then 1 end, case type when 'platform_fee' then 1000 end, " +
  `day, case when type is not null then day + ${HOLD_DAYS} end, false, ` +
  "case type when 'sale' then 'Sale SKU-' || (n * 7 + line) % 5000 when 'platform_fee' then 'Platform fee 10.00%' " +
  "when 'seller_order_fee' then 'Seller order fee' when 'payment_processing' then 'Payment processing' end " +
  `from (${ORDERS}) o cross join lateral (select legs.*, (o.n - 1)::bigint * (${LEGS_BESIDE} + 2 * $4::int) + legs.r as at ` +
  `from (${LEGS}) legs) l order by at`;

const HEAD =
  'insert into ledger_head (seller_id, position) values ($1, $2) on conflict (seller_id) do update set position = excluded.position';

const DAY_MS = 86_400_000;

/** Writes the ledger of a new seller without row-level security. @returns the number of entries */
export async function fillLedger(client: pg.Client, sellerId: string, size: LedgerSize): Promise<number> {
  const { orders, linesEach, from, to } = size;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const atOnce = Math.max(1, Math.floor(LINES_AT_ONCE / linesEach));
  await client.query('set statement_timeout = 0; set plan_cache_mode = force_custom_plan');
  for (let first = 1; first <= orders; first += atOnce) {
    const last = Math.min(orders, first + atOnce - 1);
    const values = [sellerId, first, last, linesEach, from, days, orders];
    await client.query('begin');
    for (const text of [SALES_ORDERS, ORDER_LINES, JOURNALS, ENTRIES]) {
      const used = [...text.matchAll(/\$(\d)/g)].map(([, number]) => Number(number));
      await client.query(text, values.slice(0, Math.max(...used)));
    }
    await client.query(HEAD, [sellerId, last * legsOf(linesEach)]);
    await client.query('commit');
  }
  return orders * legsOf(linesEach);
}

/** The Sydney day a number of days before another. */
export const daysBefore = (day: string, days: number): string => addDays(day, -days);
