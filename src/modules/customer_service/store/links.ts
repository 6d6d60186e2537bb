/** What the tickets of a seller may be about, from the views of its owners. */

import { instant, json, nullable, text } from '../../../platform/db/columns.ts';
import { type Part, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Outcome } from '../../messages/index.ts';
import type { LinkName, Links } from '../domain/links.ts';

const ofPart = (name: LinkName) => (id: string) =>
  part`from v_orders_part where name = ${name} and id = ${id}`;

/** The view that has an object of the seller. A request is not looked up. */
const FROM: Readonly<Partial<Record<LinkName, (id: string) => Part>>> = {
  order_id: (id) => part`from v_orders_buyer where order_id = ${id}`,
  return_id: ofPart('return_id'),
  refund_id: ofPart('refund_id'),
  dispute_id: ofPart('dispute_id'),
  shipment_id: ofPart('shipment_id'),
  product_id: (id) => part`from v_products_listed where product_id = ${id}`,
  thread_id: (id) => part`from v_messages_thread where thread_id = ${id}`,
  settlement_id: (id) => part`from v_settlements_settlement where settlement_id = ${id}`,
  payout_id: (id) => part`from v_payouts_payout where payout_id = ${id}`,
  invoice_id: (id) => part`from v_invoices_invoice where invoice_id = ${id}`,
  feed_run_id: (id) => part`from v_products_feed_runs where run_id = ${id}`,
  rating_id: (id) => part`from v_reviews_named where rating_id = ${id}`,
};

/** Whether the seller has the object of a link. */
export async function hasLinked({ db, seller_id }: SellerDb, name: LinkName, id: string): Promise<boolean> {
  const from = FROM[name];
  if (from === undefined) return true;
  const row = await db.one(statement({ seller_id: text })`
    select seller_id
      ${from(id)}
       and seller_id = ${seller_id}
     limit 1`);
  return row !== undefined;
}

/**
 * The orders that links name: directly, by a part of an order, by a thread, or by a rating. Several orders may have
 * a part with the same id.
 */
export async function ordersOfLinks({ db, seller_id }: SellerDb, links: Links): Promise<string[]> {
  const { order_id = null, thread_id = null, rating_id = null } = links;
  const rows = await db.all(statement({ order_id: text })`
    select ${order_id}::text as order_id
     where ${order_id}::text is not null
     union
    select p.order_id
      from unnest(${Object.keys(links)}::text[], ${Object.values(links)}::text[]) l (name, id)
      join v_orders_part p
        on p.name = l.name
       and p.id = l.id
     where p.seller_id = ${seller_id}
     union
    select order_id
      from v_messages_thread
     where seller_id = ${seller_id}
       and thread_id = ${thread_id}
       and order_id is not null
     union
    select order_id
      from v_reviews_named
     where seller_id = ${seller_id}
       and rating_id = ${rating_id}
       and order_id is not null
     order by order_id`);
  return rows.map((row) => row.order_id);
}

const THREAD = { buyer_id: nullable(text), erased_at: nullable(instant) };
/** The buyer of the thread of links, and when the buyer was erased. */
export async function threadOfLinks({ db, seller_id }: SellerDb, links: Links) {
  const { thread_id = null } = links;
  return db.one(statement(THREAD)`
    select buyer_id, erased_at
      from v_messages_thread
     where seller_id = ${seller_id}
       and thread_id = ${thread_id}`);
}

interface Parcel {
  readonly shipment_id: string;
  readonly status: string;
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly label_bought_here: boolean;
  readonly dispatched_at: string | null;
  readonly delivered_at: string | null;
  readonly steps: readonly { readonly status: string; readonly at: string }[];
}
const ORDER = {
  order_id: text,
  order_number: text,
  buyer_id: nullable(text),
  currency: text,
  dispatch_by: nullable(instant),
  delivered_at: nullable(instant),
  shipments: json<readonly Parcel[]>('json'),
  refunds:
    json<readonly { refund_id: string; status: string; amount_minor: number; created_at: string }[]>('json'),
  returns: json<readonly { return_id: string; status: string; requested_at: string }[]>('json'),
};

/** An order by an id of the service or of the marketplace, with its facts for a claim. */
export const findOrder = ({ db, seller_id }: SellerDb, id: string) =>
  db.one(statement(ORDER)`
    select order_id, order_number, buyer_id, currency, dispatch_by, delivered_at, shipments, refunds, returns
      from v_orders_claim
     where seller_id = ${seller_id}
       and (order_id = ${id} or external_order_id = ${id})`);

interface ResponseTurn {
  readonly thread_id: string;
  readonly opened_at: string;
  readonly respond_by: string;
  readonly ended_at: string | null;
  readonly outcome: Outcome;
}

/** The turns in which the seller owed the buyer of an order an answer, by thread. */
export async function responseTurns({ db, seller_id }: SellerDb, orderId: string): Promise<ResponseTurn[]> {
  const rows = await db.all(statement({ turns: json<readonly ResponseTurn[]>('json') })`
    select turns
      from v_messages_thread
     where seller_id = ${seller_id}
       and order_id = ${orderId}
     order by thread_id`);
  return rows.flatMap(({ turns }) => turns);
}
