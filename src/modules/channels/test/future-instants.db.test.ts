/** Deliveries with instants of the future: what the store says afterwards still counts. */
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  decided,
  logOf,
  ordersOf,
  poster,
  shopWithOrders,
} from '../../../../test/support/store-deliveries.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { barcode, createBody, productsOf, shopOf } from '../../../../test/support/store-products.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const now = (): number => stores.app.services.now();
const FAR = '2999-06-01T00:00:00Z';
const AHEAD_MS = 600_000;

test('a level of the future is replaced by the next one', async () => {
  const store = await storeWith(stores);
  const goods = await store.linked(8);
  await store.say(goods.item, 6, Date.parse(FAR));
  expect((await store.row(goods))[0]).toBe(6);
  await store.say(goods.item, 5, now() + 1_000);
  expect((await store.row(goods))[0]).toBe(5);
});

test('a level that is a little ahead keeps its instant, because clocks differ', async () => {
  const store = await storeWith(stores);
  const goods = await store.linked(8);
  await store.say(goods.item, 6, now() + AHEAD_MS / 2);
  expect((await store.row(goods))[0]).toBe(6);
  await store.say(goods.item, 5, now() + 1_000);
  expect((await store.row(goods))[0]).toBe(6);
  expect((await store.decided())[0]).toMatchObject({ status: 'stale' });
});

test('a product of the future is replaced by the next one', async () => {
  const { seller, stock, send } = await shopOf(stores);
  const made = stock({ title: 'One', variants: [{ sku: 'MUG', barcode: barcode() }] }, 0);
  await send('products/create', { ...createBody(made), updated_at: FAR }, 0);
  const updated_at = new Date(now() + 1_000).toISOString();
  const next = await send('products/update', { ...createBody(made), title: 'Two', updated_at }, 1);
  expect(next).toMatchObject({ status: 'applied' });
  expect(await productsOf(seller)).toMatchObject([{ title: 'Two' }]);
});

test('a deletion that a header dates to the future is no deletion of what comes next', async () => {
  const { seller, domain, stock, send, post } = await shopOf(stores);
  const made = stock({ title: 'One', variants: [{ sku: 'MUG', barcode: barcode() }] }, 0);
  await send('products/create', createBody(made), 0);
  const headers = { 'x-shopify-triggered-at': FAR };
  await post(`{"id":${made.id}}`, { topic: 'products/delete', shop: domain, headers });
  const [deletion] = await eventually(
    () => logOf(seller, '&topic=products/delete'),
    ([one]) => one !== undefined && one.status !== 'received',
  );
  expect(Date.parse(deletion?.triggered_at ?? FAR)).toBeLessThanOrEqual(now());
  const updated_at = new Date(now() + 1_000).toISOString();
  const back = await send('products/update', { ...createBody(made), title: 'Back', updated_at }, 1);
  expect(back).toMatchObject({ status: 'applied' });
});

test('an order of the future is replaced by its next state', async () => {
  const { seller, domain } = await shopWithOrders(stores);
  const post = poster(stores);
  const order = { id: 5, name: '#1', currency: 'AUD', total_price: '1.00', line_items: [] };
  const say = (more: object) =>
    post(JSON.stringify({ ...order, ...more }), { topic: 'orders/updated', shop: domain });
  await say({ updated_at: FAR, financial_status: 'pending' });
  await decided(seller, 1);
  await say({ updated_at: new Date(now() + 1_000).toISOString(), financial_status: 'paid' });
  await decided(seller, 2);
  expect(await ordersOf(seller)).toMatchObject([{ financial_status: 'paid' }]);
});
