/** Writes dispatched parcels straight into the tables of orders, for tests of their readers. */
import type { TestApp } from './app.ts';
import { runOn } from './test-server.ts';

export interface TestParcel {
  readonly shipment_id: string;
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string;
  readonly status: string;
  readonly dispatched_at: string | null;
  readonly delivered_at?: string | null;
  readonly ship_to: object;
  readonly packages: readonly object[];
}

const ORDER =
  'insert into sales_order (seller_id, order_id, order_number, status, payment_status, refund_status, currency, loyalty, items_minor, ' +
  'shipping_minor, seller_discount_minor, total_minor, ship_to, awaiting, accepted_open, placed_at, recorded_at, accept_by, placed_facts, search_text, version, updated_at) ' +
  "values ($1, $2, $3, 'shipped', 'captured', 'none', 'AUD', false, 0, 0, 0, 0, $4, 0, 0, $5, $5, $5, '{}', '', 1, $5)";
const SHIPMENT =
  'insert into order_shipment (seller_id, shipment_id, order_id, status, origin, packages, carrier, service, tracking_number, dispatched_at, delivered_at, version, created_at, updated_at) ' +
  "values ($1, $2, $3, $4, 'seller', $5, $6, $7, $8, $9, $10, 1, $11, $11)";
const AT = '2026-06-28T00:00:00Z';

/** Writes parcels of a seller, each with an order of its own whose number is the shipment's id without prefix. */
export async function writeParcels(
  { database }: TestApp,
  sellerId: string,
  parcels: readonly TestParcel[],
): Promise<void> {
  await runOn(database.adminUrl, async (client) => {
    for (const parcel of parcels) {
      const order_id = parcel.shipment_id.replace('shp_', 'ord_');
      const number = parcel.shipment_id.replace('shp_', '');
      await client.query(ORDER, [sellerId, order_id, number, JSON.stringify(parcel.ship_to), AT]);
      await client.query(SHIPMENT, [
        sellerId,
        parcel.shipment_id,
        order_id,
        parcel.status,
        JSON.stringify(parcel.packages),
        parcel.carrier,
        parcel.service,
        parcel.tracking_number,
        parcel.dispatched_at,
        parcel.delivered_at ?? null,
        AT,
      ]);
    }
  });
}
