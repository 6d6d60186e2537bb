/** Deliveries while an account may not use the API. */
import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callInternal } from '../../../../test/support/internal.ts';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
import { addEndpoint, addProduct, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';

const { app, services, numberAll, worker, sqlAs } = await startWithoutWorkers();

const setStanding = (sellerId: string, data: object) =>
  app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: sellerId,
    sellerid: sellerId,
    time: new Date(services.now()).toISOString(),
    data,
  });
const titles = (received: readonly Received[]): unknown[] =>
  received.map(({ event }) => event.data.object['title']);

test.each([
  ['suspended', { status: 'suspended' }, { status: 'active' }, ['account.suspended', 'account.reinstated']],
  [
    'without API access',
    { api_access: false },
    { api_access: true },
    Array(2).fill('account.health_changed'),
  ],
])(
  'while its seller is %s nothing is sent and nothing is lost; then all of it comes',
  async (_, out, back, types) => {
    const [seller, other, receiver] = [await app.seller(), await app.seller(), await startReceiver()];
    const { endpoint_id } = await addEndpoint(seller, receiver.url, {
      event_types: ['*'],
      max_concurrency: 1,
    });
    await addEndpoint(other, receiver.url);
    const one = worker();
    const looks = async (): Promise<void> => {
      await numberAll();
      for (let polls = 0; polls < 5; polls += 1) {
        await one.poll();
        await rest(20);
      }
    };
    await addProduct(seller, 'S-1');
    await numberAll();
    await one.poll();
    await expect.poll(() => titles(receiver.received), POLL).toEqual(['Teapot S-1']);
    // One delivery is due again, one event has no delivery yet, and one event happens after the suspension.
    receiver.answer = status(500);
    const id = await addProduct(seller, 'S-2');
    await numberAll();
    await one.poll();
    await expect.poll(() => receiver.received.length, POLL).toBe(2);
    await addProduct(seller, 'S-3');
    await setStanding(seller.seller_id, out);
    receiver.answer = status(204);
    await sqlAs(
      "update webhook_delivery set next_attempt_at = created_at where object_id = $1 and status = 'pending'",
      [id],
    );
    await addProduct(other, 'S-4');
    await looks();
    await expect.poll(() => titles(receiver.received).at(-1), POLL).toBe('Teapot S-4');
    await looks();
    expect(receiver.received).toHaveLength(3);
    const { text } = await callInternal(app, 'GET', '/metrics');
    expect(text).toContain('spp_webhook_deliveries{state="stopped"} 1');
    await setStanding(seller.seller_id, back);
    await looks();
    one.go();
    await expect.poll(() => receiver.received.length, POLL).toBe(7);
    expect(receiver.received.slice(3).map(({ event }) => event.type)).toEqual([
      'product.created',
      'product.created',
      ...types,
    ]);
    expect(titles(receiver.received).slice(3, 5)).toEqual(['Teapot S-2', 'Teapot S-3']);
    expect((await seller.call('GET', `/webhooks/endpoints/${endpoint_id}`)).body).toMatchObject({
      status: 'active',
    });
  },
);
