/** Labels as the orders module shows them to others. */

import { textArray } from '../../../platform/db/arrays.ts';
import { instant, json, money, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { LABEL_STATUSES, StoredLabelContent } from '../domain/label.ts';

const LABEL = {
  label_id: text,
  order_id: text,
  order_number: text,
  shipment_id: text,
  status: textOf<(typeof LABEL_STATUSES)[number]>(),
  carrier: text,
  service: text,
  tracking_number: text,
  price_minor: money,
  content: json<StoredLabelContent>('json'),
  created_at: instant,
  voided_at: nullable(instant),
};
/** A label of the view `v_orders_label`. */
export type LabelRow = RowOf<typeof LABEL>;

const labelsWhere = (sellerId: string, tail: Part) => statement(LABEL)`
  select ${raw(Object.keys(LABEL).join(', '))}
    from v_orders_label
   where seller_id = ${sellerId}
     and ${tail}`;

interface LabelFilter {
  readonly order_id?: string | undefined;
  readonly status?: LabelRow['status'] | undefined;
  readonly carrier?: string | undefined;
  /** RFC 3339; `to` is exclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Newest first, one row more than the limit. */
export function listLabels(
  { db, seller_id }: SellerDb,
  { order_id, status, carrier, from, to }: LabelFilter,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<LabelRow[]> {
  const where = allOf(
    order_id !== undefined && part`order_id = ${order_id}`,
    status !== undefined && part`status = ${status}`,
    carrier !== undefined && part`carrier = ${carrier}`,
    from !== undefined && part`created_at >= ${from}`,
    to !== undefined && part`created_at < ${to}`,
    after !== undefined && part`(created_at, label_id) < (${after[0]}::timestamptz, ${after[1]})`,
  );
  return db.all(
    labelsWhere(seller_id, part`${where} order by created_at desc, label_id desc limit ${limit + 1}`),
  );
}

export const findLabel = ({ db, seller_id }: SellerDb, labelId: string): Promise<LabelRow | undefined> =>
  db.one(labelsWhere(seller_id, part`label_id = ${labelId}`));

/** A parcel that a sheet names, with its valid label and the first of its SKUs. */
interface ParcelToLabel {
  readonly order_id: string;
  readonly shipment_id: string;
  readonly seller_sku: string | null;
  readonly label: LabelRow | undefined;
}

const PARCEL = { shipment_id: text, order_id: text, seller_sku: nullable(text) };

/** The parcels of these ids that the seller has, in no order. */
export async function parcelsToLabel(
  { db, seller_id }: SellerDb,
  shipmentIds: readonly string[],
): Promise<ParcelToLabel[]> {
  const ids = textArray(shipmentIds);
  const [parcels, labels] = await Promise.all([
    db.all(statement(PARCEL)`
      select s.shipment_id, s.order_id,
             (select min(p.seller_sku)
                from v_orders_packed p
               where p.seller_id = s.seller_id and p.shipment_id = s.shipment_id) as seller_sku
        from v_orders_shipment s
       where s.seller_id = ${seller_id}
         and s.shipment_id = any(${ids}::text[])`),
    db.all(labelsWhere(seller_id, part`shipment_id = any(${ids}::text[]) and status = 'purchased'`)),
  ]);
  const byShipment = new Map(labels.map((label) => [label.shipment_id, label]));
  return parcels.map((parcel) => ({ ...parcel, label: byShipment.get(parcel.shipment_id) }));
}
