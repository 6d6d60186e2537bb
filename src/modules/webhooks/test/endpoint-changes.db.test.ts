/** A seller changes an endpoint, or the database refuses a statement, between two polls of a worker or during one. */
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { act, addEndpoint, addProduct, deliveriesOf, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberAll, worker, sqlAs } = await startWithoutWorkers();

// The next test's worker must not find endpoints of this test.
afterEach(() => sqlAs("update webhook_endpoint set status = 'paused'", []));

type Seller = Awaited<ReturnType<typeof app.seller>>;

const rename = (seller: Seller, id: string, title: string) =>
  seller.call('PATCH', `/products/${id}`, { json: { title } });
const titles = (received: readonly Received[]): unknown[] =>
  received.map(({ event }) => event.data.object['title']);
const attempts = async (seller: Seller) =>
  (await deliveriesOf(seller)).map(({ attempt_count }) => attempt_count);

test('an endpoint goes on after the search for its blocked objects has failed once', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url);
  let refused = 0;
  const one = worker({
    after: async (name) => {
      if (refused > 0 || (name !== 'freeOrphans' && name !== 'loadBlocked')) return;
      // The first statement runs when the worker takes the lease, while no event waits.
      if ((await attempts(seller)).length < 3) return;
      refused += 1;
      throw new Error('the database is away');
    },
  });
  const product = await addProduct(seller, 'W-1');
  await numberAll();
  one.go();
  await expect.poll(() => attempts(seller), POLL).toEqual([1]);
  // One delivery waits behind the failed one, and one is being sent.
  await rename(seller, product, 'Teapot W-2');
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await door.promise;
    response.writeHead(204).end();
  };
  await addProduct(seller, 'W-3');
  await numberAll();
  await expect.poll(() => refused, POLL).toBe(1);
  await rest(100);
  door.resolve();
  receiver.answer = status(204);
  await addProduct(seller, 'W-4');
  await numberAll();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot W-4');
});

test('deliveries that a quick pause and resume skip are not sent', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await door.promise;
    response.writeHead(204).end();
  };
  const one = worker();
  for (const sku of ['S-1', 'S-2', 'S-3']) await addProduct(seller, sku);
  await numberAll();
  await one.poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  await one.poll();
  door.resolve();
  await addProduct(seller, 'S-4');
  await numberAll();
  one.go();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot S-4');
  expect(titles(receiver.received)).toEqual(['Teapot S-1', 'Teapot S-4']);
});

test('deliveries that are skipped while they are read are not sent', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
  const [gate, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const one = worker({
    after: async (name) => {
      if (name !== 'makeDeliveries') return;
      made.resolve();
      await gate.promise;
    },
  });
  for (const sku of ['R-1', 'R-2']) await addProduct(seller, sku);
  await numberAll();
  await one.poll();
  await made.promise;
  await act(seller, endpoint_id, 'pause');
  await one.poll();
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  await one.poll();
  gate.resolve();
  await rest(50);
  await addProduct(seller, 'R-3');
  await numberAll();
  one.go();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot R-3');
  expect(titles(receiver.received)).toEqual(['Teapot R-3']);
});

test('an endpoint that fails again after a quick pause and resume is marked as failing again', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const failing = async () =>
    (
      await sqlAs(
        'select failing_since is not null as failing from webhook_endpoint where endpoint_id = $1',
        [endpoint_id],
      )
    ).rows[0]?.failing;
  const one = worker();
  await addProduct(seller, 'M-1');
  await numberAll();
  await one.poll();
  await expect.poll(failing, POLL).toBe(true);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume');
  expect(await failing()).toBe(false);
  await one.poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  await expect.poll(failing, POLL).toBe(true);
});

test('a change by the seller does not revive an endpoint that has answered 410', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(410))];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  let refused = 0;
  const one = worker({
    before: async (name) => {
      if (refused > 0 || name !== 'write') return;
      refused += 1;
      throw new Error('the database is away');
    },
  });
  await addProduct(seller, 'G-1');
  await numberAll();
  await one.poll();
  // The result 410 is written half a second later.
  await expect.poll(() => refused, POLL).toBe(1);
  const json = { description: 'changed' };
  expect((await seller.call('PATCH', `/webhooks/endpoints/${endpoint_id}`, { json })).status).toBe(200);
  await addProduct(seller, 'G-2');
  await numberAll();
  one.go();
  const standing = async () =>
    (await sqlAs('select status from webhook_endpoint where endpoint_id = $1', [endpoint_id])).rows[0]
      ?.status;
  await expect.poll(standing, POLL).toBe('disabled');
  expect(titles(receiver.received)).toEqual(['Teapot G-1']);
});

test('no event is missed when the seller adds its type during a poll', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { event_types: ['product.created'] });
  const [gate, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let armed = false;
  const one = worker({
    after: async (name) => {
      if (!armed || name !== 'readHeld') return;
      looked.resolve();
      await gate.promise;
    },
  });
  const product = await addProduct(seller, 'T-1');
  await numberAll();
  await one.poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await addProduct(seller, 'T-2');
  await numberAll();
  armed = true;
  const poll = one.poll();
  await looked.promise;
  const json = { event_types: ['product.*'] };
  expect((await seller.call('PATCH', `/webhooks/endpoints/${endpoint_id}`, { json })).status).toBe(200);
  await rename(seller, product, 'Teapot T-3');
  await numberAll();
  gate.resolve();
  await poll;
  one.go();
  await expect
    .poll(() => titles(receiver.received), { ...POLL, timeout: 8_000 })
    .toEqual(['Teapot T-1', 'Teapot T-2', 'Teapot T-3']);
});

test('an endpoint that is locked for long does not delay others', async () => {
  const [slow, seller] = [await app.seller(), await app.seller()];
  const [failing, receiver] = [await startReceiver(status(500)), await startReceiver()];
  const { endpoint_id } = await addEndpoint(slow, failing.url);
  const idle = await addEndpoint(seller, receiver.url);
  const one = worker();
  one.go();
  const product = await addProduct(slow, 'H-1');
  await addProduct(seller, 'H-2');
  await numberAll();
  await expect.poll(() => attempts(slow), POLL).toEqual([1]);
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await rename(slow, product, 'Teapot H-3');
  await numberAll();
  await expect.poll(() => attempts(slow), POLL).toEqual([0, 1]);
  const open = Promise.withResolvers<void>();
  const held = runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from webhook_endpoint where endpoint_id = $1 for update', [endpoint_id]);
    await open.promise;
    await client.query('commit');
  });
  try {
    // Longer than the time between two searches for orphans, and than the worker keeps an idle endpoint.
    await rest(3_000);
    const leased = async () =>
      (await sqlAs('select lease_owner from webhook_endpoint where endpoint_id = $1', [idle.endpoint_id]))
        .rows[0]?.lease_owner;
    await expect.poll(leased, { ...POLL, timeout: 3_000 }).toBeNull();
    await addProduct(seller, 'H-4');
    await numberAll();
    await expect.poll(() => receiver.received.length, { ...POLL, timeout: 3_000 }).toBe(2);
  } finally {
    open.resolve();
    await held;
  }
});

test('a failed attempt does not delay a delivery that the seller has retried meanwhile', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const one = worker();
  one.go();
  const again: readonly (() => Promise<unknown>)[] = [
    async () => seller.call('POST', `/webhooks/deliveries/${receiver.received.at(-1)?.id}/retry`),
    async () => {
      await act(seller, endpoint_id, 'pause');
      await act(seller, endpoint_id, 'resume');
    },
  ];
  for (const [index, ask] of again.entries()) {
    const door = Promise.withResolvers<void>();
    receiver.answer = async (response, received) => {
      await door.promise;
      status(500)(response, received);
    };
    await addProduct(seller, `A-${index}`);
    await numberAll();
    await expect.poll(() => receiver.received.length, POLL).toBe(2 * index + 1);
    await ask();
    receiver.answer = status(204);
    door.resolve();
    // The schedule would try the delivery again in an hour.
    await expect.poll(() => receiver.received.length, { ...POLL, timeout: 8_000 }).toBe(2 * index + 2);
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('succeeded');
    expect(await attempts(seller)).toEqual(Array(index + 1).fill(2));
  }
});

test('deliveries that wait when the order is switched on are sent in turn', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { ordering: 'none', max_concurrency: 1 });
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response, received) => {
    await door.promise;
    status(503)(response, received);
  };
  const one = worker();
  const product = await addProduct(seller, 'O-1');
  await rename(seller, product, 'Teapot O-2');
  await numberAll();
  await one.poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const json = { ordering: 'per_object' };
  expect((await seller.call('PATCH', `/webhooks/endpoints/${endpoint_id}`, { json })).status).toBe(200);
  await one.poll();
  await rest(200);
  receiver.answer = status(204);
  door.resolve();
  await expect.poll(() => attempts(seller), POLL).toEqual([0, 1]);
  const [first] = receiver.received;
  expect((await seller.call('POST', `/webhooks/deliveries/${first?.id}/retry`)).status).toBe(202);
  one.go();
  await expect
    .poll(() => titles(receiver.received), { ...POLL, timeout: 8_000 })
    .toEqual(['Teapot O-1', 'Teapot O-1', 'Teapot O-2']);
});

test('deliveries that a former holder parks are sent, also without an order and on a busy endpoint', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url, { ordering: 'none' });
  const one = worker();
  one.go();
  await addProduct(seller, 'P-1');
  await numberAll();
  await expect.poll(() => attempts(seller), POLL).toEqual([1]);
  receiver.answer = status(204);
  await sqlAs(
    "update webhook_delivery set next_attempt_at = null where status = 'pending' and seller_id = $1",
    [seller.seller_id],
  );
  const sent = () => titles(receiver.received).filter((title) => title === 'Teapot P-1').length;
  // The worker is never idle long enough to give the lease back.
  for (let more = 2; more < 20 && sent() < 2; more += 1) {
    await addProduct(seller, `P-${more}`);
    await numberAll();
    await rest(300);
  }
  expect(sent()).toBe(2);
});

test('a delivery that the seller retries while the endpoint is deleted does not stay open', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const one = worker();
  await addProduct(seller, 'D-1');
  await numberAll();
  await one.poll();
  const states = async () => (await deliveriesOf(seller)).map((shown) => shown.status);
  await expect.poll(states, POLL).toEqual(['succeeded']);
  const [cancelled, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // As in a deletion, open deliveries are cancelled first, and then the endpoint is deleted.
  const deleted = runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from webhook_endpoint where endpoint_id = $1 for update', [endpoint_id]);
    cancelled.resolve();
    await asked.promise;
    await client.query("update webhook_endpoint set status = 'deleted' where endpoint_id = $1", [
      endpoint_id,
    ]);
    await client.query('commit');
  });
  await cancelled.promise;
  const retry = seller.call('POST', `/webhooks/deliveries/${receiver.received[0]?.id}/retry`);
  await Promise.race([retry, rest(300)]);
  asked.resolve();
  await deleted;
  expect([(await retry).status, await states()]).toEqual([409, ['succeeded']]);
});
