/** Results of an attempt whose delivery has another holder now, or has ended. */
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startReceiver, status } from '../../../../test/support/receiver.ts';
import {
  act,
  addEndpoint,
  addProduct,
  deliveriesOf,
  POLL,
  readDelivery,
} from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberAll, worker, sqlAs } = await startWithoutWorkers();

// The next test's worker must not find endpoints of this test.
afterEach(() => sqlAs("update webhook_endpoint set status = 'paused'", []));

type Seller = Awaited<ReturnType<typeof app.seller>>;

const attempts = async (seller: Seller) =>
  (await deliveriesOf(seller)).map(({ attempt_count }) => attempt_count);

/** A worker that has lost its lease while an attempt runs. The attempt fails when `open` is called. */
async function lateWorker() {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  await addEndpoint(seller, receiver.url);
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await door.promise;
    response.writeHead(503).end();
  };
  const product = await addProduct(seller, 'Y-1');
  await numberAll();
  await worker().poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await sqlAs("update webhook_endpoint set lease_until = '2020-01-01' where seller_id = $1", [
    seller.seller_id,
  ]);
  receiver.answer = status(500);
  return { seller, receiver, product, open: door.resolve };
}

test('a late result of a former holder does not let newer deliveries pass', async () => {
  const { seller, receiver, product, open } = await lateWorker();
  await seller.call('PATCH', `/products/${product}`, { json: { title: 'Teapot Y-2' } });
  await numberAll();
  // The other worker knows the blocked objects, and is about to read due deliveries.
  const other = worker({
    after: async (name) => {
      if (name !== 'loadBlocked') return;
      open();
      await expect.poll(() => attempts(seller), POLL).toEqual([1]);
    },
  });
  await other.poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  await rest(300);
  await other.poll();
  await rest(300);
  const titles = receiver.received.map(({ event }) => event.data.object['title']);
  expect(titles).toEqual(['Teapot Y-1', 'Teapot Y-1']);
});

test('a late result does not lower the count of attempts', async () => {
  const { seller, receiver, open } = await lateWorker();
  const other = worker();
  await other.poll();
  await expect.poll(() => attempts(seller), POLL).toEqual([1]);
  await seller.call('POST', `/webhooks/deliveries/${receiver.received[0]?.id}/retry`);
  await other.poll();
  await expect.poll(() => attempts(seller), POLL).toEqual([2]);
  const text = 'select attempts, last_attempt_at, last_status from webhook_delivery where seller_id = $1';
  const shown = async () => (await sqlAs(text, [seller.seller_id])).rows;
  const before = await shown();
  open();
  await rest(500);
  expect(await shown()).toEqual(before);
});

test('an attempt counts even if the seller skips its delivery meanwhile', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await door.promise;
    response.writeHead(204).end();
  };
  await addProduct(seller, 'Z-1');
  await numberAll();
  await worker().poll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  door.resolve();
  const shown = async () => {
    const {
      status: state,
      attempt_count,
      attempts: all,
    } = await readDelivery(seller, receiver.received[0]?.id);
    return [state, attempt_count, all.map((one) => one.status)];
  };
  await expect.poll(shown, POLL).toEqual(['cancelled', 1, [204]]);
});
