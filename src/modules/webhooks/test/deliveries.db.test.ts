/** Deliveries to real receivers: the requests that arrive, and the stored records. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { startFlood } from '../../../../test/support/flood-server.ts';
import { slowly, startReceiver, status } from '../../../../test/support/receiver.ts';
import {
  addEndpoint,
  addProduct,
  deliveriesOf,
  POLL,
  readDelivery,
  untilDeliveries,
} from '../../../../test/support/webhook-seller.ts';

const app = await startTestApp({
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_SCHEDULE: '0,0,1,1',
});

/** Feeds products in one file, which is one bulk write with its events. */
async function fill(seller: TestSeller, prefix: string, count: number, title = 'Mug'): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => `${prefix}-${n},draft,${title} ${n}`);
  const answer = await seller.call('POST', '/products/feed-runs', {
    body: `seller_sku,status,title\n${rows.join('\n')}\n`,
    headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
  });
  expect(answer.status).toBe(201);
}

test('an event arrives signed, complete and once, and its record agrees', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const endpoint = await addEndpoint(seller, receiver.url);
  const productId = await addProduct(seller, 'D-1');
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const [got] = receiver.received;
  expect(
    new Webhook(endpoint.secret).verify(got?.text ?? '', got?.headers as Record<string, string>),
  ).toEqual(got?.event);
  const pulled = await seller.call<{ data: unknown[] }>('GET', '/webhooks/events?types=product.created');
  expect(got?.event).toEqual(pulled.body.data[0]);
  expect(got?.event).toMatchObject({
    type: 'product.created',
    test: false,
    data: { object: { product_id: productId } },
  });
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('succeeded');
  const [record] = await deliveriesOf(seller);
  expect(record?.delivery_id).toBe(got?.id);
  expect(await deliveriesOf(seller, `&event_id=${got?.event.id}`)).toEqual([record]);
  expect(await deliveriesOf(seller, '&event_id=evt_other')).toEqual([]);
  expect((await readDelivery(seller, record?.delivery_id)).attempts).toMatchObject([
    { attempt: 1, status: 204, error: null, response_head: '' },
  ]);
});

test('an endpoint gets the types it asks for, of its own seller', async () => {
  const [one, other, receiver] = [await app.seller(), await app.seller(), await startReceiver()];
  await addEndpoint(one, receiver.url, { event_types: ['product.created'] });
  await addProduct(other, 'X-1');
  const id = await addProduct(one, 'O-1');
  await one.call('PUT', `/products/${id}/inventory`, { json: { quantity: 5 } });
  await addProduct(one, 'O-2');
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  expect(receiver.received.map(({ event }) => [event.seller_id, event.type])).toEqual([
    [one.seller_id, 'product.created'],
    [one.seller_id, 'product.created'],
  ]);
});

test('a failed delivery is retried with the same id until it succeeds', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'F-1');
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  receiver.answer = status(200);
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('succeeded');
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  const [record] = await deliveriesOf(seller);
  const detail = await readDelivery(seller, record?.delivery_id);
  expect(detail.attempts.map((one) => [one.status, one.error])).toEqual([
    [500, 'http_status'],
    [500, 'http_status'],
    [200, null],
  ]);
  expect(detail.attempts[0]?.response_head).toBe('refused with 500');
});

test('the delivery fails when the schedule is exhausted', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(404))];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'E-1');
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('failed');
  expect(receiver.received).toHaveLength(4);
  expect(await deliveriesOf(seller)).toMatchObject([
    { reason: 'exhausted', attempt_count: 4, next_attempt_at: null },
  ]);
});

describe('order', () => {
  test('later events of an object wait for the earlier one, other objects do not', async () => {
    const [seller, receiver] = [await app.seller(), await startReceiver()];
    const blocked = await addProduct(seller, 'L-1');
    const free = await addProduct(seller, 'L-2');
    let failures = 2;
    receiver.answer = (response, { event }) => {
      const fails = event.data.object['product_id'] === blocked && failures > 0;
      if (fails) failures -= 1;
      response.writeHead(fails ? 500 : 204).end();
    };
    await addEndpoint(seller, receiver.url);
    for (const title of ['a', 'b', 'c'])
      for (const id of [blocked, free]) await seller.call('PATCH', `/products/${id}`, { json: { title } });
    await untilDeliveries(seller, 'succeeded', 6);
    const versions = (id: string) =>
      receiver.received
        .filter(({ event }) => event.data.object['product_id'] === id)
        .map(({ event }) => event.object_version);
    expect(versions(free)).toEqual([2, 3, 4]);
    expect(versions(blocked)).toEqual([2, 2, 2, 3, 4]);
  });

  test('holds with a receiver that fails at random: no later event before the earlier one is over', async () => {
    const [seller, receiver] = [await app.seller(), await startReceiver()];
    const [products, feeds, attemptsMax] = [25, 6, 4];
    const tries = new Map<string, number>();
    /** For each object the last event that arrived, and whether its delivery has ended. */
    const lasts = new Map<string, { sequence: number; handled: boolean }>();
    const early: string[] = [];
    receiver.answer = (response, { id, event: { sequence, data } }) => {
      const object = String(data.object['product_id']);
      const before = lasts.get(object) ?? { sequence: 0, handled: true };
      const fine = sequence === before.sequence || (sequence > before.sequence && before.handled);
      if (!fine) early.push(`${object}: ${sequence} after ${before.sequence}`);
      const last = { sequence, handled: false };
      lasts.set(object, last);
      const count = (tries.get(id) ?? 0) + 1;
      tries.set(id, count);
      const fails = Math.random() < 0.35;
      setTimeout(() => {
        last.handled = !fails || count === attemptsMax;
        response.writeHead(fails ? 500 : 204).end();
      }, Math.random() * 20);
    };
    await addEndpoint(seller, receiver.url);
    for (let feed = 1; feed <= feeds; feed += 1) await fill(seller, 'R', products, `Mug ${feed}`);
    await expect.poll(() => tries.size, POLL).toBe(products * feeds);
    await expect.poll(async () => (await deliveriesOf(seller, '&status=pending')).length, POLL).toBe(0);
    expect(early).toEqual([]);
  });
});

describe('concurrency', () => {
  test('an endpoint gets at most max_concurrency requests at a time', async () => {
    const [seller, receiver] = [await app.seller(), await startReceiver(slowly(60))];
    await addEndpoint(seller, receiver.url, { max_concurrency: 4 });
    await fill(seller, 'C', 60);
    await expect.poll(() => receiver.received.length, POLL).toBe(60);
    expect(receiver.open.most).toBe(4);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
  });

  test('a receiver that hangs does not delay others', async () => {
    const hanging = await startReceiver(() => undefined);
    const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller()];
    const [fast, theirs] = [await startReceiver(), await startReceiver()];
    for (let n = 0; n < 4; n += 1) await addEndpoint(seller, hanging.url, { max_concurrency: 100 });
    await addEndpoint(seller, fast.url);
    await addEndpoint(other, theirs.url);
    await fill(seller, 'H', 100);
    await fill(other, 'T', 50);
    await expect.poll(() => [fast.received.length, theirs.received.length], POLL).toEqual([100, 50]);
    expect(hanging.open.now).toBeGreaterThan(0);
    await hanging.close();
  });
});

test('a thin event has only the id and the version of its object', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  await addEndpoint(seller, receiver.url, { payload: 'thin' });
  const id = await addProduct(seller, 'T-1');
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  expect(receiver.received[0]?.event.data).toEqual({ object: { id, version: 1 } });
});

test('an address that cannot be called is a failed attempt, without a hint about the network', async () => {
  // A range is opened, so names are resolved at the call. The address of this name is not in the range.
  const closed = await startTestApp({
    WEBHOOK_RETRY_SCHEDULE: '0',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.2/32',
  });
  const [seller, receiver] = [await closed.seller({ plan: 'Small' }), await startReceiver()];
  const { port } = new URL(receiver.url);
  await addEndpoint(seller, `http://localhost:${port}/`);
  await addEndpoint(seller, 'http://absent.example.invalid/');
  await addProduct(seller, 'N-1');
  await untilDeliveries(seller, 'failed', 2);
  const records = await deliveriesOf(seller);
  const details = await Promise.all(records.map(({ delivery_id }) => readDelivery(seller, delivery_id)));
  const attempts = details.flatMap((detail) => detail.attempts);
  expect(attempts.map(({ error }) => error).sort()).toEqual(['address_refused', 'dns_failed']);
  expect(JSON.stringify(details)).not.toMatch(/127\.0|::1/);
  expect(receiver.received).toEqual([]);
});

test('a receiver that answers with interim answers only fails under that name', async () => {
  const seller = await app.seller();
  const flood = await startFlood('', 'HTTP/1.1 103 Early Hints\r\n\r\n');
  await addEndpoint(seller, `http://127.0.0.1:${flood.port}/hook`);
  await addProduct(seller, 'I-1');
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.status, POLL).toBe('failed');
  const [record] = await deliveriesOf(seller);
  const { attempts } = await readDelivery(seller, record?.delivery_id);
  expect(attempts.map(({ error }) => error)).toEqual(Array(4).fill('too_many_interim_answers'));
});
