/**
 * Purchases of labels. A purchase is written before the carrier is called, so that no label is lost or made
 * twice.
 */
import type { Acting } from '../../../kernel/context.ts';
import { instant, json, money, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { WantedLabel } from '../domain/labels.ts';
import { type Author, authorOf } from './order-history.ts';

type PurchaseStatus = 'open' | 'failed' | 'dropped' | 'ended';

const PURCHASE = {
  label_id: text,
  order_id: text,
  shipment_id: text,
  status: textOf<PurchaseStatus>(),
  carrier: text,
  service: text,
  quote_id: nullable(text),
  option_id: nullable(text),
  price: nullable(money),
  content: json<WantedLabel['content']>(),
  /** Who requested the label. */
  author: json<Author>(),
  /** One process works on the purchase until this instant of the system's clock. */
  lease_until: nullable(instant),
  updated_at: instant,
};
export type LabelPurchase = RowOf<typeof PURCHASE>;

export async function insertPurchase(ctx: Acting, wanted: WantedLabel, leaseUntil: string): Promise<void> {
  const { label_id, order_id, shipment_id, carrier, service, quote_id, option_id, price, content } = wanted;
  const at = ctx.at();
  await ctx.db.run(command`
    insert into order_label_purchase
           (seller_id, label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id,
            price_minor, content, author, lease_until, created_at, updated_at)
    values (${ctx.seller_id}, ${label_id}, ${order_id}, ${shipment_id}, 'open', ${carrier}, ${service},
            ${quote_id}, ${option_id}, ${price}, ${JSON.stringify(content)}, ${JSON.stringify(authorOf(ctx))},
            ${leaseUntil}, ${at}, ${at})`);
}

const purchaseWhere = (seller_id: string, condition: Part) => statement(PURCHASE)`
  select label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id,
         price_minor as price, content, author, lease_until, updated_at
    from order_label_purchase
   where seller_id = ${seller_id}
     and ${condition}
     for update`;

/** A purchase, locked until the transaction ends. Lock its order first if you need both. */
export const findPurchase = (
  { db, seller_id }: SellerDb,
  labelId: string,
): Promise<LabelPurchase | undefined> => db.one(purchaseWhere(seller_id, part`label_id = ${labelId}`));

/** The unfinished purchase of a parcel's label, locked until the transaction ends. */
export const pendingPurchase = (
  { db, seller_id }: SellerDb,
  shipmentId: string,
): Promise<LabelPurchase | undefined> =>
  db.one(purchaseWhere(seller_id, part`shipment_id = ${shipmentId} and status in ('open', 'failed')`));

/** @param leaseUntil for the status `open`: how long this process works on the purchase */
export async function setPurchaseStatus(
  ctx: Acting,
  labelId: string,
  status: PurchaseStatus,
  leaseUntil: string | null = null,
): Promise<void> {
  await ctx.db.run(command`
    update order_label_purchase
       set status = ${status}, lease_until = ${leaseUntil}, updated_at = ${ctx.at()}
     where seller_id = ${ctx.seller_id}
       and label_id = ${labelId}`);
}
