/** Days of a suspension do not count towards the disabling of an endpoint. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { startReceiver, status } from '../../../../test/support/receiver.ts';
import {
  addEndpoint,
  addProduct,
  deliveriesOf,
  lasting,
  POLL,
  readEndpoint,
} from '../../../../test/support/webhook-seller.ts';

const DAY_MS = 86_400_000;
const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T01:00:00.000Z',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
});
const { now } = app.app.services;

test('a seller who returns from a suspension has five more days', async () => {
  const [seller, receiver] = [lasting(await app.seller()), await startReceiver(status(500))];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const moveBy = async (ms: number): Promise<void> => {
    const body = { now: new Date(now() + ms).toISOString() };
    expect((await callInternal(app, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  };
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
  const standing = async () => (await readEndpoint(seller, endpoint_id)).status;
  await addProduct(seller, 'U-1');
  await expect.poll(async () => (await deliveriesOf(seller))[0]?.attempt_count, POLL).toBe(1);
  await stand({ status: 'suspended' });
  await moveBy(4.9 * DAY_MS);
  await stand({ status: 'active' });
  await moveBy(0.2 * DAY_MS);
  // Another plan is no suspension.
  await stand({ plan: 'Small' });
  expect(await standing()).toBe('active');
  await moveBy(4.7 * DAY_MS);
  expect(await standing()).toBe('active');
  await moveBy(0.2 * DAY_MS);
  expect(await standing()).toBe('disabled');
});
