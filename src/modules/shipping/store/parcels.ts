/** Parcels as the orders area shows them to others. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A parcel of the view `v_orders_parcel`; instants are RFC 3339. */
export interface ParcelRow {
  readonly shipment_id: string;
  readonly order_id: string;
  readonly order_number: string;
  readonly carrier: string;
  readonly service: string | null;
  readonly tracking_number: string;
  readonly status: string;
  readonly dispatched_at: string | null;
  readonly delivered_at: string | null;
  /** As the marketplace gave it; see {@link receiverOf}. */
  readonly ship_to: Readonly<Record<string, unknown>> | null;
  readonly packages: readonly { readonly weight_g?: number | null }[] | null;
  readonly label_id: string | null;
  /** One for each package, of a label that was made here. */
  readonly tracking_numbers: readonly string[] | null;
  /** When its label was made, where it was made here. */
  readonly labelled_at: string | null;
}

type Receiver = Readonly<
  Record<'name' | 'company' | 'city' | 'state' | 'postcode' | 'country', string | null>
>;

/** Who gets a parcel and where, as far as the marketplace wrote it as words: nobody holds it to anything. */
export function receiverOf({ ship_to }: ParcelRow): Receiver {
  const word = (key: keyof Receiver): string | null => {
    const value = ship_to?.[key];
    return typeof value === 'string' ? value : null;
  };
  return {
    name: word('name'),
    company: word('company'),
    city: word('city'),
    state: word('state'),
    postcode: word('postcode'),
    country: word('country'),
  };
}

const COLUMNS =
  'p.shipment_id, p.order_id, p.order_number, p.carrier, p.service, p.tracking_number, p.status, ' +
  'p.dispatched_at, p.delivered_at, p.ship_to, p.packages, p.label_id, p.tracking_numbers, p.labelled_at';

/** The shipment of a tracking number, of any of its packages: the last one, should a carrier have used it again. */
export function findParcel(db: Db, sellerId: string, trackingNumber: string): Promise<ParcelRow | undefined> {
  return db.one<ParcelRow>(
    sql(
      `select ${COLUMNS} from v_orders_parcel p where p.seller_id = $1 and p.shipment_id in (` +
        'select s.shipment_id from v_orders_parcel s where s.seller_id = $1 and s.tracking_number = $2 union all ' +
        'select n.shipment_id from v_orders_package n where n.seller_id = $1 and n.tracking_number = $2) ' +
        'order by p.shipment_id desc limit 1',
      [sellerId, trackingNumber],
    ),
  );
}

/** What was told of a parcel on its way, as the view `v_orders_tracking` has it; instants are RFC 3339. */
export interface ScanRow {
  readonly status: string;
  readonly at: string;
  readonly location: string | null;
  readonly detail: string | null;
}

/** No page shows more. */
const SCANS_MAX = 200;

/** The last pieces of news of a parcel, the newest first. */
export function scansOf(db: Db, sellerId: string, shipmentId: string): Promise<ScanRow[]> {
  return db.all<ScanRow>(
    sql(
      'select status, at, location, detail from v_orders_tracking where seller_id = $1 and shipment_id = $2 ' +
        'order by at desc, position desc limit $3',
      [sellerId, shipmentId, SCANS_MAX],
    ),
  );
}

export interface DispatchedIn {
  readonly carrier: string;
  /** RFC 3339, the second exclusive. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/** Parcels of a carrier that were dispatched in a time and stand on no manifest of it yet, in the order of dispatch. */
export function parcelsToManifest(
  db: Db,
  sellerId: string,
  { carrier, from, to, limit }: DispatchedIn,
): Promise<ParcelRow[]> {
  return db.all<ParcelRow>(
    sql(
      `select ${COLUMNS} from v_orders_parcel p where p.seller_id = $1 and p.carrier = $2 ` +
        "and p.dispatched_at >= $3 and p.dispatched_at < $4 and p.tracking_number is not null and p.status <> 'cancelled' " +
        'and not exists (select from shipping_manifest_line l join shipping_manifest m using (seller_id, manifest_id) ' +
        'where l.seller_id = p.seller_id and l.shipment_id = p.shipment_id and m.carrier = p.carrier) ' +
        'order by p.dispatched_at, p.shipment_id limit $5',
      [sellerId, carrier, from, to, limit],
    ),
  );
}
