/** Endpoints over days, on a clock that the test moves: retries, pauses, disabling, resuming. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { startReceiver, status } from '../../../../test/support/receiver.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import {
  act,
  addEndpoint,
  addProduct,
  deliveriesOf,
  lasting,
  POLL,
  readDelivery,
  readEndpoint,
  untilDeliveries,
  untilNumbered,
} from '../../../../test/support/webhook-seller.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T01:00:00.000Z',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
});
const { now } = app.app.services;
const newSeller = async (plan: 'Free' | 'Small' = 'Free') => lasting(await app.seller({ plan }));
const moveBy = async (ms: number): Promise<void> => {
  const at = new Date(now() + ms).toISOString();
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: at } });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
};

test('retries follow the schedule, each at its own instant, before a move of the clock is answered', async () => {
  const [seller, receiver] = [await newSeller(), await startReceiver(status(500))];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'R-1');
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
  // After all attempts: the whole schedule, with its jitter, takes less than four days.
  await moveBy(4 * DAY_MS);
  expect(receiver.received).toHaveLength(10);
  const [record] = await deliveriesOf(seller);
  expect(record).toMatchObject({ status: 'failed', reason: 'exhausted', attempt_count: 10 });
  const detail = await readDelivery(seller, record?.delivery_id);
  const times = detail.attempts.map(({ at }) => Date.parse(at));
  const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, delay] of seconds.entries()) {
    const waited = ((times[index + 1] ?? 0) - (times[index] ?? 0)) / 1_000;
    expect(waited).toBeGreaterThanOrEqual(delay * 0.8 - 1);
    expect(waited).toBeLessThanOrEqual(delay * 1.2 + 1);
  }
  const signed = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']) * 1_000);
  expect(signed.every((at, index) => Math.abs(at - (times[index] ?? 0)) < 1_000)).toBe(true);
});

test('attempts of different deliveries are made in the order of their instants', async () => {
  const [seller, receiver] = [await newSeller(), await startReceiver(status(503, { 'retry-after': '7200' }))];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'I-1');
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
  receiver.answer = status(500);
  await moveBy(HOUR_MS);
  expect(receiver.received).toHaveLength(1);
  await addProduct(seller, 'I-2');
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
  await moveBy(2 * HOUR_MS);
  const instants = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(instants).toEqual([...instants].sort((a, b) => a - b));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
  expect(receiver.received.length).toBeGreaterThan(4);
});

describe('answers of a receiver', () => {
  test.each([
    ['seconds', () => '7200', 2 * HOUR_MS],
    ['a date', () => new Date(now() + 3 * HOUR_MS).toUTCString(), 3 * HOUR_MS],
    ['more than a day', () => '999999', DAY_MS],
    ['less than the schedule', () => '1', 5_000],
  ])('Retry-After with %s delays the retry', async (_, value, expected) => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    receiver.answer = (response) => response.writeHead(429, { 'retry-after': value() }).end();
    await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'A-1');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    const waits = Date.parse(String((await deliveriesOf(seller))[0]?.next_attempt_at)) - now();
    expect(waits).toBeGreaterThanOrEqual(expected * (expected === 5_000 ? 0.8 : 1) - 1_000);
    expect(waits).toBeLessThanOrEqual(expected * (expected === 5_000 ? 1.2 : 1));
    await act(seller, (await deliveriesOf(seller))[0]?.endpoint_id ?? '', 'pause');
  });

  test('abort-message ends the delivery, the next one is sent', async () => {
    const [seller, receiver] = [
      await newSeller(),
      await startReceiver(status(422, { 'webhook-delivery': 'abort-message' })),
    ];
    await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'S-1');
    await untilDeliveries(seller, 'failed', 1);
    expect(await deliveriesOf(seller)).toMatchObject([{ reason: 'aborted', attempt_count: 1 }]);
    receiver.answer = status(204);
    await addProduct(seller, 'S-2');
    await untilDeliveries(seller, 'succeeded', 1);
  });

  test('410 disables the endpoint; after a resume the missed events come, oldest first', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver(status(410))];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'G-1');
    await expect
      .poll(() => readEndpoint(seller, endpoint_id), POLL)
      .toMatchObject({
        status: 'disabled',
        disabled_reason: 'gone',
      });
    await addProduct(seller, 'G-2');
    await addProduct(seller, 'G-3');
    await moveBy(DAY_MS);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = status(204);
    expect(await act(seller, endpoint_id, 'resume')).toMatchObject({
      status: 'active',
      disabled_reason: null,
    });
    await expect.poll(() => receiver.received.length, POLL).toBe(4);
    const skus = receiver.received.map(({ event }) => event.data.object['seller_sku']);
    expect(skus[0]).toBe('G-1');
    expect(skus.slice(1).sort()).toEqual(['G-1', 'G-2', 'G-3']);
    const pulled = await seller.call<{ data: { type: string; data: { object: unknown } }[] }>(
      'GET',
      '/webhooks/events?types=webhook_endpoint.disabled',
    );
    expect(pulled.body.data).toMatchObject([{ data: { object: { endpoint_id, disabled_reason: 'gone' } } }]);
  });
});

describe('an endpoint whose attempts all fail', () => {
  test('is disabled after five days, with an event and a notification, and loses no event', async () => {
    const [seller, receiver, watcher] = [
      await newSeller('Small'),
      await startReceiver(status(500)),
      await startReceiver(),
    ];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await addEndpoint(seller, watcher.url, { event_types: ['webhook_endpoint.*'] });
    await addProduct(seller, 'Z-1');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    await moveBy(4 * DAY_MS);
    expect((await readEndpoint(seller, endpoint_id)).status).toBe('active');
    await addProduct(seller, 'Z-2');
    await moveBy(1.5 * DAY_MS);
    expect(await readEndpoint(seller, endpoint_id)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    });
    // Before the request that moves the clock is answered, events on the way are delivered at their instants.
    expect(watcher.received.map(({ event }) => event.type)).toEqual(['webhook_endpoint.disabled']);
    expect(watcher.received[0]?.text).not.toContain('whsec_');
    const { body: notices } = await seller.call<{ data: { type: string; object_id: string }[] }>(
      'GET',
      '/notifications',
    );
    const ofEndpoints = notices.data.filter(({ type }) => type.startsWith('webhook_endpoint.'));
    expect(ofEndpoints).toMatchObject([{ type: 'webhook_endpoint.disabled', object_id: endpoint_id }]);
    const attempts = receiver.received.length;
    await addProduct(seller, 'Z-3');
    await moveBy(DAY_MS);
    expect(receiver.received).toHaveLength(attempts);

    receiver.received.length = 0;
    receiver.answer = status(204);
    await act(seller, endpoint_id, 'resume');
    // The first delivery was given up while every attempt failed, so it is missed like the others.
    await expect
      .poll(() => receiver.received.map(({ event }) => event.data.object['seller_sku']).sort(), POLL)
      .toEqual(['Z-1', 'Z-2', 'Z-3']);
  });

  test('is not disabled when an attempt succeeded in between', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver(status(500))];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'Y-1');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    await moveBy(3 * DAY_MS);
    receiver.answer = status(204);
    await addProduct(seller, 'Y-2');
    await untilDeliveries(seller, 'succeeded', 1);
    receiver.answer = status(500);
    await addProduct(seller, 'Y-3');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    await moveBy(3 * DAY_MS);
    expect((await readEndpoint(seller, endpoint_id)).status).toBe('active');
  });

  test('is disabled although test events succeeded, because they do not count', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    receiver.answer = (response, { event }) => response.writeHead(event.test ? 204 : 500).end();
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    const health = async () => {
      const path = '/webhooks';
      const { body } = await seller.call<{ endpoints: { health: Record<string, unknown> }[] }>('GET', path);
      return body.endpoints[0]?.health;
    };
    await addProduct(seller, 'X-1');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    const before = await health();
    expect(before).toMatchObject({ attempts: 1, succeeded: 0, last_success_at: null });
    await act(seller, endpoint_id, 'test');
    await untilDeliveries(seller, 'succeeded', 1);
    expect(await health()).toEqual(before);
    await moveBy(3 * DAY_MS);
    await act(seller, endpoint_id, 'test');
    await untilDeliveries(seller, 'succeeded', 2);
    await moveBy(3 * DAY_MS);
    expect((await readEndpoint(seller, endpoint_id)).status).toBe('disabled');
  });

  test('is not disabled for days in which its seller was suspended', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver(status(500))];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    const stand = (data: object) =>
      app.events({
        specversion: '1.0',
        id: randomUUID(),
        source: '/test',
        type: 'marketplace.seller.standing_changed',
        subject: seller.seller_id,
        sellerid: seller.seller_id,
        time: new Date(now()).toISOString(),
        data,
      });
    await addProduct(seller, 'U-1');
    await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
    await stand({ status: 'suspended' });
    const attempts = receiver.received.length;
    await moveBy(6 * DAY_MS);
    expect(receiver.received).toHaveLength(attempts);
    await stand({ status: 'active' });
    await moveBy(DAY_MS);
    expect((await readEndpoint(seller, endpoint_id)).status).toBe('active');
    expect(receiver.received.length).toBeGreaterThan(attempts);
    await moveBy(5 * DAY_MS);
    expect((await readEndpoint(seller, endpoint_id)).status).toBe('disabled');
  });
});

describe('paused', () => {
  test('nothing is sent, nothing is lost, and afterwards the oldest event comes first', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
    expect((await act(seller, endpoint_id, 'pause')).status).toBe('paused');
    for (const sku of ['P-1', 'P-2', 'P-3']) await addProduct(seller, sku);
    await untilNumbered(seller, 3);
    await moveBy(DAY_MS);
    expect(receiver.received).toEqual([]);
    const overview = await seller.call<{ backlog: number; counts: object }>('GET', '/webhooks');
    expect(overview.body).toMatchObject({ backlog: 3, counts: { active: 0, paused: 1, disabled: 0 } });
    await act(seller, endpoint_id, 'resume');
    await expect.poll(() => receiver.received.length, POLL).toBe(3);
    expect(receiver.received.map(({ event }) => event.data.object['seller_sku'])).toEqual([
      'P-1',
      'P-2',
      'P-3',
    ]);
  });

  test('a resume can skip what was missed', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await act(seller, endpoint_id, 'pause');
    await addProduct(seller, 'K-1');
    await act(seller, endpoint_id, 'resume?skip_missed=true');
    await addProduct(seller, 'K-2');
    await expect.poll(() => receiver.received.length, POLL).toBe(1);
    await untilDeliveries(seller, 'succeeded', 1);
    expect(receiver.received.map(({ event }) => event.data.object['seller_sku'])).toEqual(['K-2']);
  });
});

describe('by hand', () => {
  test('a delivery in any status is sent again with its id', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'M-1');
    await untilDeliveries(seller, 'succeeded', 1);
    const [record] = await deliveriesOf(seller);
    const retry = () =>
      seller.call<{ code?: string }>('POST', `/webhooks/deliveries/${record?.delivery_id}/retry`);
    expect((await retry()).status).toBe(202);
    await expect.poll(() => receiver.received.length, POLL).toBe(2);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([record?.delivery_id]));
    await expect
      .poll(() => readDelivery(seller, record?.delivery_id), POLL)
      .toMatchObject({ status: 'succeeded', attempt_count: 2, trigger: 'retry' });
    await act(seller, endpoint_id, 'pause');
    const refused = await retry();
    expect([refused.status, refused.body.code]).toEqual([409, 'endpoint_not_active']);
    await act(seller, endpoint_id, 'resume');
    await runOn(app.database.adminUrl, (client) =>
      client.query('delete from outbox where seller_id = $1', [seller.seller_id]),
    );
    const late = await retry();
    expect([late.status, late.body.code]).toEqual([409, 'event_expired']);
  });

  test('a disabled endpoint cannot be paused', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver(status(410))];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    await addProduct(seller, 'B-1');
    await expect.poll(async () => (await readEndpoint(seller, endpoint_id)).status, POLL).toBe('disabled');
    const { status: code, body } = await seller.call<{ code: string }>(
      'POST',
      `/webhooks/endpoints/${endpoint_id}/pause`,
    );
    expect([code, body.code]).toEqual([409, 'endpoint_not_active']);
  });
});

describe('a replay', () => {
  interface Replay {
    readonly replay_id: string;
    readonly status: string;
    readonly total: number;
    readonly sent: number;
  }

  test('delivers a range again, oldest first, with events older than the endpoint', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    await addProduct(seller, 'V-1');
    await untilNumbered(seller, 1);
    await moveBy(HOUR_MS);
    const from = new Date(now()).toISOString();
    await addProduct(seller, 'V-2');
    await addProduct(seller, 'V-3');
    await untilNumbered(seller, 3);
    await moveBy(HOUR_MS);
    const to = new Date(now()).toISOString();
    const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
    const path = `/webhooks/endpoints/${endpoint_id}`;
    const ask = (json: object) => seller.call<Replay>('POST', `${path}/replay`, { json });
    const begun = await ask({ from, to, types: ['product.created'] });
    expect([begun.status, begun.body]).toMatchObject([202, { status: 'running', total: 2, sent: 0 }]);
    const follow = async () =>
      (await seller.call<Replay>('GET', `${path}/replays/${begun.body.replay_id}`)).body;
    await expect.poll(follow, POLL).toMatchObject({ status: 'done', total: 2, sent: 2 });
    expect(receiver.received.map(({ event }) => event.data.object['seller_sku'])).toEqual(['V-2', 'V-3']);
    const ids = receiver.received.map(({ id }) => id);

    const again = await ask({ from, to });
    await expect.poll(() => receiver.received.length, POLL).toBe(4);
    expect(receiver.received.map(({ id }) => id)).toEqual([...ids, ...ids]);
    expect(again.body.total).toBe(2);

    const failed = await ask({ from: '2026-06-01T00:00:00Z', only_failed: true });
    expect(failed.body.total).toBe(0);
    expect((await ask({ from: to, to: from })).status).toBe(422);
    expect((await ask({ from: 'yesterday' })).status).toBe(422);
    const unknown = await ask({ from, types: ['product.*', 'product.exploded'] });
    expect([unknown.status, unknown.body]).toMatchObject([422, { detail: [{ loc: ['body', 'types', 1] }] }]);
    await act(seller, endpoint_id, 'pause');
    expect((await ask({ from })).status).toBe(409);
  });

  test('of failed deliveries sends only those', async () => {
    const [seller, receiver] = [await newSeller(), await startReceiver()];
    receiver.answer = (response, { event }) =>
      response
        .writeHead(event.data.object['seller_sku'] === 'W-1' ? 422 : 204, {
          'webhook-delivery': 'abort-message',
        })
        .end();
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    const from = new Date(now()).toISOString();
    for (const sku of ['W-1', 'W-2']) await addProduct(seller, sku);
    await untilDeliveries(seller, 'succeeded', 1);
    await untilDeliveries(seller, 'failed', 1);
    receiver.answer = status(204);
    const path = `/webhooks/endpoints/${endpoint_id}/replay`;
    const begun = await seller.call<Replay>('POST', path, { json: { from, only_failed: true } });
    expect(begun.body.total).toBe(1);
    await untilDeliveries(seller, 'succeeded', 2);
    expect(receiver.received.map(({ event }) => event.data.object['seller_sku'])).toHaveLength(3);
    expect(receiver.received.at(-1)?.event.data.object['seller_sku']).toBe('W-1');
  });
});
