import type { Closing } from '../../../kernel/australia/closing.ts';
import { boolean, integer, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

/** The days that deadlines leave out, from an instant on until the next one of the list. */
export interface Extension {
  /** RFC 3339. */
  readonly set_at: string;
  /** Null: the seller is not closed, or its closing hides the products. */
  readonly from: string | null;
  readonly to: string | null;
}

const columns = {
  low_stock_alerts: boolean,
  default_reorder_point: nullable(integer),
  default_handling_days: nullable(integer),
  default_lead_time_days: nullable(integer),
  return_policy: nullable(text),
  extensions: json<readonly Extension[]>(),
};

/** What orders, shipping and products follow of a seller's settings and closing. */
export interface Trading extends Omit<RowOf<typeof columns>, 'extensions'> {
  /** The days that deadlines of orders of this instant leave out. */
  readonly extension: Closing | null;
}

/** A seller that has set nothing. */
export const NO_TRADING: Trading = {
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
 * @param at the instant whose closing counts, in milliseconds; by default the newest one counts
 */
export async function readTrading(
  { db, seller_id }: SellerDb,
  at = Number.POSITIVE_INFINITY,
): Promise<Trading> {
  const row = await db.one(statement(columns)`
    select ${raw(Object.keys(columns).join(', '))}
      from v_sellers_trading
     where seller_id = ${seller_id}`);
  if (row === undefined) return NO_TRADING;
  const { extensions, ...rest } = row;
  const { from = null, to = null } = extensions.find(({ set_at }) => Date.parse(set_at) <= at) ?? {};
  return { ...rest, extension: from === null ? null : { from, to } };
}
