/** Replays; the test itself queues and sends their deliveries. */
import { expect, test } from 'vitest';
import { csv, goods } from '../../../../test/support/feeds.ts';
import { startReceiver, status } from '../../../../test/support/receiver.ts';
import { act, addEndpoint, addProduct, deliveriesOf, POLL } from '../../../../test/support/webhook-seller.ts';
import { startWithoutWorkers } from '../../../../test/support/webhook-workers.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { runReplay } from '../actions/replay.ts';
import { countUnsent, type ReplayRow, replays } from '../store/replays.ts';

const { app, services, numberAll, worker } = await startWithoutWorkers();

interface ReplayView {
  readonly replay_id: string;
  readonly status: string;
  readonly total: number;
  readonly sent: number;
}
const counts = ({ status: state, total, sent }: ReplayView) => ({ status: state, total, sent });

async function begun(count: number) {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'replayed' },
    body: csv(Array.from({ length: count }, (_, index) => goods(`R-${index}`))),
  });
  await numberAll();
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const path = `/webhooks/endpoints/${endpoint_id}`;
  const json = { from: '2020-01-01T00:00:00Z', types: ['product.created'] };
  const { replay_id } = (await seller.call<ReplayView>('POST', `${path}/replay`, { json })).body;
  const shown = async () =>
    counts((await seller.call<ReplayView>('GET', `${path}/replays/${replay_id}`)).body);
  const run = (signal: AbortSignal) => runReplay(services, seller.seller_id, replay_id, signal);
  return { seller, receiver, endpoint_id, replay_id, shown, run };
}

test('a replay counts sent events while others are not queued yet', async () => {
  const { receiver, shown, run } = await begun(1_200);
  expect(await shown()).toEqual({ status: 'running', total: 1_200, sent: 0 });
  // The job is stopped after its first statement, as if its worker had died.
  const cut = AbortSignal.abort();
  let looks = 0;
  const once = { throwIfAborted: () => (looks++ === 0 ? undefined : cut.throwIfAborted()) };
  await expect(run(once as AbortSignal)).rejects.toThrow('aborted');
  expect(await shown()).toEqual({ status: 'running', total: 1_200, sent: 0 });
  worker().go();
  await expect.poll(shown, POLL).toEqual({ status: 'running', total: 1_200, sent: 1_000 });
  await run(AbortSignal.timeout(20_000));
  await expect.poll(shown, POLL).toEqual({ status: 'done', total: 1_200, sent: 1_200 });
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1_200);
});

test('a replay counts queued deliveries once they are sent, and fails when they are skipped', async () => {
  const { seller, endpoint_id, shown, run } = await begun(3);
  await run(AbortSignal.timeout(20_000));
  expect(await shown()).toEqual({ status: 'running', total: 3, sent: 0 });
  const json = { from: '2020-01-01T00:00:00Z', types: ['product.created'] };
  const path = `/webhooks/endpoints/${endpoint_id}`;
  const second = (await seller.call<ReplayView>('POST', `${path}/replay`, { json })).body;
  await runReplay(services, seller.seller_id, second.replay_id, AbortSignal.timeout(20_000));
  const read = async () =>
    counts((await seller.call<ReplayView>('GET', `${path}/replays/${second.replay_id}`)).body);
  expect(await read()).toEqual({ status: 'running', total: 3, sent: 0 });
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  expect(await read()).toEqual({ status: 'failed', total: 3, sent: 0 });
});

test('a replay without types has the types of the endpoint', async () => {
  const { seller, receiver } = await begun(1);
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { event_types: ['order.*'] });
  const ask = async (types: object) => {
    const json = { from: '2020-01-01T00:00:00Z', ...types };
    return (await seller.call('POST', `/webhooks/endpoints/${endpoint_id}/replay`, { json })).body;
  };
  expect(await ask({})).toMatchObject({ total: 0, types: ['order.*'] });
  expect(await ask({ types: ['product.created'] })).toMatchObject({ total: 1 });
});

test('a replay counts attempts that ran when it began', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const door = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await door.promise;
    response.writeHead(204).end();
  };
  worker().go();
  await addProduct(seller, 'R-1');
  await numberAll();
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const path = `/webhooks/endpoints/${endpoint_id}`;
  const json = { from: '2020-01-01T00:00:00Z' };
  const { replay_id } = (await seller.call<ReplayView>('POST', `${path}/replay`, { json })).body;
  await runReplay(services, seller.seller_id, replay_id, AbortSignal.timeout(20_000));
  const shown = async () =>
    counts((await seller.call<ReplayView>('GET', `${path}/replays/${replay_id}`)).body);
  expect(await shown()).toEqual({ status: 'running', total: 1, sent: 0 });
  door.resolve();
  await expect.poll(shown, POLL).toEqual({ status: 'done', total: 1, sent: 1 });
});

test('a replay counts unsent deliveries that a later replay has opened again', async () => {
  const { seller, endpoint_id, shown, run } = await begun(3);
  await run(AbortSignal.timeout(20_000));
  const begin = async (json: object) => {
    const path = `/webhooks/endpoints/${endpoint_id}`;
    const { replay_id } = (await seller.call<ReplayView>('POST', `${path}/replay`, { json })).body;
    await runReplay(services, seller.seller_id, replay_id, AbortSignal.timeout(20_000));
    return async () => counts((await seller.call<ReplayView>('GET', `${path}/replays/${replay_id}`)).body);
  };
  const range = { from: '2020-01-01T00:00:00Z', types: ['product.created'] };
  const second = await begin(range);
  const nothing = await begin({ ...range, to: '2020-01-02T00:00:00Z' });
  expect([await shown(), await second(), await nothing()]).toEqual([
    { status: 'running', total: 3, sent: 0 },
    { status: 'running', total: 3, sent: 0 },
    { status: 'done', total: 0, sent: 0 },
  ]);
  worker().go();
  await expect.poll(shown, POLL).toEqual({ status: 'done', total: 3, sent: 3 });
  expect(await second()).toEqual({ status: 'done', total: 3, sent: 3 });
});

test('a replay of failed deliveries has no others, even if other replays run later', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const path = `/webhooks/endpoints/${endpoint_id}`;
  const begin = async (only_failed: boolean) => {
    const json = { from: '2020-01-01T00:00:00Z', only_failed };
    const { replay_id } = (await seller.call<ReplayView>('POST', `${path}/replay`, { json })).body;
    await runReplay(services, seller.seller_id, replay_id, AbortSignal.timeout(20_000));
    return async () => counts((await seller.call<ReplayView>('GET', `${path}/replays/${replay_id}`)).body);
  };
  const skip = async () => {
    await act(seller, endpoint_id, 'pause');
    await act(seller, endpoint_id, 'resume?skip_missed=true');
  };
  const states = async () => (await deliveriesOf(seller)).map((one) => one.status).sort();
  const first = worker();
  first.go();
  await addProduct(seller, 'F-1');
  await numberAll();
  await expect.poll(states, POLL).toEqual(['succeeded']);
  receiver.answer = status(500, { 'webhook-delivery': 'abort-message' });
  await addProduct(seller, 'F-2');
  await numberAll();
  await expect.poll(states, POLL).toEqual(['failed', 'succeeded']);
  receiver.answer = status(204);
  await first.end();

  const skipped = await begin(true);
  await skip();
  expect(await skipped()).toEqual({ status: 'failed', total: 1, sent: 0 });
  const failed = await begin(true);
  expect(await skipped()).toEqual({ status: 'running', total: 1, sent: 0 });
  const second = worker();
  second.go();
  const done = { status: 'done', total: 1, sent: 1 };
  await expect.poll(failed, POLL).toEqual(done);
  expect(await skipped()).toEqual(done);
  await second.end();

  const all = await begin(false);
  expect([await skipped(), await failed()]).toEqual([done, done]);
  await skip();
  expect([await skipped(), await failed()]).toEqual([done, done]);
  expect(await all()).toEqual({ status: 'failed', total: 2, sent: 0 });
});

test('deliveries that are queued while a replay is read do not count as unsent', async () => {
  const { seller, run, replay_id } = await begun(3);
  const { seller_id } = seller;
  const asSystem = <T>(fn: (at: SellerDb) => Promise<T>) =>
    services.withSystem('webhooks', 'read', (db) => fn({ db, seller_id }));
  const before = await asSystem((at) => replays.find(at, { replay_id }));
  await run(AbortSignal.timeout(20_000));
  const after = await asSystem((at) => replays.find(at, { replay_id }));
  const unsent = (row: ReplayRow | undefined) =>
    asSystem((at) => countUnsent(at, row ?? expect.fail('no replay')));
  expect(await unsent(before)).toMatchObject({ all: 0 });
  expect(await unsent(after)).toMatchObject({ all: 3 });
});
