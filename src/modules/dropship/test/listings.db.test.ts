import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { placeOrder } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import {
  type Listing,
  listItem,
  mirrored,
  publishSupplier,
  readListing,
  unitsOf,
} from '../../../../test/support/supplier.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();

test('a listing shows what the supplier counts, and what the price leaves', async () => {
  const seller = await app.seller();
  const supplier = await publishSupplier(app);
  const [item] = supplier.items;
  if (item === undefined) throw new Error('no item');
  const listing = await listItem(seller, item);
  expect(listing).toMatchObject({
    ...{ status: 'paused', paused_reasons: ['availability_unknown'], buffer_units: 5 },
    ...{ on_hand_reported: null, available: 0, price_minor: 3_499 },
    cost: { unit_cost_minor: 1_840, fee_minor: 250 },
    missing_components: ['payment_processing'],
  });
  const estimate = await seller.call<{ data: { before_missing_minor: number }[] }>(
    'POST',
    '/fees/estimates',
    {
      json: { items: [{ price_minor: 3_499, category: 'Home > Kitchen > Mugs' }] },
    },
  );
  const net = estimate.body.data[0]?.before_missing_minor ?? 0;
  expect(listing).toMatchObject({ net_minor: net, margin_minor: net - 1_840 - 250 });
  expect(await supplier.count(20)).toBe('applied');
  await mirrored(seller, listing.product_id, [15, 0, 15]);
  expect(await readListing(seller, listing.listing_id)).toMatchObject({
    ...{ status: 'active', paused_reasons: [], on_hand_reported: 20, pending: 0, available: 15 },
  });
  // Counts in any order: the newest holds.
  expect(await supplier.count(90, 5)).toBe('stale');
  expect(await unitsOf(seller, listing.product_id)).toEqual([15, 0, 15]);
});

test('only the supplier’s count sets the stock: 409 stock_mirrored', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const supplier = await publishSupplier(app);
  const [item] = supplier.items;
  if (item === undefined) throw new Error('no item');
  const { product_id, sku, listing_id } = await listItem(seller, item);
  await supplier.count(20);
  await mirrored(seller, product_id, [15, 0, 15]);
  const stock = await seller.call('GET', `/products/${product_id}/inventory`);
  expect(stock.body).toMatchObject({ stock_source: 'supplier' });
  const refused: readonly (readonly [string, string, object])[] = [
    ['PUT', `/products/${product_id}/inventory`, { quantity: 99 }],
    ['POST', '/products/inventory/adjust', { seller_sku: sku, delta: 1 }],
    ['PATCH', `/products/${product_id}`, { quantity_on_hand: 99 }],
  ];
  for (const [method, path, json] of refused)
    expect(await seller.call(method, path, { json })).toMatchObject({
      ...{ status: 409, body: { code: 'stock_mirrored' } },
    });
  const list = await seller.call<{ results: object[] }>('POST', '/products/inventory/set', {
    json: { items: [{ seller_sku: sku, quantity: 99 }] },
  });
  expect(list.body.results).toMatchObject([{ status: 409, error: { code: 'stock_mirrored' } }]);
  const bulk = await seller.call<{ results: object[] }>('POST', '/products/bulk', {
    json: { items: [{ product: { seller_sku: sku, quantity_on_hand: 99 } }] },
  });
  expect(bulk.body.results).toMatchObject([{ status: 409, error: { code: 'stock_mirrored' } }]);
  // The reorder point is the seller's.
  const point = await seller.call('PUT', `/products/${product_id}/reorder-point`, {
    json: { reorder_point: 3 },
  });
  expect(point.status).toBe(200);
  expect(await unitsOf(seller, product_id)).toEqual([15, 0, 15]);
  const headers = { 'content-type': 'text/csv', 'idempotency-key': listing_id };
  const feed = await seller.call<{ counts: object; row_results: { messages: { code: string }[] }[] }>(
    ...(['POST', '/products/feed-runs'] as const),
    { headers, body: `seller_sku,title,quantity\n${sku},Another title,99\n` },
  );
  expect(feed.body).toMatchObject({ counts: { updated: 1, warnings: 1 } });
  expect(feed.body.row_results[0]?.messages).toMatchObject([{ code: 'stock_mirrored', severity: 'warning' }]);
  expect(await unitsOf(seller, product_id)).toEqual([15, 0, 15]);
  // An export fed back is unchanged.
  const file = await seller.call('GET', '/products/export?format=csv');
  const again = await seller.call('POST', '/products/feed-runs', {
    ...{ headers: { ...headers, 'idempotency-key': `${listing_id}2` }, body: file.text },
  });
  expect(again.body).toMatchObject({ counts: { rows: 1, unchanged: 1, warnings: 0 } });
});

test('a listing needs an item for dropship, a product without own stock, and neither twice', async () => {
  const [seller, other] = await Promise.all([app.seller(), app.seller()]);
  const supplier = await publishSupplier(app, 2);
  const [item, second] = supplier.items;
  if (item === undefined || second === undefined) throw new Error('no items');
  const list = (json: object, by = seller) => by.call<Listing>('POST', '/dropship/listings', { json });
  const { supplier_item_id } = item;
  const own = await create(seller, { quantity_on_hand: 3 });
  expect(await list({ supplier_item_id, product_id: own.product_id })).toMatchObject({
    ...{ status: 409, body: { code: 'own_stock_present', quantity_on_hand: 3 } },
  });
  const { product_id } = await listItem(seller, item);
  expect((await list({ supplier_item_id, product_id })).body).toMatchObject({ code: 'already_listed' });
  expect((await list({ supplier_item_id: second.supplier_item_id, product_id })).body).toMatchObject({
    code: 'already_listed',
  });
  expect((await list({ supplier_item_id: 'sit_none', product_id })).status).toBe(404);
  const foreign = await create(other, { quantity_on_hand: 0 });
  expect((await list({ ...second, supplier_sku: undefined, product_id: foreign.product_id })).status).toBe(
    404,
  );
  expect((await list({ supplier_item_id })).status).toBe(422);
  await supplier.publish({ dropship: null });
  expect((await list({ supplier_item_id: second.supplier_item_id, product_id })).body).toMatchObject({
    code: 'not_for_dropship',
  });
  await supplier.publish({ status: 'discontinued' });
  expect((await list({ supplier_item_id: second.supplier_item_id, product_id })).body).toMatchObject({
    code: 'item_discontinued',
  });
  const [abroad] = (await publishSupplier(app, 1, { currency: 'NZD' })).items;
  expect((await list({ supplier_item_id: abroad?.supplier_item_id, product_id })).body).toMatchObject({
    code: 'currency_mismatch',
  });
});

test('a listing can make a draft of the product, and a bulk request many', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const supplier = await publishSupplier(app, 2);
  const [first, second] = supplier.items.map(({ supplier_item_id }) => ({ supplier_item_id }));
  const product = { seller_sku: 'DROP-1', price_minor: 2_999 };
  const made = await seller.call<Listing>('POST', '/dropship/listings', { json: { ...first, product } });
  expect(made).toMatchObject({ status: 201, body: { price_minor: 2_999 } });
  const found = await seller.call('GET', `/products/${made.body.product_id}`);
  expect(found.body).toMatchObject({ status: 'draft', title: 'Stoneware mug, blue', brand: 'Bondi Clay' });
  const items = [
    { ...second, product: { seller_sku: 'DROP-2' } },
    { ...second, product: { seller_sku: 'DROP-3' } },
  ];
  const bulk = await seller.call<{ results: object[] }>('POST', '/dropship/listings/bulk', {
    json: { items },
  });
  expect(bulk.body).toMatchObject({
    counts: { items: 2, listed: 1, failed: 1 },
    results: [{ status: 201 }, { status: 409, error: { code: 'already_listed' } }],
  });
  // The product of the refused item was not made.
  const products = await seller.call<{ data: object[] }>('GET', '/products');
  expect(products.body.data).toHaveLength(2);
});

test('two bulk requests that name the same products in other orders do not wait for each other', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { items } = await publishSupplier(app, 2);
  const products = [
    await create(seller, { quantity_on_hand: 0 }),
    await create(seller, { quantity_on_hand: 0 }),
  ].map(({ product_id }) => product_id);
  const wanted = items.map(({ supplier_item_id }, index) => ({
    ...{ supplier_item_id, product_id: products[index] },
  }));
  const send = (some: readonly object[]) =>
    seller.call<{ counts: object }>('POST', '/dropship/listings/bulk', { json: { items: some } });
  // A transaction that holds the stock of both lets both requests begin.
  let both: ReturnType<typeof send>[] = [];
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from inventory where product_id = any($1) for update', [products]);
    both = [send(wanted), send(wanted.toReversed())];
    await eventually(
      () =>
        asOwner(
          app,
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ length }) => length >= 2,
    );
    await client.query('commit');
  });
  const counts = (await Promise.all(both)).map(({ status, body }) => [status, body.counts]);
  expect(counts).toContainEqual([200, { items: 2, listed: 2, failed: 0 }]);
  expect(counts).toContainEqual([200, { items: 2, listed: 0, failed: 2 }]);
});

test('pausing shows nothing for sale, resuming shows it again, ending leaves the reserved units', async () => {
  const seller = await app.seller();
  const supplier = await publishSupplier(app);
  const [item] = supplier.items;
  if (item === undefined) throw new Error('no item');
  const { listing_id, product_id, sku } = await listItem(seller, item, { buffer_units: 2 });
  await supplier.count(12);
  await mirrored(seller, product_id, [10, 0, 10]);
  const act = (verb: string) =>
    seller.call<Listing>('POST', `/dropship/listings/${listing_id}/${verb}`, { json: {} });
  expect((await act('pause')).body).toMatchObject({
    status: 'paused',
    paused_reasons: ['by_seller'],
    available: 0,
  });
  expect(await unitsOf(seller, product_id)).toEqual([0, 0, 0]);
  await supplier.publish({ status: 'discontinued' });
  await eventually(
    () => readListing(seller, listing_id),
    ({ paused_reasons }) => paused_reasons.length === 2,
  );
  expect((await act('resume')).body).toMatchObject({
    status: 'paused',
    paused_reasons: ['item_discontinued'],
  });
  await supplier.publish({});
  await mirrored(seller, product_id, [10, 0, 10]);
  const change = await seller.call<Listing>('PATCH', `/dropship/listings/${listing_id}`, {
    json: { buffer_units: 4 },
  });
  expect(change.body).toMatchObject({ buffer_units: 4, available: 8 });
  expect(await unitsOf(seller, product_id)).toEqual([8, 0, 8]);
  const stale = await seller.call('PATCH', `/dropship/listings/${listing_id}`, {
    json: { buffer_units: 1 },
    headers: { 'if-match': '"l1"' },
  });
  expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  // Units that are with the supplier keep the listing from ending.
  const order_id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const supply = (units: number) =>
    asOwner(app, 'update order_line set supplied = $2 where order_id = $1', [order_id, units]);
  await supply(2);
  expect(await act('end')).toMatchObject({ status: 409, body: { code: 'open_dropship_units', units: 2 } });
  await supply(0);
  expect((await act('end')).body).toMatchObject({ status: 'ended', paused_reasons: [] });
  expect(await unitsOf(seller, product_id)).toEqual([2, 2, 0]);
  expect((await act('pause')).body).toMatchObject({ code: 'invalid_transition' });
  const set = await seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 3 } });
  expect(set).toMatchObject({ status: 200, body: { stock_source: 'own', quantity_on_hand: 3 } });
  await placeOrder(app, seller, [{ sku, quantity: 1 }]);
  expect(await unitsOf(seller, product_id)).toEqual([3, 3, 0]);
});

test('a changed cost is told, the price stays, and a second seller sees nothing of it', async () => {
  const [seller, other] = await Promise.all([app.seller(), app.seller()]);
  const supplier = await publishSupplier(app);
  const [item] = supplier.items;
  if (item === undefined) throw new Error('no item');
  const { listing_id, price_minor, margin_minor } = await listItem(seller, item);
  await supplier.publish({ dropship: { unit_cost_minor: 1_990, fee_minor: 250 } });
  const after = await eventually(
    () => readListing(seller, listing_id),
    ({ cost }) => (cost as { unit_cost_minor: number }).unit_cost_minor === 1_990,
  );
  expect(after).toMatchObject({ price_minor, margin_minor: Number(margin_minor) - 150 });
  const told = await eventually(
    () => seller.call<{ data: { type: string }[] }>('GET', '/notifications'),
    ({ text }) => text.includes('cost_changed'),
  );
  expect(told.body.data.map(({ type }) => type)).toEqual(['dropship_listing.cost_changed']);
  expect((await other.call('GET', `/dropship/listings/${listing_id}`)).status).toBe(404);
  expect((await other.call<{ data: object[] }>('GET', '/dropship/listings')).body.data).toEqual([]);
  const paths = ['pause', 'resume', 'end'].map((verb) => `/dropship/listings/${listing_id}/${verb}`);
  for (const path of paths) expect((await other.call('POST', path, { json: {} })).status).toBe(404);
});
