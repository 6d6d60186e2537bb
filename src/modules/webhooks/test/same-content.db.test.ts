/** An event is the same for every reader, at any time and by any route. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { csv, goods } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { type Receiver, startReceiver } from '../../../../test/support/receiver.ts';
import { act, addEndpoint, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';
import { runReplay } from '../actions/replay.ts';

const { app, services, numberAll, numberOnce, worker, sqlAs } = await startWithoutWorkers();

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly object_version: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

const SKUS = ['A', 'B', 'C'];
let prices = 100;
const feedAll = async (seller: TestSeller): Promise<void> => {
  prices += 1;
  const { status } = await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': `feed-${prices}` },
    body: csv(SKUS.map((sku) => goods(sku, { price: `${prices}.00`, quantity: prices }))),
  });
  expect(status).toBe(201);
};
const pull = async (seller: TestSeller): Promise<readonly EventView[]> =>
  (await seller.call<{ data: EventView[] }>('GET', '/webhooks/events?limit=200')).body.data;
const received = ({ received: all }: Receiver): readonly EventView[] =>
  all.map(({ event }) => event as never);
async function internal(seller: TestSeller): Promise<readonly EventView[]> {
  const { body } = await callInternal(app, 'GET', '/internal/v1/outbox?limit=1000');
  const events = body?.['data'] as (EventView & { readonly seller_id: string })[];
  return events.filter(
    ({ seller_id, type }) => seller_id === seller.seller_id && type !== 'seller.registered',
  );
}
const contents = (events: readonly EventView[]): [string, string][] =>
  events.map(({ id, object_version, data }) => [id, JSON.stringify([object_version, data])]);

/** The versions of each object, in the order of the events. */
function backwards(events: readonly EventView[]): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ type, data, object_version, sequence }) => {
    const key = `${type.split('.')[0]} ${String(data.object['product_id'])}`;
    const before = last.get(key) ?? 0;
    last.set(key, object_version);
    return object_version < before ? [`${sequence} ${key}: ${object_version} after ${before}`] : [];
  });
}

test('an event is the same on two endpoints, one of them paused, in the pull form, for the marketplace and in replays', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const [first, second] = [await startReceiver(), await startReceiver()];
  const types = { event_types: ['product.*', 'inventory.*'] };
  const ends = [await addEndpoint(seller, first.url, types), await addEndpoint(seller, second.url, types)];
  const [a = '', b = ''] = ends.map(({ endpoint_id }) => endpoint_id);
  for (const id of [a, b]) await act(seller, id, 'pause');
  await feedAll(seller);
  const { body } = await seller.call<{ data: { product_id: string }[] }>('GET', '/products');
  const patch = async (title: string) => {
    for (const { product_id } of body.data)
      expect((await seller.call('PATCH', `/products/${product_id}`, { json: { title } })).status).toBe(200);
  };
  await patch('second');
  await patch('third');
  await numberAll();
  const one = worker();
  one.go();
  await act(seller, a, 'resume');
  await expect.poll(() => first.received.length, POLL).toBe(12);
  expect(backwards(received(first))).toEqual([]);
  await patch('fourth');
  await numberAll();
  const pulled = (await pull(seller)).filter(({ type }) => /^(?:product|inventory)/.test(type));
  await patch('fifth');
  await numberAll();
  await act(seller, b, 'resume');
  await expect.poll(() => second.received.length, POLL).toBe(18);
  expect(backwards(received(second))).toEqual([]);
  const path = `/webhooks/endpoints/${a}/replay`;
  const json = { from: '2020-01-01T00:00:00Z', types: types.event_types };
  await expect.poll(() => first.received.length, POLL).toBe(18);
  const { replay_id } = (await seller.call<{ replay_id: string }>('POST', path, { json })).body;
  await runReplay(services, seller.seller_id, replay_id, AbortSignal.timeout(20_000));
  await expect.poll(() => first.received.length, POLL).toBe(36);
  const all = [...received(first), ...received(second), ...pulled, ...(await internal(seller))];
  const known = new Map(contents(await pull(seller)));
  expect(contents(all).filter(([id, content]) => known.get(id) !== content)).toEqual([]);
});

test('under random interleavings the versions of an object never go back, and the last event shows it as it is', async () => {
  const step = fc.oneof(
    fc.constant('feed' as const),
    fc.constant('patch' as const),
    fc.constant('stock' as const),
    fc.constant('number' as const),
    fc.constant('pull' as const),
    fc.constant('tell' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const seller = await app.seller({ plan: 'Big' });
      await feedAll(seller);
      const { body } = await seller.call<{ data: { product_id: string }[] }>('GET', '/products');
      const [{ product_id: id } = { product_id: '' }] = body.data;
      const seen = new Map<string, string>();
      const look = (events: readonly EventView[]): void => {
        for (const [event, content] of contents(events)) {
          expect(seen.get(event) ?? content).toBe(content);
          seen.set(event, content);
        }
      };
      const does = {
        feed: () => feedAll(seller),
        patch: () => seller.call('PATCH', `/products/${id}`, { json: { title: crypto.randomUUID() } }),
        stock: () =>
          seller.call('POST', '/products/inventory/adjust', {
            json: { adjustments: [{ product_id: id, delta: 1 }] },
          }),
        number: () => numberOnce(),
        pull: async () => look(await pull(seller)),
        tell: async () => look(await internal(seller)),
      };
      for (const name of steps) await does[name]();
      await numberAll();
      const events = await pull(seller);
      look(events);
      look(await internal(seller));
      expect(backwards(events.filter(({ type }) => /^(?:product|inventory)/.test(type)))).toEqual([]);
      const { rows } = await sqlAs(
        'select p.version, i.version as stock from product p join inventory i using (seller_id, product_id) where product_id = $1',
        [id],
      );
      const lastOf = (family: string) =>
        events.findLast(({ type, data }) => type.startsWith(family) && data.object['product_id'] === id);
      expect([lastOf('product')?.object_version, lastOf('inventory')?.object_version]).toEqual([
        rows[0]?.version,
        rows[0]?.stock,
      ]);
    }),
    { numRuns: 12 },
  );
});
