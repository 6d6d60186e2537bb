/** Deliveries that are made of the next events while those before them are still in hand. */
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { applied, csv } from '../../../../test/support/feeds.ts';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
import {
  addEndpoint,
  addProduct,
  deliveriesOf,
  PATIENCE,
  readDelivery,
} from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberAll, worker, sqlAs } = await startWithoutWorkers();

// No test's endpoint is the business of the next one's worker.
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
/** Looks until something is so. */
const lookUntil = (one: Worker, what: () => unknown, timeout = PATIENCE.timeout) =>
  expect.poll(
    async () => {
      await one.look();
      return what();
    },
    { ...PATIENCE, timeout },
  );

/**
 * A worker whose second step of those that make deliveries, once it is armed, ends as the test wants. What is read as
 * due goes through `read`.
 */
function workerWithStep(second: () => Promise<void>, read = async (): Promise<void> => undefined) {
  let [armed, steps] = [false, 0];
  const reached = Promise.withResolvers<void>();
  const one = worker(async (text) => {
    if (armed && text.includes('as expired, d.')) await read();
    if (!armed || !text.startsWith('with head as')) return;
    steps += 1;
    if (steps !== 2) return;
    reached.resolve();
    await second();
  });
  return {
    one,
    reached: reached.promise,
    arm: () => {
      armed = true;
    },
  };
}

test('nothing newer passes those that come free while it is waited for what was made ahead', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url, { max_concurrency: 5 });
  const gate = Promise.withResolvers<void>();
  // The second time that something is read, there is time for everything in hand to be sent.
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
  await lookUntil(one, async () => (await deliveriesOf(seller)).map((each) => each.attempt_count)).toEqual([
    1, 1,
  ]);
  const failed = new Map((await deliveriesOf(seller)).map((each) => [each.object_id, each.delivery_id]));
  const failedOf = (name: string): string => failed.get(ids.get(name) ?? '') ?? '';
  for (const [name, id] of ids) await rename(seller, id, `${name} second`);
  await numberAll();
  const parked = async () =>
    (await deliveriesOf(seller, '&status=pending')).filter((each) => each.next_attempt_at === null).length;
  await lookUntil(one, parked).toBe(2);

  // Some are taken at once, the others and what is tried again when the test says so.
  const doors = new Map(['Teapot A', 'Teapot B', 'Fed'].map((name) => [name, Promise.withResolvers<void>()]));
  let taken = 0;
  receiver.answer = async (response, received) => {
    const fed = titleOf(received).startsWith('Fed');
    if (fed) taken += 1;
    if (!fed || taken > 40) await doors.get(fed ? 'Fed' : titleOf(received))?.promise;
    response.writeHead(204).end();
  };
  await addProduct(seller, 'C');
  await numberAll();
  await lookUntil(one, () => receiver.received.map(titleOf)).toContain('Teapot C');
  for (const name of ids.keys()) await retry(seller, failedOf(name));
  await lookUntil(one, () => receiver.open.now).toBe(2);

  // A hundred are made and fill the queue; the rest is made ahead, with what is newest of A.
  await feedDrafts(seller, 110);
  await rename(seller, ids.get('A') ?? '', 'A third');
  await numberAll();
  arm();
  await one.look();
  await reached;
  await expect.poll(() => receiver.open.now, PATIENCE).toBe(5);
  const succeeded = (name: string) => async () => (await readDelivery(seller, failedOf(name))).status;
  doors.get('Teapot B')?.resolve();
  await expect.poll(succeeded('B'), PATIENCE).toBe('succeeded');
  await rest(100);
  doors.get('Teapot A')?.resolve();
  await expect.poll(succeeded('A'), PATIENCE).toBe('succeeded');
  await rest(100);
  gate.resolve();
  doors.get('Fed')?.resolve();
  await lookUntil(one, () => new Set(receiver.received.map(({ id }) => id)).size).toBe(2 + 2 + 1 + 110 + 1);
  const ofA = receiver.received.filter(({ event }) => event.data.object['product_id'] === ids.get('A'));
  expect(ofA.map(titleOf)).toEqual(['Teapot A', 'Teapot A', 'A second', 'A third']);
});
