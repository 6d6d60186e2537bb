/** Purchases of labels: written before a carrier is asked, so that none is lost, and none is made twice. */
import type { Db } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { WantedLabel } from '../domain/labels.ts';
import type { Author } from './order-history.ts';

export type PurchaseStatus = 'open' | 'failed' | 'dropped' | 'ended';

/** Instants are RFC 3339. */
export interface LabelPurchase extends WantedLabel {
  readonly status: PurchaseStatus;
  /** Whoever asked for the label. */
  readonly author: Author;
  /** Until then somebody asks the carrier; on the system's clock. */
  readonly lease_until: string | null;
  readonly updated_at: string;
}

const INSERT =
  'insert into order_label_purchase (seller_id, label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id, ' +
  "price_minor, content, author, lease_until, created_at, updated_at) values ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)";

/** @param at instant on the service's clock */
export async function insertPurchase(
  db: Db,
  sellerId: string,
  wanted: WantedLabel,
  author: Author,
  { at, leaseUntil }: { readonly at: string; readonly leaseUntil: string },
): Promise<void> {
  const { label_id, order_id, shipment_id, carrier, service, quote_id, option_id, price, content } = wanted;
  const values = [label_id, order_id, shipment_id, carrier, service, quote_id, option_id, price];
  const json = [JSON.stringify(content), JSON.stringify(author)];
  await db.run(sql(INSERT, [sellerId, ...values, ...json, leaseUntil, at]));
}

const SELECT =
  'select label_id, order_id, shipment_id, status, carrier, service, quote_id, option_id, price_minor as price, content, ' +
  'author, lease_until, updated_at from order_label_purchase where seller_id = $1 and ';
const FIND = `${SELECT}label_id = $2 for update`;
const PENDING = `${SELECT}shipment_id = $2 and status in ('open', 'failed') for update`;

type Row = Omit<LabelPurchase, 'price'> & { readonly price: bigint | null };

async function one(db: Db, text: string, values: readonly unknown[]): Promise<LabelPurchase | undefined> {
  const row = await db.one<Row>(sql(text, values));
  return row && { ...row, price: row.price === null ? null : minor(row.price) };
}

/** A purchase, held until the end of the transaction. Whoever needs its order as well holds that first. */
export const findPurchase = (db: Db, sellerId: string, labelId: string): Promise<LabelPurchase | undefined> =>
  one(db, FIND, [sellerId, labelId]);

/** The purchase of a parcel's label that has not ended, held likewise. */
export const pendingPurchase = (
  db: Db,
  sellerId: string,
  shipmentId: string,
): Promise<LabelPurchase | undefined> => one(db, PENDING, [sellerId, shipmentId]);

const SETTLE =
  'update order_label_purchase set status = $3, lease_until = $4, updated_at = $5 where seller_id = $1 and label_id = $2';

/** @param leaseUntil for `open`: until when somebody asks the carrier */
export async function settlePurchase(
  db: Db,
  sellerId: string,
  labelId: string,
  status: PurchaseStatus,
  { at, leaseUntil = null }: { readonly at: string; readonly leaseUntil?: string | null },
): Promise<void> {
  await db.run(sql(SETTLE, [sellerId, labelId, status, leaseUntil, at]));
}
