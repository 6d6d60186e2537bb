import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const DAY = 24 * 3_600_000;
// Without a worker expired keys are not deleted; they must still expire.
const service = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: new Date(START).toISOString(),
  ROLE: 'api',
});
const moveTo = async (instant: number): Promise<void> => {
  const { status } = await fetch(`${service.internalUrl}/internal/v1/clock`, {
    method: 'POST',
    body: JSON.stringify({ now: new Date(instant).toISOString() }),
    headers: { authorization: `Bearer ${service.internalToken}`, 'content-type': 'application/json' },
  });
  expect(status).toBe(200);
};
const headers = { 'idempotency-key': 'january' };
const create = (of: TestSeller, title: string) =>
  of.call<{ code: string }>('POST', '/products', {
    json: { seller_sku: title, title, status: 'draft' },
    headers,
  });
const feed = (of: TestSeller, sku: string) =>
  of.call<{ code: string; run_id: string }>('POST', '/products/feed-runs', {
    body: `seller_sku,title,status\n${sku},${sku},draft\n`,
    headers: { ...headers, 'content-type': 'text/csv' },
  });

test('a key belongs to its first request for thirty days, and then to the next request', async () => {
  const seller = await service.seller();
  expect((await create(seller, 'first')).status).toBe(201);
  const run = await feed(seller, 'A');
  expect(run.status).toBe(201);
  await moveTo(START + 30 * DAY - 60_000);
  const before = await seller.renew();
  expect((await create(before, 'first')).headers.get('idempotent-replayed')).toBe('true');
  expect((await create(before, 'second')).body.code).toBe('idempotency_key_reused');
  expect((await feed(before, 'B')).body.code).toBe('idempotency_key_reused');
  await moveTo(START + 30 * DAY + 60_000);
  const after = await seller.renew();
  const again = await create(after, 'second');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect((await create(after, 'second')).headers.get('idempotent-replayed')).toBe('true');
  const fresh = await feed(after, 'B');
  expect([fresh.status, fresh.body.run_id === run.body.run_id]).toEqual([201, false]);
  await moveTo(START + 59 * DAY);
  expect((await create(await seller.renew(), 'second')).headers.get('idempotent-replayed')).toBe('true');
});
