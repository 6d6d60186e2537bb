/** Acknowledging while the sequencer updates open notifications. */
import { expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { create } from '../../../../test/support/products.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberOnce, numberAll, sqlAs } = await startWithoutWorkers();

const stock = async (seller: TestSeller, ids: readonly string[], quantity_on_hand: number): Promise<void> => {
  for (const id of ids) await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand } });
};
const waiting = async () =>
  (
    await sqlAs(
      'select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
      [],
    )
  ).rows.length;

test.each([
  ['up to a number', 'the later one first', 1],
  ['by their ids', 'in their order', 0],
])('acknowledging %s and numbering do not deadlock', async (how, order, held) => {
  const seller = await app.seller();
  const ids: string[] = [];
  for (const seller_sku of ['MUG-1', 'MUG-2'])
    ids.push((await create(seller, { seller_sku, quantity_on_hand: 2 })).product_id);
  // The later product runs out first, so the notifications and the products have different orders.
  // So many others that PostgreSQL reads them by their ids.
  await sqlAs(
    'insert into notification (seller_id, notification_id, sequence, event_id, type, severity, title, object_id, occurred_at, expires_at) ' +
      "select $1::text, 'ntf_' || n, -n, 'evt_' || n, 'inventory.out_of_stock', 'warning', 'Sold out', 'prd_' || n, now(), now() + interval '90 d' " +
      'from generate_series(1, 2000) n',
    [seller.seller_id],
  );
  await sqlAs('analyze notification', []);
  const reversed = ids.toReversed();
  for (const id of reversed) {
    await stock(seller, [id], 0);
    await numberAll();
  }
  const { data } = (
    await seller.call<{ data: { notification_id: string; sequence: number }[] }>('GET', '/notifications')
  ).body;
  await stock(seller, ids, 5);
  await stock(seller, order === 'in their order' ? ids : reversed, 0);

  const json =
    how === 'by their ids'
      ? { ids: data.map(({ notification_id }) => notification_id) }
      : { up_to: data[0]?.sequence };
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from notification where object_id = $1 for update', [ids[held]]);
    const numbering = numberOnce();
    await expect.poll(waiting, POLL).toBe(1);
    const acknowledging = seller.call('POST', '/notifications/ack', { json });
    await expect.poll(waiting, POLL).toBe(2);
    await client.query('commit');
    expect(await numbering).toBeGreaterThan(0);
    expect((await acknowledging).status).toBe(200);
  });
});
