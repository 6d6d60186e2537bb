/** Work of requests whose client has gone is stopped. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { create } from '../../../test/support/products.ts';
import { runOn } from '../../../test/support/test-server.ts';

const app = await startTestApp();

test('a write whose client goes away while it waits is undone, key and all', async () => {
  const seller = await app.seller();
  const { product_id, title } = await create(seller);
  const path = `/products/${product_id}`;
  const patch = { json: { title: 'Said by one who left' }, headers: { 'idempotency-key': 'gone-1' } };
  const leaving = new AbortController();
  await runOn(app.database.adminUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select from product where product_id = $1 for update', [product_id]);
    const left = fetch(`${app.url}/api/v1${path}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${seller.token}`,
        'content-type': 'application/json',
        ...patch.headers,
      },
      body: JSON.stringify(patch.json),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    const waiting =
      'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()';
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(1);
    leaving.abort();
    expect(await left).toBe('AbortError');
    // Another request is answered on the same event loop, so the server has seen the first client disconnect.
    await seller.call('GET', path);
    await holder.query('commit');
  });
  const inWork =
    "select from pg_stat_activity where datname = current_database() and xact_start is not null and query not ilike '%pg_stat_activity%' and application_name = 'spp-short'";
  await runOn(app.database.adminUrl, (client) =>
    expect.poll(async () => (await client.query(inWork)).rowCount).toBe(0),
  );
  expect((await seller.call('GET', path)).body).toMatchObject({ title });
  const again = await seller.call('PATCH', path, patch);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
});
