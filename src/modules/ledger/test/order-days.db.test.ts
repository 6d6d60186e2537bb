/** The days on which the money of an order counts and becomes available, for any order of its events. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder, post, shipAll, stocked } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-02T00:00:00.000Z' });
let seller = await app.seller({ plan: 'Small' });
const { sku } = await stocked(seller, null);
const tell = (type: string, subject: string, data: object, more: object = {}) =>
  apply(app, orderEvent(app, seller, type, subject, data, more));
const move = async (now: string) => {
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  seller = await seller.renew();
};
const standing = (data: object) => tell('seller.standing_changed', seller.seller_id, data);

/** An order of two units, paid for and on its way in two parcels. */
async function twoParcels(): Promise<{ id: string; parcels: [first: string, second: string] }> {
  const id = await placeOrder(app, seller, [{ sku, quantity: 2, price: 5_000 }]);
  await tell('order.payment_captured', id, { charge_id: id, captured_minor: 10_000, provider_fee_minor: 68 });
  const { body } = await post(seller, `${id}/accept`);
  const lines = { lines: [{ order_line_id: body.lines[0]?.order_line_id, quantity: 1 }] };
  const first = await shipAll(seller, id, lines);
  const second = await shipAll(seller, id, lines);
  return { id, parcels: [first.shipment_id, second.shipment_id] };
}
const arrive = (parcel: string, delivered_at: string) =>
  tell('shipment.delivered', parcel, { delivered_at }, { time: delivered_at });

const daysOf = async (orderId: string, type: string): Promise<unknown[][]> => {
  const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<Record<string, unknown>>({
      text:
        'select -amount_minor as amount, posted_on::text as posted_on, available_on::text as available_on ' +
        'from ledger_entry where seller_id = $1 and order_id = $2 and type = $3 order by position',
      values: [seller.seller_id, orderId, type],
    }),
  );
  return rows.map((row) => Object.values(row));
};

test('a delivery that is withdrawn is reversed in the settlement that contains it', async () => {
  const { id, parcels } = await twoParcels();
  await move('2026-07-07T02:00:00Z');
  await arrive(parcels[0], '2026-07-07T01:00:00Z');
  await move('2026-07-10T02:00:00Z');
  await tell('shipment.tracking_updated', parcels[0], { status: 'lost' });
  expect(await daysOf(id, 'sale')).toEqual([
    [5_000n, '2026-07-07', '2026-07-14'],
    [-5_000n, '2026-07-10', '2026-07-14'],
  ]);
});

test('the first delivered parcel decides from when a refund counts, even if it is reported last', async () => {
  const { id, parcels } = await twoParcels();
  await move('2026-07-14T02:00:00Z');
  await arrive(parcels[1], '2026-07-13T01:00:00Z');
  await arrive(parcels[0], '2026-07-11T01:00:00Z');
  await tell('refund.created', id, { refund_id: 'rf_1', lines: [{ order_line_no: 1, amount_minor: 100 }] });
  expect(await daysOf(id, 'sale')).toEqual([
    [5_000n, '2026-07-13', '2026-07-20'],
    [5_000n, '2026-07-11', '2026-07-18'],
  ]);
  expect(await daysOf(id, 'refund')).toEqual([[-100n, '2026-07-14', '2026-07-18']]);
});

test('a changed hold counts for later deliveries, also of an order that is delivered in part', async () => {
  const { id, parcels } = await twoParcels();
  await arrive(parcels[0], '2026-07-14T01:30:00Z');
  await standing({ hold_days: 2 });
  await arrive(parcels[1], '2026-07-14T01:40:00Z');
  await standing({ hold_days: null });
  expect(await daysOf(id, 'sale')).toEqual([
    [5_000n, '2026-07-14', '2026-07-21'],
    [5_000n, '2026-07-14', '2026-07-16'],
  ]);
});
