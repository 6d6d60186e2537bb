/** Parcels, from the views of the module orders. */
import { spelledArea } from '../../../kernel/australia/address.ts';
import { instant, json, nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';

const PARCEL = {
  shipment_id: text,
  order_id: text,
  order_number: text,
  carrier: text,
  service: nullable(text),
  tracking_number: text,
  status: text,
  dispatched_at: nullable(instant),
  delivered_at: nullable(instant),
  /** The address from the marketplace; see {@link receiverOf}. */
  ship_to: nullable(json<Readonly<Record<string, unknown>>>()),
  packages: nullable(json<readonly { readonly weight_g?: number | null }[]>()),
  label_id: nullable(text),
  /** One number for each package of a label that was made here. */
  tracking_numbers: nullable(json<readonly string[]>()),
  /** When the label was made; null if it was not made here. */
  labelled_at: nullable(instant),
  /** The dispatch deadline of its order. */
  dispatch_by: nullable(instant),
};
/** A parcel of the view `v_orders_parcel`. */
export type ParcelRow = RowOf<typeof PARCEL>;

type Receiver = Readonly<
  Record<'name' | 'company' | 'city' | 'state' | 'postcode' | 'country', string | null>
>;

/**
 * The receiver of a parcel. The marketplace's address is not checked, so only its texts are used, and its area is read
 * as that of a label is.
 */
export function receiverOf({ ship_to }: ParcelRow): Receiver {
  const given = ship_to ?? {};
  const word = (key: keyof Receiver): string | null => {
    const value = given[key];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const { country, ...area } = spelledArea(given);
  return {
    name: word('name'),
    company: word('company'),
    city: word('city'),
    ...area,
    country: word('country') === null ? null : country,
  };
}

const parcelsWhere = ({ seller_id }: SellerDb, tail: Part) => statement(PARCEL)`
  select ${raw(
    Object.keys(PARCEL)
      .map((name) => `p.${name}`)
      .join(', '),
  )}
    from v_orders_parcel p
   where p.seller_id = ${seller_id}
     and ${tail}`;

/**
 * The shipment that has a package with a tracking number. It is the last one, if a carrier has used the number again.
 */
export const findParcel = (ctx: SellerDb, trackingNumber: string): Promise<ParcelRow | undefined> =>
  ctx.db.one(
    parcelsWhere(
      ctx,
      part`p.shipment_id in (
           select s.shipment_id from v_orders_parcel s
            where s.seller_id = ${ctx.seller_id} and s.tracking_number = ${trackingNumber}
            union all
           select n.shipment_id from v_orders_package n
            where n.seller_id = ${ctx.seller_id} and n.tracking_number = ${trackingNumber})
     order by p.shipment_id desc
     limit 1`,
    ),
  );

/** The states that are not final. The index `order_shipment_open` has the same states. */
export const OPEN_STATUSES = ['draft', 'dispatched', 'in_transit', 'out_for_delivery', 'failed'] as const;
const OPEN = raw(OPEN_STATUSES.map((status) => `'${status}'`).join(', '));

interface OpenFilter {
  readonly status?: (typeof OPEN_STATUSES)[number] | undefined;
  /** Handed over after the dispatch deadline of their order, or not handed over although the deadline has passed. */
  readonly late?: boolean | undefined;
}

/** Parcels with a tracking number that are on their way, newest first; one row more than the limit. */
export function openParcels(
  ctx: SellerDb & { at(): string },
  { status, late }: OpenFilter,
  after: string | undefined,
  limit: number,
): Promise<ParcelRow[]> {
  const isLate = part`coalesce(p.dispatched_at, ${ctx.at()}) > p.dispatch_by`;
  const where = allOf(
    part`p.tracking_number is not null and p.status in (${OPEN})`,
    status !== undefined && part`p.status = ${status}`,
    late !== undefined && (late ? isLate : part`(${isLate}) is not true`),
    after !== undefined && part`p.shipment_id < ${after}`,
  );
  return ctx.db.all(parcelsWhere(ctx, part`${where} order by p.shipment_id desc limit ${limit + 1}`));
}

const SCAN = { status: text, at: instant, location: nullable(text), detail: nullable(text) };
/** A tracking update of a parcel, from the view `v_orders_tracking`. */
export type ScanRow = RowOf<typeof SCAN>;

/** The most updates that a page shows. */
const SCANS_MAX = 200;

/** The last updates of a parcel, newest first. */
export const scansOf = ({ db, seller_id }: SellerDb, shipmentId: string): Promise<ScanRow[]> =>
  db.all(statement(SCAN)`
    select status, at, location, detail
      from v_orders_tracking
     where seller_id = ${seller_id}
       and shipment_id = ${shipmentId}
     order by at desc, position desc
     limit ${SCANS_MAX}`);

interface DispatchedIn {
  readonly carrier: string;
  /** RFC 3339; `to` is exclusive. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/**
 * The parcels of a carrier that were dispatched in a range of time and are on no manifest, in the order of dispatch.
 */
export const parcelsToManifest = (
  ctx: SellerDb,
  { carrier, from, to, limit }: DispatchedIn,
): Promise<ParcelRow[]> =>
  ctx.db.all(
    parcelsWhere(
      ctx,
      part`p.carrier = ${carrier}
     and p.dispatched_at >= ${from}
     and p.dispatched_at < ${to}
     and p.tracking_number is not null
     and p.status <> 'cancelled'
     and not exists (
         select from shipping_manifest_line l
           join shipping_manifest m using (seller_id, manifest_id)
          where l.seller_id = p.seller_id and l.shipment_id = p.shipment_id and m.carrier = p.carrier)
   order by p.dispatched_at, p.shipment_id
   limit ${limit}`,
    ),
  );
