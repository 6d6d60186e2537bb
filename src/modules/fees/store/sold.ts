/** The facts of orders that fees need. */
import { minor } from '../../../kernel/money.ts';
import {
  boolean,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
} from '../../../platform/db/columns.ts';
import { oneOf, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Sold, SoldLine } from '../domain/compare.ts';
import type { OrderRates } from '../domain/schedule.ts';

const soldOrder = {
  order_id: text,
  currency: text,
  placed_at: instant,
  loyalty: boolean,
  shared: boolean,
  fee_captured: boolean,
  fee_schedule_version: nullable(text),
  loyalty_program_fund_bps: nullable(integer),
  seller_order_fee_minor: nullable(money),
  line_rates: nullable(json<OrderRates['line_rates']>('json')),
  lines:
    json<readonly (Omit<SoldLine, 'gross' | 'net'> & { readonly gross: string; readonly net: string })[]>(
      'json',
    ),
};

export interface SoldOrder extends Sold {
  readonly currency: string;
  readonly placed_at: string;
}

function termsOf(row: RowOf<typeof soldOrder>): OrderRates | null {
  const { fee_schedule_version, loyalty_program_fund_bps, seller_order_fee_minor, line_rates } = row;
  if (fee_schedule_version === null) return null;
  return {
    fee_schedule_version,
    loyalty_program_fund_bps: loyalty_program_fund_bps ?? 0,
    seller_order_fee_minor: seller_order_fee_minor ?? minor(0),
    line_rates: line_rates ?? [],
  };
}

/** The seller's orders with these ids. */
export async function loadSold(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<Map<string, SoldOrder>> {
  const rows = await db.all(statement(soldOrder)`
    select o.order_id, o.currency, o.placed_at, o.loyalty, o.shared, o.fee_captured, t.fee_schedule_version,
           t.loyalty_program_fund_bps, t.seller_order_fee_minor, t.line_rates,
           (select coalesce(json_agg(json_build_object(
                     'order_line_id', l.order_line_id, 'kind', l.kind, 'category', l.category,
                     'gross', l.gross_minor::text, 'net', l.net_minor::text) order by l.line_no), '[]')
              from v_orders_line l
             where l.seller_id = o.seller_id and l.order_id = o.order_id) as lines
      from v_orders_sold o
      left join v_ledger_terms t on t.seller_id = o.seller_id and t.order_id = o.order_id
     where o.seller_id = ${seller_id}
       and ${oneOf(raw('o.order_id'), orderIds)}`);
  return new Map(
    rows.map((row) => {
      const { order_id, currency, placed_at, loyalty, shared, fee_captured } = row;
      const lines = row.lines.map(({ gross, net, ...line }) => ({
        ...line,
        gross: minor(BigInt(gross)),
        net: minor(BigInt(net)),
      }));
      return [
        order_id,
        { order_id, currency, placed_at, loyalty, shared, fee_captured, lines, terms: termsOf(row) },
      ];
    }),
  );
}
