import type { Closing } from '../../../kernel/australia/closing.ts';
import { boolean, integer, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const columns = {
  low_stock_alerts: boolean,
  default_reorder_point: nullable(integer),
  default_handling_days: nullable(integer),
  default_lead_time_days: nullable(integer),
  return_policy: nullable(text),
  extended_from: nullable(text),
  extended_to: nullable(text),
};

/** What orders, shipping and products follow of a seller's settings and closing. */
export interface Trading extends Omit<RowOf<typeof columns>, 'extended_from' | 'extended_to'> {
  /** The days that deadlines leave out. Null: the seller is not closed, or its closing hides the products. */
  readonly extension: Closing | null;
}

/** A seller that has set nothing. */
const NO_TRADING: Trading = {
  low_stock_alerts: true,
  default_reorder_point: null,
  default_handling_days: null,
  default_lead_time_days: null,
  return_policy: null,
  extension: null,
};

/**
 * In either scope.
 *
 * @param at an instant, RFC 3339: what held then; default: what holds now
 */
export async function readTrading({ db, seller_id }: SellerDb, at?: string): Promise<Trading> {
  const held = at === undefined ? part`held_until = 'infinity'` : part`held_until > ${at}::timestamptz`;
  const row = await db.one(statement(columns)`
    select ${raw(Object.keys(columns).join(', '))}
      from v_sellers_trading
     where seller_id = ${seller_id}
       and ${held}
     order by held_until
     limit 1`);
  if (row === undefined) return NO_TRADING;
  const { extended_from: from, extended_to: to, ...rest } = row;
  return { ...rest, extension: from === null ? null : { from, to } };
}
