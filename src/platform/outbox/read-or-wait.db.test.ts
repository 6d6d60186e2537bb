/** Requests that wait for events (`wait=`) do not use the places and connections of other requests. */
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestSeller } from '../../../test/support/app.ts';
import { create } from '../../../test/support/products.ts';

const MAX_IN_FLIGHT = 4;
const MAX_WAITING = 12;
const app = await startTestApp({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT), MAX_WAITING: String(MAX_WAITING) });
const observer = new pg.Client(app.database.adminUrl);
await observer.connect();
afterAll(() => observer.end());
const past = vi.spyOn(app.app.services.waiters, 'past');

const WAITS = ['/webhooks/events?after_sequence=0&wait=25', '/notifications?after=0&wait=25'];

/** Begins requests one after the other, each once the one before it waits. */
async function beginWaits(seller: TestSeller, count: number) {
  const answers = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(seller.call<{ data: unknown[] }>('GET', WAITS[index % WAITS.length] ?? ''));
    await expect.poll(() => past.mock.calls.length, { interval: 5, timeout: 10_000 }).toBe(index + 1);
  }
  return answers;
}

test('more requests may wait than may be in flight, and other requests are answered', async () => {
  past.mockClear();
  const seller = await app.seller();
  const waits = await beginWaits(seller, MAX_WAITING);
  for (let index = 0; index < MAX_IN_FLIGHT; index += 1)
    expect((await seller.call('GET', '/products')).status).toBe(200);

  const open = await observer.query(
    "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
  );
  expect(open.rowCount).toBe(0);

  const from = performance.now();
  const refused = await seller.call<{ data: unknown[] }>('GET', WAITS[0] ?? '');
  expect([refused.status, refused.body.data]).toEqual([200, []]);
  expect(performance.now() - from).toBeLessThan(5_000);

  const { product_id } = await create(seller, { quantity_on_hand: 1 });
  const soldOut = await seller.call('PATCH', `/products/${product_id}`, { json: { quantity_on_hand: 0 } });
  expect(soldOut.status).toBe(200);
  for (const wait of waits) {
    const { status, body } = await wait;
    expect([status, body.data.length]).toEqual([200, expect.any(Number)]);
    expect(body.data.length).toBeGreaterThan(0);
  }
});

test('a client that goes away gives back its place among the waiting requests', async () => {
  past.mockClear();
  const seller = await app.seller();
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${seller.token}` };
  const waits = Array.from({ length: MAX_WAITING }, async () => {
    await fetch(`${app.url}/api/v1${WAITS[0]}`, { headers, signal: gone.signal }).catch(() => undefined);
  });
  await expect.poll(() => past.mock.calls.length).toBeGreaterThan(0);
  gone.abort();
  await Promise.all(waits);
  const waited = async (): Promise<number> => {
    const from = performance.now();
    await seller.call('GET', '/webhooks/events?wait=1');
    return performance.now() - from;
  };
  await expect.poll(waited, { timeout: 10_000 }).toBeGreaterThan(900);
});
