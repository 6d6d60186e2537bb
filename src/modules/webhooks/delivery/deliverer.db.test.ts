/** Workers that the test moves itself: what happens between two looks, and what one leaves to the next. */
import { setTimeout as rest } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { csv, goods } from '../../../../test/support/feeds.ts';
import { type Received, startReceiver, status } from '../../../../test/support/receiver.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import {
  act,
  addEndpoint,
  addProduct,
  deliveriesOf,
  PATIENCE,
} from '../../../../test/support/webhook-seller.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { MODULES } from '../../../modules.ts';
import { createCaller } from '../../../platform/net/call.ts';
import { parseRanges } from '../../../platform/net/classify-address.ts';
import { createResolveHost } from '../../../platform/net/resolve-host.ts';
import { createSequencer } from '../../../platform/outbox/sequencer.ts';
import type { Services } from '../../../platform/services.ts';
import { runReplay } from '../actions/replay.ts';
import { Deliverer } from './deliverer.ts';

const LOOPBACK = '127.0.0.0/8';
// Nothing is numbered or delivered but by the test.
const app = await startTestApp({
  ROLE: 'api',
  WEBHOOK_ALLOWED_CIDRS: LOOPBACK,
  WEBHOOK_RETRY_SCHEDULE: '0,3600,3600',
});
const { services } = app.app;
const sequencer = createSequencer({
  ...services,
  events: MODULES.flatMap((module) => module.events ?? []),
});
const numberAll = async (): Promise<void> => {
  while ((await sequencer.round()) > 0);
};

/** What a worker's statements go through, each after its answer. */
type Between = (text: string, rows: number) => Promise<void>;

const through =
  (between: Between): Services['withSystem'] =>
  (reason, mode, fn, options) =>
    services.withSystem(
      reason,
      mode,
      (db) => {
        const all: CursorDb['all'] = async (statement) => {
          const rows = await db.all(statement);
          await between(statement.text, rows.length);
          return rows;
        };
        return fn({
          all,
          one: (statement) => db.one(statement),
          run: (statement) => db.run(statement),
          cursor: (statement, size) => db.cursor(statement, size),
        });
      },
      options,
    );

/** A worker that looks when it is told to, or all the time. */
function worker(between: Between = async () => undefined) {
  const warnings: string[] = [];
  const log = { ...services.log, warn: (_: unknown, message: string) => warnings.push(message) };
  const caller = createCaller({
    resolve: createResolveHost(),
    opened: parseRanges([LOOPBACK]),
    timeoutMs: 15_000,
    headBytes: 2_048,
  });
  const one = new Deliverer({
    services: { ...services, log: log as never, withSystem: through(between) },
    caller,
  });
  let timer: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await one.stop(0);
  };
  onTestFinished(end);
  const go = (): void => {
    timer = setInterval(() => void one.tick(), 20);
  };
  return { look: () => one.tick(), go, end, warnings };
}

const rename = (
  seller: { call: Awaited<ReturnType<typeof app.seller>>['call'] },
  id: string,
  title: string,
) => seller.call('PATCH', `/products/${id}`, { json: { title } });
const titles = (received: readonly Received[]): unknown[] =>
  received.map(({ event }) => event.data.object['title']);
const sqlAs = (text: string, values: unknown[]) =>
  runOn(app.database.adminUrl, (client) => client.query(text, values));

test('what was read while the endpoint was paused is not sent', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { max_concurrency: 1 });
  for (const sku of ['P-1', 'P-2', 'P-3']) await addProduct(seller, sku);
  await numberAll();
  const gate = Promise.withResolvers<void>();
  const made = Promise.withResolvers<void>();
  const one = worker(async (text) => {
    if (!text.startsWith('with head as')) return;
    made.resolve();
    await gate.promise;
  });
  await one.look();
  await made.promise;
  await act(seller, endpoint_id, 'pause');
  await one.look();
  gate.resolve();
  await rest(50);
  for (let look = 0; look < 5; look += 1) await one.look();
  expect(receiver.received).toEqual([]);
  await act(seller, endpoint_id, 'resume');
  one.go();
  await expect.poll(() => receiver.received.length, PATIENCE).toBe(3);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3]);
});

test('what waits for an event that was passed over while it was under way waits no longer', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const [first, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  receiver.answer = async (response, { event }) => {
    if (event.data.object['title'] === 'Teapot V-1') {
      await first.promise;
      response.writeHead(500).end();
    } else if (event.data.object['title'] === 'Teapot V-2') {
      await other.promise;
      response.writeHead(204).end();
    } else response.writeHead(204).end();
  };
  const one = worker();
  one.go();
  const product = await addProduct(seller, 'V-1');
  await numberAll();
  await expect.poll(() => receiver.received.length, PATIENCE).toBe(1);
  await act(seller, endpoint_id, 'pause');
  await act(seller, endpoint_id, 'resume?skip_missed=true');
  // Keeps the endpoint in this worker's hands.
  await addProduct(seller, 'V-2');
  await numberAll();
  await expect.poll(() => receiver.received.length, PATIENCE).toBe(2);
  first.resolve();
  await rest(100);
  await rename(seller, product, 'Teapot V-3');
  await numberAll();
  await expect.poll(() => titles(receiver.received), { ...PATIENCE, timeout: 8_000 }).toContain('Teapot V-3');
  other.resolve();
});

test('what a killed worker has left waiting behind nothing goes on, whatever else waits for its instant', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver(status(500))];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const [a] = [await addProduct(seller, 'K-1'), await addProduct(seller, 'K-2')];
  await numberAll();
  const one = worker();
  one.go();
  const attempts = async () => (await deliveriesOf(seller)).map(({ attempt_count }) => attempt_count);
  await expect.poll(attempts, PATIENCE).toEqual([1, 1]);
  await rename(seller, a, 'Teapot K-3');
  await numberAll();
  const parked = async () => (await deliveriesOf(seller)).map(({ next_attempt_at }) => next_attempt_at);
  await expect.poll(parked, PATIENCE).toEqual([null, expect.any(String), expect.any(String)]);
  await one.end();
  await sqlAs(
    "update webhook_delivery set status = 'succeeded', next_attempt_at = null where endpoint_id = $1 and sequence = 1",
    [endpoint_id],
  );
  await sqlAs(
    "update webhook_endpoint set lease_owner = 'killed', lease_until = clock_timestamp() - interval '1 second' where endpoint_id = $1",
    [endpoint_id],
  );
  receiver.answer = status(204);
  worker().go();
  await expect.poll(() => titles(receiver.received), PATIENCE).toContain('Teapot K-3');
});

test('a database that refuses is asked again by the next look, not at once', async () => {
  const [seller, receiver] = [await app.seller(), await startReceiver()];
  await addEndpoint(seller, receiver.url);
  await addProduct(seller, 'D-1');
  await numberAll();
  let away = true;
  let refused = 0;
  const one = worker(async (text) => {
    if (!away || !/^with head as|left join outbox/.test(text)) return;
    refused += 1;
    throw new Error('the database is away');
  });
  for (let look = 0; look < 5; look += 1) {
    await one.look();
    await rest(20);
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(6);
  away = false;
  one.go();
  await expect.poll(() => receiver.received.length, PATIENCE).toBe(1);
});

test('thousands that are due at once are read by large pages', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const { endpoint_id } = await addEndpoint(seller, receiver.url);
  const rows = Array.from({ length: 2_500 }, (_, index) => goods(`L-${index}`));
  await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'many' },
    body: csv(rows),
  });
  await numberAll();
  const pages: number[] = [];
  worker(async (text, read) => {
    if (text.includes('left join outbox')) pages.push(read);
  }).go();
  const done = async () =>
    Number(
      (
        await sqlAs("select count(*) from webhook_delivery where endpoint_id = $1 and status = 'succeeded'", [
          endpoint_id,
        ])
      ).rows[0]?.count,
    );
  await expect.poll(done, PATIENCE).toBe(2_500);
  pages.length = 0;
  receiver.received.length = 0;
  await sqlAs(
    "update webhook_delivery set status = 'pending', step = 0, next_attempt_at = created_at where endpoint_id = $1",
    [endpoint_id],
  );
  await expect.poll(done, PATIENCE).toBe(2_500);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2_500);
  expect(Math.max(...pages)).toBeGreaterThan(400);
});

test('a new endpoint is told of nothing that a bulk write did before it, however much that is', async () => {
  const [seller, receiver] = [await app.seller({ plan: 'Big' }), await startReceiver()];
  const rows = Array.from({ length: 3_000 }, (_, index) => goods(`B-${index}`));
  const fed = await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'bulk' },
    body: csv(rows),
  });
  expect(fed.status).toBe(201);
  const { endpoint_id } = await addEndpoint(seller, receiver.url, { event_types: ['*'] });
  await addProduct(seller, 'after');
  await numberAll();
  worker().go();
  await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(0);
  const state = async () =>
    (
      await sqlAs(
        'select w.fanned_through = s.last as through, cardinality(w.passed_over) as passed from webhook_endpoint w join event_sequence s using (seller_id) where endpoint_id = $1',
        [endpoint_id],
      )
    ).rows;
  await expect.poll(state, PATIENCE).toEqual([{ through: true, passed: 0 }]);
  expect(receiver.received.map(({ event }) => event.data.object['seller_sku'])).toEqual(['after']);
});

describe('a replay', () => {
  interface Shown {
    readonly replay_id: string;
    readonly status: string;
    readonly total: number;
    readonly sent: number;
  }
  const counts = ({ status: state, total, sent }: Shown) => ({ status: state, total, sent });

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
    const { replay_id } = (await seller.call<Shown>('POST', `${path}/replay`, { json })).body;
    const shown = async () => counts((await seller.call<Shown>('GET', `${path}/replays/${replay_id}`)).body);
    const run = (signal: AbortSignal) => runReplay(services, seller.seller_id, replay_id, signal);
    return { seller, receiver, endpoint_id, shown, run };
  }

  test('tells how many are sent while others are not even in the queue', async () => {
    const { receiver, shown, run } = await begun(1_200);
    expect(await shown()).toEqual({ status: 'running', total: 1_200, sent: 0 });
    // Cut after its first statement, as by the end of its worker.
    const cut = AbortSignal.abort();
    let looks = 0;
    const once = { throwIfAborted: () => (looks++ === 0 ? undefined : cut.throwIfAborted()) };
    await expect(run(once as AbortSignal)).rejects.toThrow('aborted');
    expect(await shown()).toEqual({ status: 'running', total: 1_200, sent: 0 });
    worker().go();
    await expect.poll(shown, PATIENCE).toEqual({ status: 'running', total: 1_200, sent: 1_000 });
    await run(AbortSignal.timeout(20_000));
    await expect.poll(shown, PATIENCE).toEqual({ status: 'done', total: 1_200, sent: 1_200 });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1_200);
  });

  test('counts what was in the queue anyway once that is sent, and ends as failed when it is passed over', async () => {
    const { seller, endpoint_id, shown, run } = await begun(3);
    await run(AbortSignal.timeout(20_000));
    expect(await shown()).toEqual({ status: 'running', total: 3, sent: 0 });
    const json = { from: '2020-01-01T00:00:00Z', types: ['product.created'] };
    const path = `/webhooks/endpoints/${endpoint_id}`;
    const second = (await seller.call<Shown>('POST', `${path}/replay`, { json })).body;
    await runReplay(services, seller.seller_id, second.replay_id, AbortSignal.timeout(20_000));
    const read = async () =>
      counts((await seller.call<Shown>('GET', `${path}/replays/${second.replay_id}`)).body);
    expect(await read()).toEqual({ status: 'running', total: 3, sent: 0 });
    await act(seller, endpoint_id, 'pause');
    await act(seller, endpoint_id, 'resume?skip_missed=true');
    expect(await read()).toEqual({ status: 'failed', total: 3, sent: 0 });
  });
});
