/** The order of objects while a step that makes deliveries runs or loses its answer. */
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { applied, csv } from '../../../../test/support/feeds.ts';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
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
type Worker = ReturnType<typeof worker>;

const rename = async (seller: Seller, id: string, title: string): Promise<void> => {
  const answer = await seller.call('PATCH', `/products/${id}`, { json: { title } });
  if (answer.status !== 200) throw new Error(`rename: ${answer.status} ${answer.text}`);
};
const feedDrafts = (seller: Seller, count: number) =>
  applied(
    seller,
    csv(
      Array.from({ length: count }, (_, n) => ({ seller_sku: `F-${n}`, status: 'draft', title: `Fed ${n}` })),
    ),
  );
const titleOf = ({ event }: Received): string => String(event.data.object['title']);
const retry = async (seller: Seller, deliveryId: string): Promise<void> => {
  const answer = await seller.call('POST', `/webhooks/deliveries/${deliveryId}/retry`);
  if (answer.status >= 300) throw new Error(`retry: ${answer.status} ${answer.text}`);
};
/** Polls until a condition holds. */
const pollUntil = (one: Worker, what: () => unknown, timeout = POLL.timeout) =>
  expect.poll(
    async () => {
      await one.poll();
      return what();
    },
    { ...POLL, timeout },
  );

/**
 * A worker in which the test controls how the second step that makes deliveries ends, after the test has armed it. Due
 * deliveries are read through `read`.
 */
function workerWithStep(second: () => Promise<void>, read = async (): Promise<void> => undefined) {
  let [armed, steps] = [false, 0];
  const reached = Promise.withResolvers<void>();
  const one = worker({
    after: async (name) => {
      if (armed && name === 'readDue') await read();
      if (!armed || name !== 'makeDeliveries') return;
      steps += 1;
      if (steps !== 2) return;
      reached.resolve();
      await second();
    },
  });
  return {
    one,
    reached: reached.promise,
    arm: () => {
      armed = true;
    },
  };
}

test('no newer delivery passes freed ones while a step makes deliveries', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url, { max_concurrency: 5 });
  const gate = Promise.withResolvers<void>();
  // The second read waits until everything in memory is sent.
  let reads = 0;
  const read = async (): Promise<void> => {
    reads += 1;
    if (reads === 2) await rest(500);
  };
  const { one, reached, arm } = workerWithStep(() => gate.promise, read);
  const ids = new Map([
    ['A', await addProduct(seller, 'A')],
    ['B', await addProduct(seller, 'B')],
  ]);
  await numberAll();
  await pollUntil(one, async () => (await deliveriesOf(seller)).map((each) => each.attempt_count)).toEqual([
    1, 1,
  ]);
  const failed = new Map((await deliveriesOf(seller)).map((each) => [each.object_id, each.delivery_id]));
  const failedOf = (name: string): string => failed.get(ids.get(name) ?? '') ?? '';
  for (const [name, id] of ids) await rename(seller, id, `${name} second`);
  await numberAll();
  const parked = async () =>
    (await deliveriesOf(seller, '&status=pending')).filter((each) => each.next_attempt_at === null).length;
  await pollUntil(one, parked).toBe(2);

  // Some attempts succeed at once; the others, and retries, when the test says so.
  const doors = new Map(['Teapot A', 'Teapot B', 'Fed'].map((name) => [name, Promise.withResolvers<void>()]));
  let taken = 0;
  receiver.answer = async (response, received) => {
    const fed = titleOf(received).startsWith('Fed');
    if (fed) taken += 1;
    if (!fed || taken > 60) await doors.get(fed ? 'Fed' : titleOf(received))?.promise;
    response.writeHead(204).end();
  };
  await addProduct(seller, 'C');
  await numberAll();
  await pollUntil(one, () => receiver.received.map(titleOf)).toContain('Teapot C');
  for (const name of ids.keys()) await retry(seller, failedOf(name));
  await pollUntil(one, () => receiver.open.now).toBe(2);

  // A hundred deliveries fill the queue. The rest, with the newest of A, is made when half of them are sent.
  await feedDrafts(seller, 110);
  await rename(seller, ids.get('A') ?? '', 'A third');
  await numberAll();
  arm();
  await one.poll();
  await reached;
  await expect.poll(() => receiver.open.now, POLL).toBe(5);
  const succeeded = (name: string) => async () => (await readDelivery(seller, failedOf(name))).status;
  doors.get('Teapot B')?.resolve();
  await expect.poll(succeeded('B'), POLL).toBe('succeeded');
  await rest(100);
  doors.get('Teapot A')?.resolve();
  await expect.poll(succeeded('A'), POLL).toBe('succeeded');
  await rest(100);
  gate.resolve();
  doors.get('Fed')?.resolve();
  await pollUntil(one, () => new Set(receiver.received.map(({ id }) => id)).size).toBe(2 + 2 + 1 + 110 + 1);
  const ofA = receiver.received.filter(({ event }) => event.data.object['product_id'] === ids.get('A'));
  expect(ofA.map(titleOf)).toEqual(['Teapot A', 'Teapot A', 'A second', 'A third']);
});

test('a worker reads what is due again, also after a step that made few deliveries', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 5 });
  const gate = Promise.withResolvers<void>();
  const { one, reached, arm } = workerWithStep(() => gate.promise);
  const [fed, door] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let taken = 0;
  receiver.answer = async (response, received) => {
    taken += 1;
    // The rest is made when half of the queue is sent.
    if (titleOf(received) === 'Teapot slow') await door.promise;
    else if (taken > 60) await fed.promise;
    response.writeHead(204).end();
  };
  arm();
  await feedDrafts(seller, 110);
  await numberAll();
  await one.poll();
  await reached;
  await expect.poll(() => receiver.open.now, POLL).toBe(5);
  // The worker reads due deliveries again, while the answer of the second step is on its way.
  await act(seller, endpoint_id, 'pause');
  await one.poll();
  await rest(50);
  gate.resolve();
  await act(seller, endpoint_id, 'resume');
  fed.resolve();
  await pollUntil(one, () => new Set(receiver.received.map(({ id }) => id)).size).toBe(110);
  // A running attempt keeps the lease with this worker.
  await addProduct(seller, 'slow');
  await numberAll();
  await pollUntil(one, () => receiver.open.now).toBe(1);
  const again = (await deliveriesOf(seller, '&status=succeeded'))[0]?.delivery_id ?? '';
  await retry(seller, again);
  const times = () => receiver.received.filter(({ id }) => id === again).length;
  // This happens within the 15 s after which a running attempt times out.
  await pollUntil(one, times, 10_000).toBe(2);
  door.resolve();
});

test('no newer delivery passes those of a step whose answer was lost', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 5 });
  const lost = Promise.withResolvers<void>();
  const { one, reached, arm } = workerWithStep(async () => {
    await lost.promise;
    throw new Error('the connection is lost');
  });
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    if (receiver.received.length > 60) await door.promise;
    response.writeHead(204).end();
  };
  await feedDrafts(seller, 100);
  const id = await addProduct(seller, 'A');
  await numberAll();
  arm();
  await one.poll();
  await reached;
  const made = async () =>
    (await sqlAs('select 1 from webhook_delivery where endpoint_id = $1', [endpoint_id])).rows.length;
  await expect.poll(made, POLL).toBe(101);
  await rename(seller, id, 'A second');
  await numberAll();
  lost.resolve();
  door.resolve();
  // No later poll follows that would see the due delivery.
  await expect.poll(() => receiver.received.map(titleOf), POLL).toContain('A second');
  await pollUntil(one, () => new Set(receiver.received.map((each) => each.id)).size).toBe(102);
  const ofA = receiver.received.filter(({ event }) => event.data.object['product_id'] === id);
  expect(ofA.map(titleOf)).toEqual(['Teapot A', 'A second']);
});
