/** What topics of privacy law erase, and that it does not come back. */
import { expect, test } from 'vitest';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { orderPayload } from '../../../../demo/store-platform/payloads.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import {
  decided,
  logOf,
  ordersOf,
  poster,
  shopWithOrders,
} from '../../../../test/support/store-deliveries.ts';
import { commitImport, storeWith } from '../../../../test/support/store-imports.ts';
import { begin, readChannel, startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  conflictIn,
  createBody,
  issuesOf,
  linksOf,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const post = poster(stores);

test('a delivery about an erased order that is decided later does not bring it back', async () => {
  const { seller, shop, domain } = await shopWithOrders(stores);
  const early = shop.placeOrder();
  const late = shop.catalogue.addOrder();
  await shop.deliveries.idle();
  await decided(seller, 1);
  shop.comply('customers/redact', { orders_to_redact: [early.id, late.id] });
  await shop.deliveries.idle();
  await decided(seller, 2);
  expect(await ordersOf(seller)).toEqual([]);
  const updated = { ...early, updated_at: '2099-07-01T00:00:00Z' };
  for (const order of [late, updated])
    await post(exactJson(orderPayload(order)), { topic: 'orders/updated', shop: domain });
  expect((await decided(seller, 4)).slice(0, 2)).toMatchObject(
    Array(2).fill({ status: 'skipped', reason: 'order_erased' }),
  );
  expect(await ordersOf(seller)).toEqual([]);
  const other = shop.placeOrder();
  await shop.deliveries.idle();
  await decided(seller, 5);
  expect(await ordersOf(seller)).toMatchObject([{ external_order_id: String(other.id) }]);
});

const MARK = 'Zebrafink';

test('shop/redact erases links, issues and all texts of the store, and keeps products', async () => {
  const own = await shopOf(stores);
  const { seller, shop, channel_id, stock, send } = own;
  shop.addLocation(`${MARK} Street`);
  await create(seller, { seller_sku: 'BOTH', title: 'Here', price_minor: 100 });
  for (const sku of ['KEPT', 'BOTH']) {
    const made = stock({ title: `${MARK} ${sku}`, variants: [{ sku, barcode: barcode(), price: '9.00' }] });
    await send('products/create', createBody(made), 0);
  }
  const { link_id } = await conflictIn(own);
  expect(
    (await seller.call('PATCH', `/channels/links/${link_id}`, { json: { product_id: null } })).status,
  ).toBe(200);
  const waiting = await issuesOf(seller, 'state=open');
  expect(waiting.map(({ kind }) => kind)).toContain('field_conflict');
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ removal }) => removal?.status === 'done',
  );
  // An authorisation is open, and may end the channel again: the topic waits for it.
  expect((await begin(seller, own.domain)).status).toBe(201);
  shop.comply('shop/redact');
  await shop.deliveries.idle();
  expect(await logOf(seller, 'topic=shop/redact')).toMatchObject([{ status: 'received' }]);
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ status_reason }) => status_reason === 'erased',
  );
  const links = await linksOf(seller, channel_id);
  expect(links.map(({ state, fields }) => [state, fields])).toEqual([
    ['linked', []],
    ['linked', []],
  ]);
  expect(await issuesOf(seller, 'state=open')).toEqual([]);
  expect(
    (await issuesOf(seller, 'state=resolved')).filter(({ kind }) => kind === 'field_conflict'),
  ).toMatchObject([{ facts: {}, candidates: [], resolution: 'channel_erased' }]);
  expect((await readChannel(seller, channel_id)).locations).toEqual([]);
  const tables = ['channel', 'channel_link', 'channel_location', 'channel_level', 'integration_issue'];
  const found = await runOn(stores.database.adminUrl, async (client) => {
    const all = tables.map((name) => `select t::text as row from ${name} t where t.seller_id = $1`);
    return (await client.query<{ row: string }>(all.join(' union all '), [seller.seller_id])).rows;
  });
  expect(found.filter(({ row }) => row.includes(MARK))).toEqual([]);
  expect((await productsOf(seller)).map(({ seller_sku }) => seller_sku)).toContain('KEPT');
});

test('a preview that is committed after shop/redact links products by ids only', async () => {
  const seller = await stores.seller();
  const { channel_id, shop, preview } = await storeWith(stores, seller, [
    { title: `${MARK} mug`, variants: [{ sku: `${MARK}-1`, barcode: barcode() }] },
  ]);
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ removal }) => removal?.status === 'done',
  );
  shop.comply('shop/redact');
  await shop.deliveries.idle();
  await eventually(
    () => readChannel(seller, channel_id),
    ({ status_reason }) => status_reason === 'erased',
  );
  await commitImport(stores, seller, preview);
  expect((await productsOf(seller)).map(({ title }) => title)).toEqual([`${MARK} mug`]);
  const { rows } = await runOn(stores.database.adminUrl, (client) =>
    client.query<{ row: string; state: string }>(
      'select t::text as row, state from channel_link t where channel_id = $1',
      [channel_id],
    ),
  );
  expect(rows.map(({ state, row }) => [state, row.includes(MARK)])).toEqual([['linked', false]]);
});
