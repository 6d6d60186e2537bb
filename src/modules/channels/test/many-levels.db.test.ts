/** Levels of a store that wait together are decided in few transactions, each as if it were decided by itself. */
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { claimsOf } from '../../../../test/support/jobs.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();
const { adminUrl } = stores.database;
const now = (): number => stores.app.services.now();
type Store = Awaited<ReturnType<typeof storeWith>>;
type Goods = Awaited<ReturnType<Store['linked']>>;

/** Sends while the channel is locked, so that all deliveries wait. */
async function together({ channel_id }: Store, send: () => Promise<unknown>): Promise<void> {
  await runOn(adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from channel where channel_id = $1 for no key update', [channel_id]);
    await send();
    await client.query('rollback');
  });
}
const linkedGoods = async (store: Store, count: number, ...levels: number[]): Promise<Goods[]> => {
  const all: Goods[] = [];
  for (let number = 0; number < count; number += 1) all.push(await store.linked(...levels));
  return all;
};

test('many levels are applied in few transactions, each with its own history, event and entry', async () => {
  const store = await storeWith(stores);
  const rows = <Row extends object>(text: string) =>
    runOn(adminUrl, async (client) => (await client.query<Row>(text, [store.seller.seller_id])).rows);
  const goods = await linkedGoods(store, 12, 5);
  const claims = await claimsOf(adminUrl, 'channels.deliveries');
  const at = now() + 60_000;
  await together(store, () =>
    Promise.all(goods.map(({ item }, index) => store.say(item, index === 0 ? 5 : 10 + index, at))),
  );
  const waiting = () => rows("select from channel_delivery where seller_id = $1 and status = 'received'");
  await eventually(waiting, (all) => all.length === 0);
  expect(await claims()).toBeLessThan(goods.length);
  const decided = (await store.decided()).filter(({ object_key }) =>
    goods.some(({ item }) => object_key === `level:${item}:${store.places[0]}`),
  );
  const latest = goods.map(({ item }) => {
    const [one] = decided.filter(({ object_key }) => object_key.startsWith(`level:${item}:`));
    return one;
  });
  // The first one says what is known of the quantity.
  expect(latest.map((one) => one?.status)).toEqual(['no_effect', ...Array(11).fill('applied')]);
  const units = await Promise.all(goods.map(async (one) => (await store.units(one))[0]));
  expect(units).toEqual(goods.map((_, index) => (index === 0 ? 5 : 10 + index)));
  const transactions = await rows<{ transaction: string }>(
    `select distinct xmin::text as transaction from channel_delivery
      where seller_id = $1 and status = 'applied' and object_key like 'level:%' and topic = 'inventory_levels/update'`,
  );
  expect(transactions.length).toBeLessThan(11);
  for (const [index, { product_id }] of goods.entries()) {
    if (index === 0) continue;
    const { body } = await store.seller.call<{ data: object[] }>('GET', `/products/${product_id}/history`);
    expect(body.data[0]).toMatchObject({
      ...{ action: 'stock_set', delivery_id: latest[index]?.delivery_id },
      changes: [{ field: 'quantity_on_hand', before: 5, after: 10 + index }, { field: 'reason' }],
    });
  }
  const events = await eventually(
    async () =>
      (
        await store.seller.call<{
          data: { data: { object: { product_id?: string } }; correlation: { delivery_id?: string } }[];
        }>('GET', '/webhooks/events?limit=200')
      ).body.data.filter(({ correlation }) =>
        decided.some((one) => one.delivery_id === correlation.delivery_id),
      ),
    (found) => found.length >= 11,
  );
  for (const { data, correlation } of events) {
    const index = goods.findIndex(({ product_id }) => product_id === data.object.product_id);
    expect(correlation.delivery_id).toBe(latest[index]?.delivery_id);
  }
  const entries = await rows<{ entries: number }>(
    `select count(*)::int as entries from audit_entry
      where seller_id = $1 and action = 'inventory_levels/update' and actor_kind = 'channel'`,
  );
  expect(entries).toEqual([{ entries: 11 }]);
});

test('an old level, one of an item that is unknown, and two of one item are decided beside them', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const [plain, old, twice] = await linkedGoods(store, 3, 5, 5);
  if (plain === undefined || old === undefined || twice === undefined) throw new Error('no goods');
  const unknown = await store.goods(4);
  const at = now() + 60_000;
  await together(store, () =>
    Promise.all([
      store.say(plain.item, 7, at),
      store.say(old.item, 1, at - 3_600_000),
      store.say(twice.item, 8, at),
      store.say(twice.item, 1, at, 1),
      store.say(unknown.item, 3, at),
    ]),
  );
  await store.decided();
  expect(await store.row(plain)).toEqual([12, 12, 12, 0, 0, 12]);
  expect(await store.row(old)).toEqual([10, 10, 10, 0, 0, 10]);
  expect(await store.row(twice)).toEqual([9, 9, 9, 0, 0, 9]);
  expect((await store.issues()).map(({ kind }) => kind)).toEqual(['unknown_inventory_item']);
});
