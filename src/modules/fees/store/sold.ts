/** Orders as fees see them; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Sold, SoldLine, Terms } from '../domain/compare.ts';

const LINES =
  "select coalesce(json_agg(json_build_object('order_line_id', l.order_line_id, 'kind', l.kind, 'category', l.category, " +
  "'gross', l.gross_minor::text, 'net', l.net_minor::text) order by l.line_no), '[]') from v_orders_line l " +
  'where l.seller_id = o.seller_id and l.order_id = o.order_id';
const SOLD =
  'select o.order_id, o.currency, o.placed_at, o.loyalty, o.shared, o.fee_captured, t.fee_schedule_version, ' +
  't.loyalty_program_fund_bps, t.seller_order_fee_minor, t.line_rates, ' +
  `(${LINES}) as lines from v_orders_sold o ` +
  'left join v_ledger_terms t on t.seller_id = o.seller_id and t.order_id = o.order_id ' +
  'where o.seller_id = $1 and o.order_id = any($2::text[])';

interface Row {
  readonly order_id: string;
  readonly currency: string;
  readonly placed_at: string;
  readonly loyalty: boolean;
  readonly shared: boolean;
  readonly fee_captured: boolean;
  readonly fee_schedule_version: string | null;
  readonly loyalty_program_fund_bps: number | null;
  readonly seller_order_fee_minor: bigint | null;
  readonly line_rates: Terms['line_rates'] | null;
  readonly lines: readonly (Omit<SoldLine, 'gross' | 'net'> & {
    readonly gross: string;
    readonly net: string;
  })[];
}
export interface SoldOrder extends Sold {
  readonly currency: string;
  readonly placed_at: string;
}

function termsOf(row: Row): Terms | null {
  const { fee_schedule_version, loyalty_program_fund_bps, seller_order_fee_minor, line_rates } = row;
  if (fee_schedule_version === null) return null;
  return {
    fee_schedule_version,
    loyalty_program_fund_bps: loyalty_program_fund_bps ?? 0,
    seller_order_fee: minor(seller_order_fee_minor ?? 0n),
    line_rates: line_rates ?? [],
  };
}

/** Orders by their ids; those that are not the seller's are left out. */
export async function loadSold(
  db: Db,
  sellerId: string,
  orderIds: readonly string[],
): Promise<Map<string, SoldOrder>> {
  const rows = await db.all<Row>(sql(SOLD, [sellerId, textArray(orderIds)]));
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
