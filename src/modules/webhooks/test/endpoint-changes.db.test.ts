/** What a seller changes, or a database refuses, between two looks of a worker, or in the middle of one. */
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

test('an endpoint about which the database refuses to say who waits goes on when it says so', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url);
  let refused = 0;
  const one = worker({
    after: async (name) => {
      if (refused > 0 || (name !== 'freeOrphans' && name !== 'learnBlocked')) return;
      // The first one is asked when the worker takes the endpoint over, while nothing waits yet.
      if ((await attempts(seller)).length < 3) return;
      refused += 1;
      throw new Error('the database is away');
    },
  });
  const product = await addProduct(seller, 'W-1');
  await numberAll();
  one.go();
  await expect.poll(() => attempts(seller), POLL).toEqual([1]);
  // One waits behind the failed one, and one is being sent.
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

test('deliveries that a pause and a resume in a row skip are not sent', async () => {
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
  await one.look();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  await one.look();
  door.resolve();
  await addProduct(seller, 'S-4');
  await numberAll();
  one.go();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot S-4');
  expect(titles(receiver.received)).toEqual(['Teapot S-1', 'Teapot S-4']);
});

test('deliveries that the seller skips while they are read are not sent', async () => {
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
  await one.look();
  await made.promise;
  await act(seller, endpoint_id, 'pause');
  await one.look();
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  await one.look();
  gate.resolve();
  await rest(50);
  await addProduct(seller, 'R-3');
  await numberAll();
  one.go();
  await expect.poll(() => titles(receiver.received), POLL).toContain('Teapot R-3');
  expect(titles(receiver.received)).toEqual(['Teapot R-3']);
});

test('an endpoint that fails again after a pause and a resume in a row is marked as failing again', async () => {
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
  await one.look();
  await expect.poll(failing, POLL).toBe(true);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume');
  expect(await failing()).toBe(false);
  await one.look();
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  await expect.poll(failing, POLL).toBe(true);
});

test('an endpoint that says it is gone is not called again because its seller has changed it meanwhile', async () => {
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
  await one.look();
  // That it is gone is written half a second later.
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

test('types that are asked for in the middle of a look are not missed', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { event_types: ['product.created'] });
  const [gate, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let armed = false;
  const one = worker({
    after: async (name) => {
      if (!armed || name !== 'look') return;
      looked.resolve();
      await gate.promise;
    },
  });
  const product = await addProduct(seller, 'T-1');
  await numberAll();
  await one.look();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await addProduct(seller, 'T-2');
  await numberAll();
  armed = true;
  const look = one.look();
  await looked.promise;
  const json = { event_types: ['product.*'] };
  expect((await seller.call('PATCH', `/webhooks/endpoints/${endpoint_id}`, { json })).status).toBe(200);
  await rename(seller, product, 'Teapot T-3');
  await numberAll();
  gate.resolve();
  await look;
  one.go();
  await expect
    .poll(() => titles(receiver.received), { ...POLL, timeout: 8_000 })
    .toEqual(['Teapot T-1', 'Teapot T-2', 'Teapot T-3']);
});

test('an endpoint that is locked for long delays no other', async () => {
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

test('a failed attempt does not delay a delivery that the seller has asked for again meanwhile', async () => {
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
    // By its schedule it would be tried again in an hour.
    await expect.poll(() => receiver.received.length, { ...POLL, timeout: 8_000 }).toBe(2 * index + 2);
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('succeeded');
    expect(await attempts(seller)).toEqual(Array(index + 1).fill(2));
  }
});

test('what waits where an order has just been asked for is sent once it may go', async () => {
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
  await one.look();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const json = { ordering: 'per_object' };
  expect((await seller.call('PATCH', `/webhooks/endpoints/${endpoint_id}`, { json })).status).toBe(200);
  await one.look();
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

test('what a worker that has lost the endpoint parks goes on without an order too, also while the endpoint is busy', async () => {
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
  // Never idle for so long that it is given back.
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
  await one.look();
  const states = async () => (await deliveriesOf(seller)).map((shown) => shown.status);
  await expect.poll(states, POLL).toEqual(['succeeded']);
  const [cancelled, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // As a delete does it: all that is open is cancelled, then the endpoint is gone.
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
