/** Feeds and single writes change the same products: each change has one event, in the order of the object's changes. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  eventually,
  feed,
  goods,
  goodsFile,
  type Run,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const ask = <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
  runOn(app.database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

interface StoredEvent {
  readonly sequence: number;
  readonly type: string;
  readonly object_id: string;
  readonly object_version: number;
  readonly key: string | null;
}

test('runs and requests write their events once and in order', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const ROWS = 1_500;
  await applied(seller, goodsFile(ROWS, 'W'), { key: 'first' });
  const products = await catalogueOf(seller);
  const row = (index: number, title: string, quantity: number) =>
    goods(`W-${index + 1}`, { title, quantity });
  const runs = [1, 2, 3].map((round) =>
    feed<Run>(
      seller,
      csv(Array.from({ length: ROWS }, (_, index) => row(index, `Round ${round}`, 5 + round))),
      { key: `round ${round}`.replace(' ', '-') },
    ),
  );
  let over = false;
  const done = Promise.all(runs).finally(() => {
    over = true;
  });
  const patched: number[] = [];
  const patch = async (lane: number): Promise<void> => {
    for (let count = 0; !over; count += 1) {
      const { product_id } = products.get(`W-${1 + ((lane * 389 + count * 37) % ROWS)}`) ?? {
        product_id: '',
      };
      const answer = await seller.call('PATCH', `/products/${product_id}`, {
        json: { description: `${lane} ${count}` },
      });
      patched.push(answer.status);
      await seller.call('POST', '/products/inventory/adjust', {
        json: { adjustments: [{ product_id, delta: 1 }] },
      });
    }
  };
  const [answers] = await Promise.all([done, patch(1), patch(2), patch(3)]);
  expect(answers.map(({ status, body }) => [status, body.counts?.updated])).toEqual(
    Array(3).fill([201, ROWS]),
  );
  expect(new Set(patched)).toEqual(new Set([200]));
  await eventually(
    () => ask('select 1 from outbox where sequence is null union all select 1 from outbox_bulk', []),
    (rows) => rows.length === 0,
  );
  const events = await ask<StoredEvent>(
    "select sequence::int, type, object_id, object_version, correlation ->> 'idempotency_key' as key from outbox " +
      'where seller_id = $1 and sequence > 0 order by sequence',
    [seller.seller_id],
  );
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const current = await catalogueOf(seller);
  const versions = Map.groupBy(
    events.filter(({ type }) => ['product.created', 'product.updated'].includes(type)),
    ({ object_id }) => object_id,
  );
  for (const { product_id, version } of current.values())
    expect((versions.get(product_id) ?? []).map(({ object_version }) => object_version)).toEqual(
      Array.from({ length: version }, (_, index) => index + 1),
    );
  for (const key of ['first', 'round-1', 'round-2', 'round-3'])
    expect(events.findLast((event) => event.key === key)?.type).toBe('feed_run.completed');
  // No units are lost: the last run set them, and requests have added more since.
  const again = await applied(
    seller,
    csv(
      [...current.values()].map(({ seller_sku, quantity_on_hand, title }) =>
        goods(String(seller_sku), { title: String(title), quantity: quantity_on_hand ?? '' }),
      ),
    ),
  );
  expect(again.counts).toMatchObject({ rows: ROWS, unchanged: ROWS });
}, 240_000);

/** Statements that wait for a lock of another transaction. */
const WAITING =
  'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()';

test('a stock file keeps the reorder point that a request has set while the file waited for it', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await applied(seller, csv([goods('A', { quantity: 5, reorder_point: 2 })]));
  const id = (await catalogueOf(seller)).get('A')?.product_id ?? '';
  await runOn(app.database.adminUrl, async (holder) => {
    const waiting = (count: number) =>
      expect.poll(async () => (await holder.query(WAITING)).rowCount).toBe(count);
    await holder.query('begin');
    await holder.query('select from inventory where product_id = $1 for update', [id]);
    const set = seller.call('PUT', `/products/${id}/reorder-point`, { json: { reorder_point: 9 } });
    await waiting(1);
    const file = feed<Run>(seller, csv([{ seller_sku: 'A', quantity: 30 }]), { query: 'mode=inventory' });
    await waiting(2);
    await holder.query('commit');
    expect((await set).status).toBe(200);
    expect((await file).body.counts).toMatchObject({ updated: 1 });
  });
  expect((await catalogueOf(seller)).get('A')).toMatchObject({ quantity_on_hand: 30, reorder_point: 9 });
});
