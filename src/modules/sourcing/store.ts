import {
  bigint,
  instant,
  integer,
  json,
  money,
  nullable,
  text,
  textOf,
  texts,
} from '../../platform/db/columns.ts';
import { lockName } from '../../platform/db/lock-name.ts';
import { command, part, statement } from '../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../platform/db/table.ts';
import type { ItemTerms } from '../supply/index.ts';
import type { QuoteStatus, RfqStatus } from './domain/rfq-machine.ts';
import type { Metric } from './domain/scorecard.ts';

export interface RfqLine {
  readonly line_no: number;
  readonly supplier_item_id: string | null;
  readonly description: string | null;
  readonly product_id: string | null;
  readonly quantity: number;
  readonly need_on: string | null;
}

export const rfqs = defineTable('rfq', 'rfq_id', {
  title: text,
  lines: json<readonly RfqLine[]>(),
  supplier_ids: texts,
  reply_by: instant,
  ship_to: json<{ readonly state: string; readonly postcode: string }>(),
  note: nullable(text),
  currency: text,
  status: textOf<RfqStatus>(),
  quotes: integer,
});
export type RfqRow = RowIn<typeof rfqs>;

export interface QuoteLine extends ItemTerms {
  readonly line_no: number;
  readonly supplier_item_id: string;
  readonly supplier_sku: string;
  readonly lead_time_days: number | null;
}

export const quotes = defineTable('rfq_quote', 'quote_id', {
  rfq_id: text,
  supplier_id: text,
  supplier_name: text,
  quote_ref: text,
  quoted_at: instant,
  valid_until: instant,
  currency: text,
  lines: json<readonly QuoteLine[]>(),
  freight_minor: nullable(money),
  free_freight_from_minor: nullable(money),
  note: nullable(text),
  status: textOf<QuoteStatus>(),
});
export type QuoteRow = RowIn<typeof quotes>;

const withdrawal = { supplier_id: text, quote_ref: nullable(text), withdrawn_at: instant };

/** The facts that decide the state of a request. */
export async function answersOf({ db, seller_id }: SellerDb, rfqId: string) {
  const [quoted, withdrawals] = await Promise.all([
    db.all(quotes.select(seller_id, part`rfq_id = ${rfqId} order by quote_id`)),
    db.all(statement(withdrawal)`
      select supplier_id, nullif(quote_ref, '') as quote_ref, withdrawn_at
        from rfq_withdrawal
       where seller_id = ${seller_id}
         and rfq_id = ${rfqId}`),
  ]);
  return { quotes: quoted, withdrawals };
}

/** Keeps the newest withdrawal of a quote, or of all quotes of a supplier. @returns whether this one is newer */
export async function withdraw(
  { db, seller_id }: SellerDb,
  rfqId: string,
  {
    supplier_id,
    quote_ref,
    withdrawn_at,
    reason,
  }: {
    readonly supplier_id: string;
    readonly quote_ref: string | null;
    readonly withdrawn_at: string;
    readonly reason: string | null;
  },
): Promise<boolean> {
  const written = await db.run(command`
    insert into rfq_withdrawal as w (seller_id, rfq_id, supplier_id, quote_ref, withdrawn_at, reason)
    values (${seller_id}, ${rfqId}, ${supplier_id}, ${quote_ref ?? ''}, ${withdrawn_at}, ${reason})
        on conflict (seller_id, rfq_id, supplier_id, quote_ref)
        do update set withdrawn_at = excluded.withdrawn_at, reason = excluded.reason
     where w.withdrawn_at < excluded.withdrawn_at`);
  return written === 1;
}

/** A page of the quotes of a request, newest first. */
export const quotesOf = (
  at: SellerDb,
  rfqId: string,
  status: QuoteStatus | undefined,
  page: Pick<Parameters<typeof quotes.page>[1], 'after' | 'limit'>,
): Promise<QuoteRow[]> =>
  quotes.page(at, {
    ...page,
    where: status === undefined ? part`rfq_id = ${rfqId}` : part`rfq_id = ${rfqId} and status = ${status}`,
    ...{ order: ['quote_id'], descending: true },
  });

/** Counts the open requests. A lock keeps the count until the transaction ends. */
export async function lockOpenCount({ db, seller_id }: SellerDb): Promise<number> {
  await lockName(db, `rfqs/${seller_id}`);
  const row = await db.one(statement({ used: integer })`
    select count(*)::integer as used
      from rfq
     where seller_id = ${seller_id}
       and status = 'open'`);
  return row?.used ?? 0;
}

/** The seller's products with these ids. */
export async function knownProducts(
  { db, seller_id }: SellerDb,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ product_id: text })`
    select product_id
      from v_products_known
     where seller_id = ${seller_id}
       and product_id = any(${ids})`);
  return new Set(rows.map(({ product_id }) => product_id));
}

/** Days in Sydney, both included: YYYY-MM-DD. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const counted = { metric: textOf<Metric>(), numerator: bigint, denominator: bigint };
/** What the metrics of a supplier count, in units. Source: docs/design/sourcing.md#scorecard. */
export async function scoredOf({ db, seller_id }: SellerDb, supplierId: string, { from, to }: Days) {
  const rows = await db.all(statement(counted)`
    with line as (
      select *
        from v_wholesale_scored
       where seller_id = ${seller_id}
         and supplier_id = ${supplierId}
    ),
    metric (metric, numerator, denominator) as (
      select 'on_time', least(received, in_time), received + outstanding
        from line
       where promised_on between ${from}::date and ${to}::date
       union all
      select 'fill', received, ordered - cancelled_by_seller
        from line
       where is_over
         and submitted_on between ${from}::date and ${to}::date
       union all
      select 'rejected', rejected, good + rejected
        from v_wholesale_received
       where seller_id = ${seller_id}
         and supplier_id = ${supplierId}
         and received_on between ${from}::date and ${to}::date
       union all
      select 'dropship_accept', accepted, units
        from v_dropship_answered
       where seller_id = ${seller_id}
         and supplier_id = ${supplierId}
         and answered_on between ${from}::date and ${to}::date
    )
    select metric, sum(numerator)::bigint as numerator, sum(denominator)::bigint as denominator
      from metric
     group by metric`);
  return Object.fromEntries(
    rows.map(({ metric, numerator, denominator }) => [
      metric,
      { numerator: Number(numerator), denominator: Number(denominator) },
    ]),
  );
}

/** How many orders of the seller suppliers have got: purchase orders and dropship orders. */
export async function ownOrders(
  { db, seller_id }: SellerDb,
  supplierIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all(statement({ supplier_id: text, orders: integer })`
    select supplier_id, count(*)::integer as orders
      from (select supplier_id
              from v_wholesale_orders
             where seller_id = ${seller_id}
               and supplier_id = any(${supplierIds})
             union all
            select supplier_id
              from v_dropship_orders
             where seller_id = ${seller_id}
               and supplier_id = any(${supplierIds})) o
     group by supplier_id`);
  return new Map(rows.map(({ supplier_id, orders }) => [supplier_id, orders]));
}
