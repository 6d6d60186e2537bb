/** Dropship orders from placement to parcel, on the service's clock. Source: docs/design/supply.md#dropship-orders. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  dropshipOf,
  dropshipShop,
  dropshipsOf,
  moveClock,
  routedOrder,
  supplierOf,
} from '../../../../test/support/dropship.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  apply,
  eventTypesOf,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  TRACKING,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { listItem, mirrored, readListing, unitsOf } from '../../../../test/support/supplier.ts';
import { joinTeam } from '../../../../test/support/team.ts';

// A Monday morning in Sydney.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const SENT = ({ status }: { readonly status: string }): boolean => status === 'sent';

test('counts, orders, answers and a late count end in stock to the unit', async () => {
  const shop = await dropshipShop(app, 15);
  const { supplier, listing } = shop;
  let { seller } = shop;
  const wait = async (minutes: number): Promise<void> => {
    await moveClock(app, minutes);
    seller = await seller.renew();
  };
  const figures = async () => {
    const { on_hand_reported: a, pending: p } = await readListing(seller, listing.listing_id);
    return [a, p, ...(await unitsOf(seller, listing.product_id))];
  };
  const end = (expected: readonly number[]) =>
    eventually(figures, (found) => JSON.stringify(found) === JSON.stringify(expected));
  await end([20, 0, 15, 0, 15]);
  const asOf = app.app.services.now();
  await wait(1);
  const first = await placeOrder(app, seller, [{ sku: listing.sku, quantity: 4 }]);
  await end([20, 4, 15, 4, 11]);
  await wait(3);
  const one = await dropshipOf(seller, first, SENT);
  expect(await supplierOf(app, seller, one.dropship_order_id).answer(4)).toBe('applied');
  await end([20, 4, 15, 4, 11]);
  await wait(1);
  await supplier.count(16);
  await end([16, 0, 15, 4, 11]);
  expect(await supplier.count(20, (app.app.services.now() - asOf) / 60_000)).toBe('stale');
  const second = await placeOrder(app, seller, [{ sku: listing.sku, quantity: 12 }]);
  await end([16, 11, 15, 15, 0]);
  expect((await readOrder(seller, second)).attention).toContain('oversold');
  await wait(3);
  const two = await dropshipOf(seller, second, SENT);
  expect(two.lines[0]?.quantities).toMatchObject({ routed: 11, sent: 11 });
  await supplier.count(9);
  await end([9, 11, 15, 15, 0]);
  await wait(1);
  const by = supplierOf(app, seller, two.dropship_order_id);
  expect(await by.answer(9, 2)).toBe('applied');
  await end([0, 9, 15, 15, 0]);
  expect((await dropshipOf(seller, second)).lines[0]?.quantities).toMatchObject({
    ...{ accepted_open: 9, returned: 2 },
  });
  expect(await supplierOf(app, seller, one.dropship_order_id).ship(4)).toBe('applied');
  await end([0, 9, 11, 11, 0]);
  await wait(1);
  await supplier.count(3);
  await end([3, 0, 11, 11, 0]);
  await apply(
    app,
    orderEvent(app, seller, 'order.cancelled', second, { lines: [{ order_line_no: 1, quantity: 3 }] }),
  );
  await wait(1);
  await supplier.count(30);
  await end([30, 0, 34, 9, 25]);
  expect((await dropshipOf(seller, second)).lines[0]?.quantities).toMatchObject({
    ...{ accepted_open: 9, returned: 0, cancelled: 2 },
  });
});

test('the supplier learns name and street after it has accepted, and nothing of an order cancelled before', async () => {
  const shop = await dropshipShop(app, 10);
  let { seller } = shop;
  const gone = await routedOrder(app, shop);
  await apply(app, orderEvent(app, seller, 'order.cancelled', gone.order_id, {}));
  await dropshipOf(seller, gone.order_id, ({ status }) => status === 'cancelled');
  const { order_id, dropship } = await routedOrder(app, shop);
  expect(dropship).toMatchObject({ status: 'queued', sent_at: null, allowed_actions: ['take_over'] });
  const refused = await post(seller, `${order_id}/accept`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'supplied_by_dropship' } });
  await moveClock(app, 3);
  seller = await seller.renew();
  const sent = await dropshipOf(seller, order_id, SENT);
  const told = await marketplaceEvents(app, seller, 'dropship_order.', 1);
  expect(told.map(({ type }) => type)).toEqual(['dropship_order.sent']);
  expect(told[0]?.data.object).toMatchObject({
    ...{ dropship_order_id: sent.dropship_order_id, supplier_id: shop.supplier.supplier_id },
    destination: { state: 'NSW', postcode: '2000', country: 'AU' },
    lines: [{ line_no: 1, quantity: 3, unit_cost_minor: 1_840 }],
  });
  expect(JSON.stringify(told)).not.toMatch(/Mia|George|Sydney/);
  const by = supplierOf(app, seller, sent.dropship_order_id);
  expect(await by.answer(3, 0, { fee_minor: 251 })).toBe('price_above_published');
  expect(await by.answer(4)).toBe('units_gone');
  const event = by.answerEvent(3);
  expect(await by.send(event)).toBe('applied');
  // The same answer under another id of the event changes nothing.
  expect(await by.send({ ...event, id: 'again-1' })).toBe('stale');
  const order = await readOrder(seller, order_id);
  expect(order).toMatchObject({ status: 'accepted', lines: [{ quantities: { accepted_open: 3 } }] });
  // Support reads orders and no costs.
  const support = await joinTeam(app, seller, ['support']);
  const shown = await support.call('GET', `/dropship/orders/${sent.dropship_order_id}`);
  expect([shown.status, shown.body]).toMatchObject([
    ...[200, { fee_minor: null, freight_minor: null, lines: [{ unit_cost_minor: null }] }],
  ]);
  expect((await support.call('GET', `/dropship/listings/${shop.listing.listing_id}`)).status).toBe(403);
  const after = await marketplaceEvents(app, seller, 'dropship_order.', 2);
  expect(after[1]).toMatchObject({
    type: 'dropship_order.address_released',
    data: { object: { ship_to: { name: 'Mia Chen', line1: '1 George Street' }, lines: [{ quantity: 3 }] } },
  });
  // Sellers do not read it.
  const feed = await seller.call<{ data: { type: string }[] }>('GET', '/webhooks/events?limit=100');
  expect(feed.text).not.toContain('address_released');
  const stored = await asOwner(
    app,
    `select jsonb_agg(o)::text || (select jsonb_agg(l)::text from dropship_order_line l) ||
            (select jsonb_agg(f)::text from dropship_fact f) as all from dropship_order o`,
    [],
  );
  expect(JSON.stringify(stored)).not.toMatch(/Mia|George|2000/);
  const pack = await post(seller, `${order_id}/shipments`);
  expect(pack.body).toMatchObject({ code: 'supplied_by_dropship' });
  // Two of three units are in one parcel.
  const shipped = by.shipEvent(2, { supplier_shipment_id: 's-1' });
  expect(await by.send(shipped)).toBe('applied');
  const part = await readOrder(seller, order_id);
  expect(part).toMatchObject({
    status: 'partially_shipped',
    shipments: [{ origin: 'supplier', tracking_number: '2JD020603601000931508', lines: [{ quantity: 2 }] }],
  });
  const [parcel] = part.shipments;
  const path = `${order_id}/shipments/${parcel?.shipment_id}`;
  const label = { carrier: 'own', service: 'standard' };
  const bought = await post(seller, `${path}/label`, label, { 'idempotency-key': order_id });
  expect(bought).toMatchObject({ status: 409, body: { code: 'supplied_by_dropship' } });
  const fix = await seller.call('PATCH', `/orders/${path}/tracking`, { json: TRACKING });
  expect(fix).toMatchObject({ status: 409, body: { code: 'supplied_by_dropship' } });
  await moveClock(app, 1);
  const corrected = by.shipEvent(2, {
    supplier_shipment_id: 's-1',
    carrier: 'corgi',
    tracking_number: 'C-1',
  });
  expect(await by.send(corrected)).toBe('applied');
  expect(await by.send({ ...shipped, id: 'again-2' })).toBe('stale');
  expect(await by.ship(1, { supplier_shipment_id: 's-1' })).toBe('id_reused');
  expect((await readOrder(seller, order_id)).shipments).toMatchObject([
    { carrier: 'corgi', tracking_number: 'C-1', tracking_url: null },
  ]);
  await apply(app, orderEvent(app, seller, 'shipment.delivered', parcel?.shipment_id ?? '', {}));
  expect((await readOrder(seller, order_id)).lines[0]?.quantities).toMatchObject({ delivered: 2 });
  expect(await dropshipOf(seller, order_id)).toMatchObject({
    ...{ status: 'accepted', shipments: [{ carrier: 'corgi', shipment_id: parcel?.shipment_id }] },
    lines: [{ quantities: { routed: 3, accepted_open: 1, shipped: 2 } }],
  });
  const history = await seller.call<{ data: { kind: string }[] }>(
    'GET',
    `/dropship/orders/${sent.dropship_order_id}/history`,
  );
  expect(history.body.data.map(({ kind }) => kind)).toEqual([
    ...['correct_parcel', 'ship', 'answer', 'send', 'route'],
  ]);
});

test('units that a supplier rejects are the seller’s, who accepts and sends them by hand', async () => {
  const shop = await dropshipShop(app, 10);
  let { seller } = shop;
  const { order_id } = await routedOrder(app, shop);
  await moveClock(app, 3);
  seller = await seller.renew();
  const sent = await dropshipOf(seller, order_id, SENT);
  expect(await supplierOf(app, seller, sent.dropship_order_id).answer(0, 3)).toBe('applied');
  const order = await readOrder(seller, order_id);
  expect(order).toMatchObject({ status: 'awaiting_acceptance', lines: [{ quantity_supplied: 0 }] });
  expect(await dropshipOf(seller, order_id)).toMatchObject({
    ...{ status: 'returned', attention: ['with_seller'], act_by: order.deadlines['accept_by'] },
  });
  const notices = await eventually(
    () => seller.call<{ data: { type: string; severity: string }[] }>('GET', '/notifications'),
    ({ text }) => text.includes('returned_to_seller'),
  );
  expect(notices.body.data).toContainEqual(
    expect.objectContaining({ type: 'dropship_order.returned_to_seller', severity: 'critical' }),
  );
  // A late acceptance counts only while the seller has not touched the units.
  expect((await post(seller, `${order_id}/accept`)).status).toBe(200);
  expect(await supplierOf(app, seller, sent.dropship_order_id).answer(3)).toBe('units_gone');
  await shipAll(seller, order_id);
  expect((await readOrder(seller, order_id)).status).toBe('shipped');
  await dropshipOf(seller, order_id, ({ attention }) => attention.length === 0);
});

test('without an answer the units go back at respond_by, and the order expires as any order', async () => {
  const shop = await dropshipShop(app, 10);
  let { seller } = shop;
  const { order_id } = await routedOrder(app, shop);
  const late = await routedOrder(app, shop);
  await moveClock(app, 3);
  seller = await seller.renew();
  const sent = await dropshipOf(seller, order_id, SENT);
  expect(Date.parse(String(sent['respond_by'])) - Date.parse(String(sent['sent_at']))).toBe(12 * 3_600_000);
  const answeredAt = new Date(app.app.services.now()).toISOString();
  await moveClock(app, 12 * 60);
  seller = await seller.renew();
  await dropshipOf(seller, order_id, ({ status }) => status === 'returned');
  const told = await marketplaceEvents(app, seller, 'dropship_order.cancel_requested', 2);
  expect(told[0]?.data.object).toMatchObject({ reason: 'no_answer', lines: [{ quantity: 3 }] });
  const after = await dropshipOf(seller, late.order_id, ({ status }) => status === 'returned');
  const by = supplierOf(app, seller, after.dropship_order_id);
  expect(await by.answer(3)).toBe('units_gone');
  // Told late, but said in time.
  expect(await by.answer(3, 0, { accepted_at: answeredAt }, { time: answeredAt })).toBe('applied');
  expect((await readOrder(seller, late.order_id)).status).toBe('accepted');
  await moveClock(app, 12 * 60);
  seller = await seller.renew();
  expect((await readOrder(seller, order_id)).status).toBe('rejected');
  await dropshipOf(seller, order_id, ({ status }) => status === 'cancelled');
  expect(await eventTypesOf(app, seller, sent.dropship_order_id)).toEqual([
    ...['created', 'sent', 'returned_to_seller', 'cancel_requested', 'cancelled'].map(
      (name) => `dropship_order.${name}`,
    ),
  ]);
});

test('a seller takes units over before they are sent, and two lines of a product stay two', async () => {
  const shop = await dropshipShop(app, 10);
  const { listing, seller: first } = shop;
  const other = await app.seller();
  const { order_id, dropship } = await routedOrder(app, shop, [{ sku: listing.sku, quantity: 2 }]);
  expect(dropship.lines.map(({ quantities }) => quantities['queued'])).toEqual([3, 2]);
  const path = `/dropship/orders/${dropship.dropship_order_id}`;
  for (const [method, at] of [
    ['GET', ''] as const,
    ['GET', '/history'] as const,
    ['POST', '/take-over'] as const,
  ])
    expect((await other.call(method, path + at, method === 'POST' ? { json: {} } : {})).status).toBe(404);
  expect(await dropshipsOf(other, order_id)).toEqual([]);
  const take = (quantity: number, index = 0) =>
    first.call('POST', `${path}/take-over`, {
      json: { lines: [{ order_line_id: dropship.lines[index]?.order_line_id, quantity }] },
    });
  expect(await take(4)).toMatchObject({ status: 409, body: { code: 'quantity_exceeds_open', open: 3 } });
  expect((await take(1)).body).toMatchObject({
    lines: [{ quantities: { queued: 2, cancelled: 1 } }, { quantities: { queued: 2 } }],
  });
  const accepted = await post(first, `${order_id}/accept`);
  expect(accepted.body.lines[0]?.quantities).toMatchObject({ accepted_open: 1, awaiting: 2 });
  // Units that were taken over are in no count of the supplier.
  await mirrored(first, listing.product_id, [11, 5, 6]);
  await moveClock(app, 3);
  const seller = await first.renew();
  const sent = await dropshipOf(seller, order_id, SENT);
  expect((await seller.call('POST', `${path}/take-over`, { json: {} })).body).toMatchObject({
    code: 'quantity_exceeds_open',
  });
  // Another seller's event does not reach it.
  expect(await supplierOf(app, other, sent.dropship_order_id).answer([2, 2])).toBe('order_not_found');
  expect(await supplierOf(app, seller, sent.dropship_order_id).answer([2, 2])).toBe('applied');
  expect(
    (await readOrder(seller, order_id)).lines.map(({ quantities }) => quantities['accepted_open']),
  ).toEqual([...[3, 2]]);
  await mirrored(seller, listing.product_id, [11, 5, 6]);
});

test('a newer count from before our sale brings no unit back, one after it subtracts nothing twice', async () => {
  const { seller: first, supplier, listing } = await dropshipShop(app, 15);
  await moveClock(app, 5);
  const order_id = await placeOrder(app, await first.renew(), [{ sku: listing.sku, quantity: 4 }]);
  await moveClock(app, 3);
  const seller = await first.renew();
  const { dropship_order_id } = await dropshipOf(seller, order_id, SENT);
  expect(await supplierOf(app, seller, dropship_order_id).answer(4)).toBe('applied');
  const figures = async () => {
    await app.app.services.jobs.runDue();
    const { on_hand_reported: a, pending: p } = await readListing(seller, listing.listing_id);
    return [a, p, ...(await unitsOf(seller, listing.product_id))];
  };
  expect(await supplier.count(21, 4)).toBe('applied');
  expect(await figures()).toEqual([21, 4, 16, 4, 12]);
  expect(await supplier.count(17)).toBe('applied');
  expect(await figures()).toEqual([17, 0, 16, 4, 12]);
});

test('an acceptance, or a parcel, of before the supplier was asked does not hide behind an older count', async () => {
  const { seller: first, listing } = await dropshipShop(app, 15);
  await moveClock(app, 5);
  let seller = await first.renew();
  const sell = async () => {
    const order_id = await placeOrder(app, seller, [{ sku: listing.sku, quantity: 4 }]);
    await moveClock(app, 3);
    seller = await seller.renew();
    return dropshipOf(seller, order_id, SENT);
  };
  const figures = async () => {
    await app.app.services.jobs.runDue();
    const { on_hand_reported: a, pending: p, available } = await readListing(seller, listing.listing_id);
    return [a, p, available];
  };
  const early = new Date(app.app.services.now() - 3_600_000).toISOString();
  const one = await sell();
  const accepting = supplierOf(app, seller, one.dropship_order_id);
  const answer = accepting.answerEvent(4, 0, { accepted_at: early });
  expect(await accepting.send(answer)).toBe('applied');
  // The supplier has counted 20 before the sale; 5 are the buffer.
  expect(await figures()).toEqual([20, 4, 11]);
  expect(await accepting.send({ ...answer, id: 'again-early' })).toBe('stale');
  const two = await sell();
  expect(await supplierOf(app, seller, two.dropship_order_id).ship(4, { shipped_at: early })).toBe('applied');
  expect(await figures()).toEqual([20, 8, 7]);
  const { shipments } = await dropshipOf(seller, two.order_id);
  expect(shipments).toMatchObject([{ shipped_at: two['sent_at'] }]);
});

test('what was accepted of an item, and that it is out of stock, hold when the item is listed anew', async () => {
  const { seller: first, supplier, listing } = await dropshipShop(app, 15);
  const [item = { supplier_item_id: '', supplier_sku: '' }] = supplier.items;
  let seller = first;
  const sell = async (sku: string) => {
    const id = await placeOrder(app, seller, [{ sku, quantity: 10 }]);
    await moveClock(app, 3);
    seller = await seller.renew();
    const { dropship_order_id } = await dropshipOf(seller, id, SENT);
    return { id, by: supplierOf(app, seller, dropship_order_id) };
  };
  const relist = async (listing_id: string) => {
    const ended = await seller.call('POST', `/dropship/listings/${listing_id}/end`, { json: {} });
    expect(ended.status).toBe(200);
    return listItem(seller, item);
  };
  const shipped = await sell(listing.sku);
  expect(await shipped.by.answer(10)).toBe('applied');
  expect(await shipped.by.ship(10)).toBe('applied');
  // The count of 20 is from before the sale; 5 are the buffer.
  const second = await relist(listing.listing_id);
  expect(await readListing(seller, second.listing_id)).toMatchObject({
    ...{ on_hand_reported: 20, pending: 10, available: 5 },
  });
  await supplier.count(20);
  await mirrored(seller, second.product_id, [15, 0, 15]);
  const refused = await sell(second.sku);
  expect(await refused.by.answer(0, 10)).toBe('applied');
  await post(seller, `${refused.id}/reject`, { reason: 'out_of_stock' });
  const third = await relist(second.listing_id);
  expect(third).toMatchObject({ on_hand_reported: 0, available: 0 });
});

test('units of a mirrored product that come back are recorded and not added', async () => {
  const shop = await dropshipShop(app, 10);
  const { order_id } = await routedOrder(app, shop);
  await moveClock(app, 3);
  const seller = await shop.seller.renew();
  const { dropship_order_id, lines } = await dropshipOf(seller, order_id, SENT);
  const order_line_id = lines[0]?.order_line_id;
  const by = supplierOf(app, seller, dropship_order_id);
  expect([await by.answer(3), await by.ship(3)]).toEqual(['applied', 'applied']);
  const asked = { return_id: 'r1', lines: [{ order_line_no: 1, quantity: 2 }] };
  const respond_by = new Date(app.app.services.now() + 86_400_000).toISOString();
  await apply(app, orderEvent(app, seller, 'order.delivered', order_id, {}));
  await apply(app, orderEvent(app, seller, 'return.requested', order_id, { ...asked, respond_by }));
  const before = await unitsOf(seller, shop.listing.product_id);
  const step = (verb: string) => post<Record<string, unknown>>(seller, `${order_id}/returns/r1/${verb}`, {});
  await step('accept');
  await step('receive');
  expect((await step('inspect')).body).toMatchObject({
    lines: [{ received: 2, compliant: true, restocked: 0 }],
    warnings: [{ order_line_id, code: 'stock_mirrored' }],
  });
  expect(await unitsOf(seller, shop.listing.product_id)).toEqual(before);
});
