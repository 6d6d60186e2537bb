/** The test decides when a worker polls: what happens between two polls, and what a worker leaves to the next one. */
import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { csv, goods } from '../../../../test/support/feeds.ts';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
import { act, addEndpoint, addProduct, deliveriesOf, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberAll, numberOnce, worker, sqlAs } = await startWithoutWorkers();

const rename = (
  seller: { call: Awaited<ReturnType<typeof app.seller>>['call'] },
  id: string,
  title: string,
) => seller.call('PATCH', `/products/${id}`, { json: { title } });
const titles = (received: readonly Received[]): unknown[] =>
  received.map(({ event }) => event.data.object['title']);
test('deliveries that were read while the endpoint was paused are not sent', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
  for (const sku of ['P-1', 'P-2', 'P-3']) await addProduct(seller, sku);
  await numberAll();
  const gate = Promise.withResolvers<void>();
  const made = Promise.withResolvers<void>();
  const one = worker({
    after: async (name) => {
      if (name !== 'makeDeliveries') return;
      made.resolve();
      await gate.promise;
    },
  });
  await one.poll();
  await made.promise;
  await act(seller, endpoint_id, 'pause');
  await one.poll();
  gate.resolve();
  await rest(50);
  for (let polls = 0; polls < 5; polls += 1) await one.poll();
  expect(receiver.received).toEqual([]);
  await act(seller, endpoint_id, 'resume');
  one.go();
  await expect.poll(() => receiver.received.length, POLL).toBe(3);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3]);
});

test('an event that is skipped while it is sent no longer blocks its object', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const [first, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.answer = async (response, { event }) => {
    if (event.data.object['title'] === 'Teapot V-1') {
      await first.promise;
      response.writeHead(500).end();
    } else if (event.data.object['title'] === 'Teapot V-2') {
      await other.promise;
      response.writeHead(204).end();
    } else response.writeHead(204).end();
  };
  const one = worker();
  one.go();
  const product = await addProduct(seller, 'V-1');
  await numberAll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  // While this delivery is sent, the worker keeps the lease.
  await addProduct(seller, 'V-2');
  await numberAll();
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  first.resolve();
  await rest(100);
  await rename(seller, product, 'Teapot V-3');
  await numberAll();
  await expect.poll(() => titles(receiver.received), { ...POLL, timeout: 8_000 }).toContain('Teapot V-3');
  other.resolve();
});

test('orphans of a killed worker are sent, even while other deliveries wait for a retry', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const [a] = [await addProduct(seller, 'K-1'), await addProduct(seller, 'K-2')];
  await numberAll();
  const one = worker();
  one.go();
  const attempts = async () => (await deliveriesOf(seller)).map(({ attempt_count }) => attempt_count);
  await expect.poll(attempts, POLL).toEqual([1, 1]);
  await rename(seller, a, 'Teapot K-3');
  await numberAll();
  const parked = async () => (await deliveriesOf(seller)).map(({ next_attempt_at }) => next_attempt_at);
  await expect.poll(parked, POLL).toEqual([null, expect.any(String), expect.any(String)]);
  await one.end();
  await sqlAs(
    "update webhook_delivery set status = 'succeeded', next_attempt_at = null where endpoint_id = $1 and sequence = 1",
    [endpoint_id],
  );
  await sqlAs(
    "update webhook_endpoint set lease_owner = 'killed', lease_until = clock_timestamp() - interval '1 second' where endpoint_id = $1",
    [endpoint_id],
  );
  receiver.answer = status(204);
  worker().go();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot K-3');
});

test('a failed statement is repeated at the next poll, not immediately', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'D-1');
  await numberAll();
  let away = true;
  let refused = 0;
  const one = worker({
    after: async (name) => {
      if (!away || (name !== 'makeDeliveries' && name !== 'readDue')) return;
      refused += 1;
      throw new Error('the database is away');
    },
  });
  for (let polls = 0; polls < 5; polls += 1) {
    await one.poll();
    await rest(20);
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(6);
  away = false;
  one.go();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
});

test('thousands of due deliveries are read in large pages', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const rows = Array.from({ length: 2_500 }, (_, index) => goods(`L-${index}`));
  await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'many' },
    body: csv(rows),
  });
  await numberAll();
  const pages: number[] = [];
  worker({
    after: async (name, rows) => {
      if (name === 'readDue') pages.push(rows);
    },
  }).go();
  const done = async () =>
    Number(
      (
        await sqlAs("select count(*) from webhook_delivery where endpoint_id = $1 and status = 'succeeded'", [
          endpoint_id,
        ])
      ).rows[0]?.count,
    );
  await expect.poll(done, POLL).toBe(2_500);
  pages.length = 0;
  receiver.received.length = 0;
  await sqlAs(
    "update webhook_delivery set status = 'pending', step = 0, next_attempt_at = created_at where endpoint_id = $1",
    [endpoint_id],
  );
  await expect.poll(done, POLL).toBe(2_500);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2_500);
  expect(Math.max(...pages)).toBeGreaterThan(400);
});

test('a new endpoint gets no event of an earlier bulk write, however large it was', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const rows = Array.from({ length: 3_000 }, (_, index) => goods(`B-${index}`));
  const fed = await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'bulk' },
    body: csv(rows),
  });
  expect(fed.status).toBe(201);
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { event_types: ['*'] });
  const state = async () =>
    (
      await sqlAs(
        'select w.fanned_through = s.last as through, cardinality(w.passed_over) as passed from webhook_endpoint w join event_sequence s using (seller_id) where endpoint_id = $1',
        [endpoint_id],
      )
    ).rows[0];
  // The first and the last product of each bulk row are changed, so they get events that the endpoint must receive.
  const ends = await sqlAs(
    'select object_ids[1] as id from outbox_bulk where seller_id = $1 union select object_ids[cardinality(object_ids)] from outbox_bulk where seller_id = $1',
    [seller.seller_id],
  );
  const own = ends.rows.map(({ id }) => String(id)).filter((id) => id.startsWith('prd_'));
  for (const id of own) await rename(seller, id, `Renamed ${id}`);
  await numberOnce();
  const one = worker();
  one.go();
  await expect.poll(state, POLL).toMatchObject({ through: true, passed: expect.any(Number) });
  expect((await state())?.['passed']).toBeGreaterThan(0);
  await expect.poll(() => receiver.received.length, POLL).toBe(own.length);
  // Another worker knows only what is stored.
  await one.end();
  await numberAll();
  await addProduct(seller, 'after');
  await numberAll();
  worker().go();
  await expect.poll(state, POLL).toEqual({ through: true, passed: 0 });
  // A request that was in flight when the worker ended may be sent twice.
  const different = () => [...new Set(titles(receiver.received))];
  await expect.poll(() => different().length, POLL).toBeGreaterThan(own.length);
  expect(different().sort()).toEqual([...own.map((id) => `Renamed ${id}`), 'Teapot after'].sort());
});
