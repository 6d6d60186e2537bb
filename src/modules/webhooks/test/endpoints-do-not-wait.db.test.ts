/** An endpoint that a seller locks for a long time does not delay other endpoints of the worker. */
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { type Receiver, slowly, startReceiver, status } from '../../../../test/support/receiver.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { addEndpoint, addProduct, deliveriesOf, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, numberAll, worker, sqlAs } = await startWithoutWorkers();

// The next test's worker must not find endpoints of this test.
afterEach(() => sqlAs("update webhook_endpoint set status = 'paused'", []));

/** More endpoints than the number of statements that run at the same time. */
const MANY = 8;
/** An event that waited for a locked endpoint would come after the lock only, which outlasts the time of `timeOf`. */
const SOON_MS = 4_000;

async function endpointsOf(seller: TestSeller, { url }: Receiver): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < MANY; n += 1) ids.push((await addEndpoint(seller, url)).endpoint_id);
  return ids;
}

/** Calls a function while a transaction locks some endpoints. */
const whileHeld = (endpoints: readonly string[], run: () => Promise<void>): Promise<void> =>
  runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from webhook_endpoint where endpoint_id = any($1) for update', [endpoints]);
    await run();
    await client.query('commit');
  });

/** Milliseconds from an event of a seller until the receiver gets it. */
async function timeOf(seller: TestSeller, { received }: Receiver, sku: string): Promise<number> {
  const from = performance.now();
  const count = received.length;
  await addProduct(seller, sku);
  await numberAll();
  while (received.length === count && performance.now() - from < 8_000) await rest(5);
  return performance.now() - from;
}

test('new events of locked endpoints do not delay those of other endpoints', async () => {
  const [busy, other] = [await app.seller({ plan: 'Big' }), await app.seller()];
  const [receiver, quick] = [await startReceiver(), await startReceiver()];
  const held = await endpointsOf(busy, receiver);
  await addEndpoint(other, quick.url);
  worker().go();
  await addProduct(busy, 'A-1');
  await addProduct(other, 'A-1');
  await numberAll();
  await expect.poll(() => [receiver.received.length, quick.received.length], POLL).toEqual([MANY, 1]);
  await whileHeld(held, async () => {
    await addProduct(busy, 'A-2');
    await numberAll();
    await rest(300);
    expect(await timeOf(other, quick, 'A-2')).toBeLessThan(SOON_MS);
  });
  await expect.poll(() => receiver.received.length, POLL).toBe(2 * MANY);
});

test('parked deliveries of locked endpoints do not delay other endpoints', async () => {
  const [busy, other] = [await app.seller({ plan: 'Big' }), await app.seller()];
  const [receiver, quick] = [await startReceiver(status(500)), await startReceiver()];
  const held = await endpointsOf(busy, receiver);
  await addEndpoint(other, quick.url);
  worker().go();
  const product = await addProduct(busy, 'B-1');
  await addProduct(other, 'B-1');
  await numberAll();
  await expect
    .poll(async () => (await deliveriesOf(busy)).filter((one) => one.attempt_count === 1).length, POLL)
    .toBe(MANY);
  await busy.call('PATCH', `/products/${product}`, { json: { title: 'Waits' } });
  await numberAll();
  await expect
    .poll(async () => (await deliveriesOf(busy)).filter((one) => one.next_attempt_at === null).length, POLL)
    .toBe(MANY);
  // An attempt always runs, so that the worker keeps the endpoints.
  receiver.answer = slowly(8_000);
  await addProduct(busy, 'B-2');
  await numberAll();
  await expect.poll(() => receiver.open.now, POLL).toBe(MANY);
  await whileHeld(held, async () => {
    // Longer than the time between two searches for orphans.
    for (let n = 0; n < 10; n += 1) {
      expect(await timeOf(other, quick, `B-3-${n}`)).toBeLessThan(SOON_MS);
      await rest(250);
    }
  });
});
