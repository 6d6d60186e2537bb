/** Purchases of labels, written before the carrier is asked, so that none is lost or made twice. */
import type { Db } from '../../../kernel/context.ts';
import { instant, json, money, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import type { WantedLabel } from '../domain/labels.ts';
import type { Author } from './order-history.ts';

export type PurchaseStatus = 'open' | 'failed' | 'dropped' | 'ended';

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
  /** Who asked for the label. */
  author: json<Author>(),
  /** Until then a process asks the carrier; on the system's clock. */
  lease_until: nullable(instant),
  updated_at: instant,
};
export type LabelPurchase = RowOf<typeof PURCHASE>;

/** @param at instant on the service's clock */
export async function insertPurchase(
  db: Db,
  sellerId: string,
  wanted: WantedLabel,
  author: Author,
  { at, leaseUntil }: { readonly at: string; readonly leaseUntil: string },
): Promise<void> {
  const { label_id, order_id, shipment_id, carrier, service, quote_id, option_id, price, content } = wanted;
  await db.run(command`
    insert into order_label_purchase
           (seller_id, label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id,
            price_minor, content, author, lease_until, created_at, updated_at)
    values (${sellerId}, ${label_id}, ${order_id}, ${shipment_id}, 'open', ${carrier}, ${service},
            ${quote_id}, ${option_id}, ${price}, ${JSON.stringify(content)}, ${JSON.stringify(author)},
            ${leaseUntil}, ${at}, ${at})`);
}

const purchaseWhere = (sellerId: string, condition: Part) => statement(PURCHASE)`
  select label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id,
         price_minor as price, content, author, lease_until, updated_at
    from order_label_purchase
   where seller_id = ${sellerId}
     and ${condition}
     for update`;

/** A purchase, locked until the transaction ends. Lock its order before, where it is needed too. */
export const findPurchase = (db: Db, sellerId: string, labelId: string): Promise<LabelPurchase | undefined> =>
  db.one(purchaseWhere(sellerId, part`label_id = ${labelId}`));

/** The purchase of a parcel's label that has not ended, locked too. */
export const pendingPurchase = (
  db: Db,
  sellerId: string,
  shipmentId: string,
): Promise<LabelPurchase | undefined> =>
  db.one(purchaseWhere(sellerId, part`shipment_id = ${shipmentId} and status in ('open', 'failed')`));

/** @param leaseUntil for `open`: until when a process asks the carrier */
export async function settlePurchase(
  db: Db,
  sellerId: string,
  labelId: string,
  status: PurchaseStatus,
  { at, leaseUntil = null }: { readonly at: string; readonly leaseUntil?: string | null },
): Promise<void> {
  await db.run(command`
    update order_label_purchase
       set status = ${status}, lease_until = ${leaseUntil}, updated_at = ${at}
     where seller_id = ${sellerId}
       and label_id = ${labelId}`);
}
