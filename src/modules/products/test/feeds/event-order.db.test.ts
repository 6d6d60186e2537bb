/** Other writers move the stock of a product before a feed sets it. */
import { expect, test } from 'vitest';
import { applied, catalogueOf, csv, feed, goods, type Run } from '../../../../../test/support/feeds.ts';
import { apply, placement } from '../../../../../test/support/orders.ts';
import { runOn } from '../../../../../test/support/test-server.ts';
import { startWithoutWorkers } from '../../../../../test/support/webhook-workers.ts';

const { app, numberAll } = await startWithoutWorkers();

interface Told {
  readonly object_version: number;
  readonly data: {
    readonly object: {
      readonly product_id: string;
      readonly quantity_on_hand: number;
      readonly quantity_reserved: number;
    };
  };
}

test('the stock events of a feed come after those of writers that changed the stock before it', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const stockIs = (quantity: number) => csv(['A', 'B'].map((sku) => goods(sku, { quantity })));
  const stockEvents = async (id: string) => {
    await numberAll();
    const { body } = await seller.call<{ data: Told[] }>('GET', '/webhooks/events?types=inventory.*');
    return body.data
      .filter(({ data }) => data.object.product_id === id)
      .map(({ object_version, data: { object } }) => [
        object_version,
        object.quantity_on_hand,
        object.quantity_reserved,
      ]);
  };
  await applied(seller, stockIs(5));
  const products = await catalogueOf(seller);
  const [first = '', second = ''] = ['A', 'B'].map((sku) => String(products.get(sku)?.product_id)).sort();
  const skuOf = (id: string) => (products.get('A')?.product_id === id ? 'A' : 'B');
  expect(await stockEvents(second)).toEqual([[1, 5, 0]]);
  await runOn(app.database.adminUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select 1 from inventory where product_id = $1 for update', [first]);
    const fed = feed<Run>(seller, stockIs(9));
    const waiting =
      'select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()';
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBeGreaterThan(0);
    await apply(app, placement(app, seller, [{ sku: skuOf(second) }]));
    await holder.query('commit');
    expect((await fed).status).toBe(201);
  });
  expect(await stockEvents(second)).toEqual([
    [1, 5, 0],
    [2, 5, 1],
    [3, 9, 1],
  ]);
});
