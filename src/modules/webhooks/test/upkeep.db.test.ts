/** Retention, sealing with a new key, and the protection of a failing endpoint. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
  untilDeliveries,
} from '../../../../test/support/webhook-seller.ts';
import { createSecrets } from '../../../platform/crypto/secrets.ts';
import { resealSecrets } from '../actions/reseal-secrets.ts';
import { secretContext } from '../domain/secret-context.ts';

const DAY_MS = 24 * 3_600_000;
const KEY = randomBytes(32);
const app = await startTestApp({
  CLOCK: 'manual',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  SECRETS_KEY: KEY.toString('base64'),
});
const { now, withSystem } = app.app.services;
const ask = async (text: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows);

test('deliveries and their attempts are kept for thirty days', async () => {
  const [seller, receiver] = [lasting(await app.seller()), await startReceiver()];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'K-1');
  await untilDeliveries(seller, 'succeeded', 1);
  const kept = async () => {
    const text =
      'select (select count(*)::int from webhook_delivery where seller_id = $1) as deliveries, ' +
      '(select count(*)::int from webhook_attempt where seller_id = $1) as attempts';
    return (await ask(text, [seller.seller_id]))[0];
  };
  const move = (ms: number) =>
    callInternal(app, 'POST', '/internal/v1/clock', { body: { now: new Date(now() + ms).toISOString() } });
  await move(29 * DAY_MS);
  expect(await kept()).toEqual({ deliveries: 1, attempts: 1 });
  await move(2 * DAY_MS);
  expect(await kept()).toEqual({ deliveries: 0, attempts: 0 });
});

test('secrets are sealed with the new key, so that the old one can go', async () => {
  const seller = lasting(await app.seller());
  const { endpoint_id, secret } = await addEndpoint(seller, 'https://hooks.example.test/');
  await act(seller, endpoint_id, 'rotate-secret');
  const fresh = randomBytes(32);
  const both = createSecrets([fresh, KEY]);
  const services = { secrets: both, withSystem };
  const signal = AbortSignal.timeout(20_000);
  expect(await resealSecrets(services, signal)).toBeGreaterThan(0);
  expect(await resealSecrets(services, signal)).toBe(0);
  const [row] = await ask('select retired_secrets from webhook_endpoint where endpoint_id = $1', [
    endpoint_id,
  ]);
  const retired = row?.['retired_secrets'] as { secret: string }[];
  expect(createSecrets([fresh]).open(retired[0]?.secret ?? '', secretContext(endpoint_id))).toBe(secret);
  // Sealed again with the key of this service.
  expect(await resealSecrets({ secrets: createSecrets([KEY, fresh]), withSystem }, signal)).toBeGreaterThan(
    0,
  );
});

test('a deleted endpoint keeps no secret', async () => {
  const seller = lasting(await app.seller());
  const { endpoint_id } = await addEndpoint(seller, 'https://hooks.example.test/');
  await seller.call('DELETE', `/webhooks/endpoints/${endpoint_id}`);
  const text = 'select secret, retired_secrets from webhook_endpoint where endpoint_id = $1';
  expect(await ask(text, [endpoint_id])).toEqual([{ secret: '', retired_secrets: [] }]);
});

test('a failing endpoint gets little of a burst, and other endpoints do not wait', async () => {
  const seller = lasting(await app.seller({ plan: 'Small' }));
  const [failing, fine] = [await startReceiver(status(500)), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, failing.url);
  await addEndpoint(seller, fine.url);
  const file = `seller_sku,status,title\n${Array.from({ length: 1_500 }, (_, n) => `B-${n},draft,Mug ${n}`).join('\n')}\n`;
  const headers = { 'content-type': 'text/csv', 'idempotency-key': randomUUID() };
  expect((await seller.call('POST', '/products/feed-runs', { body: file, headers })).status).toBe(201);
  await expect
    .poll(() => [fine.received.length, failing.received.length >= 1_000], POLL)
    .toEqual([1_500, true]);
  await sleep(500);
  // A thousand deliveries are open, and those that were made before the first failure was known: a window and two
  // steps. One more was sent to find out whether the receiver is back.
  expect(failing.received.length).toBeLessThanOrEqual(1_201);
  // An answer counts once the worker has saved it, which comes after the receiver has seen the request.
  const health = async () => {
    const { body } = await seller.call<{ endpoints: { endpoint_id: string; health: object }[] }>(
      'GET',
      '/webhooks',
    );
    return body.endpoints.find((one) => one.endpoint_id === endpoint_id)?.health;
  };
  await expect.poll(health, POLL).toMatchObject({ failure_rate: 1, failed: 1_000, backlog: 1_500 });

  failing.answer = status(204);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume');
  const taken = () => new Set(failing.received.map(({ event }) => event.id)).size;
  await expect.poll(taken, POLL).toBe(1_500);
  await expect.poll(async () => (await deliveriesOf(seller, '&status=pending')).length, POLL).toBe(0);
});
