import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { act, addEndpoint, addProduct } from '../../../../test/support/webhook-seller.ts';

// No worker runs, so that open work stays open.
const app = await startTestApp({ ROLE: 'api' });

async function figures(): Promise<Record<string, number>> {
  const { status, text } = await callInternal(app, 'GET', '/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => /^spp_(?:events|webhook)_/.test(line));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

test('the metrics show unnumbered events, due deliveries and stopped ones', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const url = 'https://hooks.example.test/';
  const [a, b] = [await addEndpoint(seller, url), await addEndpoint(seller, url)];
  const before = await figures();
  expect(before).toEqual({
    'spp_events_unnumbered{written="single"}': expect.any(Number),
    'spp_events_unnumbered{written="bulk"}': 0,
    'spp_events_delay_seconds{written="single"}': expect.any(Number),
    'spp_events_delay_seconds{written="bulk"}': 0,
    'spp_webhook_deliveries{state="due"}': 0,
    'spp_webhook_deliveries{state="retrying"}': 0,
    'spp_webhook_deliveries{state="parked"}': 0,
    'spp_webhook_deliveries{state="stopped"}': 0,
    'spp_webhook_delay_seconds{state="due"}': 0,
    'spp_webhook_endpoints{state="active"}': 2,
    'spp_webhook_endpoints{state="failing"}': 0,
    'spp_webhook_endpoints{state="paused"}': 0,
    'spp_webhook_endpoints{state="disabled"}': 0,
  });
  await act(seller, a.endpoint_id, 'test');
  await act(seller, b.endpoint_id, 'test');
  await act(seller, b.endpoint_id, 'pause');
  await addProduct(seller, 'G-1');
  const rows = ['seller_sku,status,title', 'G-2,draft,Cup', 'G-3,draft,Mug'].join('\n');
  const headers = { 'content-type': 'text/csv', 'idempotency-key': 'gauges' };
  expect((await seller.call('POST', '/products/feed-runs', { headers, body: rows })).status).toBe(201);
  const after = await figures();
  expect(after).toMatchObject({
    'spp_webhook_deliveries{state="due"}': 1,
    'spp_webhook_deliveries{state="stopped"}': 1,
    'spp_webhook_endpoints{state="active"}': 1,
    'spp_webhook_endpoints{state="paused"}': 1,
  });
  const unnumbered = (of: Record<string, number>): number =>
    (of['spp_events_unnumbered{written="single"}'] ?? 0) + (of['spp_events_unnumbered{written="bulk"}'] ?? 0);
  // Three products were added.
  expect(unnumbered(after)).toBeGreaterThanOrEqual(unnumbered(before) + 3);
  for (const name of ['spp_events_delay_seconds{written="bulk"}', 'spp_webhook_delay_seconds{state="due"}'])
    expect(after[name]).toBeGreaterThan(0);
});
