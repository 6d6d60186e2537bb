/**
 * Random faults at once, with two workers and two API processes on one database: bulk and single changes and orders,
 * receivers that refuse, hang and cut off, sellers who pause, resume, change types and retry, connections that the
 * database ends, and a worker that is killed. After the faults, no event is lost, the events of each object are in
 * order, a repeated event has the same content, the numbers have no gap, and the records agree with the receivers.
 * `WEBHOOK_STORM_SEED` repeats a run, `WEBHOOK_STORM_SECONDS` is its length.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods } from '../support/feeds.ts';
import { placement } from '../support/orders.ts';
import { testDatabase } from '../support/pg.ts';
import { chanceOf, type StormReceiver, startStormReceiver } from '../support/storm-receiver.ts';
import { runOn } from '../support/test-server.ts';

const SEED = Number(process.env['WEBHOOK_STORM_SEED'] ?? Math.floor(Math.random() * 1e9));
const STORM_MS = Number(process.env['WEBHOOK_STORM_SECONDS'] ?? 12) * 1_000;
/** Enough for the leases of a killed worker to end, for hanging requests to time out, and for the retries. */
const CALM_MS = 90_000;
const PRODUCTS = 60;
const WANTED = ['product.*', 'order.*'];

const chance = chanceOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const env = {
  APP_ENV: 'staging',
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'error',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  // Long enough, so that no delivery fails for good.
  WEBHOOK_RETRY_SCHEDULE: `0${',1'.repeat(49)}`,
};
const worker = (): Promise<Member> => cluster.start({ ...env, ROLE: 'worker' });
const [a, b, ...workers] = await Promise.all([
  cluster.start({ ...env, ROLE: 'api' }),
  cluster.start({ ...env, ROLE: 'api' }),
  worker(),
  worker(),
]);
const { token } = await cluster.seller(a);

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns any answer, because the database may end the connection of any request. */
async function call(method: string, path: string, body?: object | string): Promise<Answer> {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json';
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = type;
  if (method === 'POST') headers['idempotency-key'] = randomUUID();
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const init = { method, headers, ...(text === undefined ? {} : { body: text }) };
  const response = await fetch(`${pick([a, b]).api}${path}`, init);
  return {
    status: response.status,
    body: response.status === 204 ? {} : ((await response.json()) as Answer['body']),
  };
}
async function done(method: string, path: string, body?: object | string): Promise<Answer['body']> {
  const answer = await eventually(
    () => call(method, path, body),
    ({ status }) => status < 500,
  );
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const rowsOf = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

const file = (title: string): string =>
  csv(
    Array.from({ length: PRODUCTS }, (_, n) => ({
      seller_sku: `W-${n}`,
      status: 'draft',
      title: `${title} ${n}`,
    })),
  );

async function order(seller_id: string): Promise<void> {
  const event = placement({ app: { services: { now: Date.now } } }, { seller_id }, [{ sku: 'MUG' }]);
  const response = await fetch(`${pick([a, b]).internalUrl}/internal/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  });
  if (response.ok) await call('POST', `/orders/${event.subject}/accept`, {});
}

interface Storm {
  readonly seller: string;
  readonly products: readonly string[];
  readonly endpoints: readonly string[];
}

/** The random events. Each repeats, with at most this many milliseconds in between. */
function happenings({
  seller,
  products,
  endpoints,
}: Storm): readonly (readonly [number, () => Promise<unknown>])[] {
  const path = (): string => `/webhooks/endpoints/${pick(endpoints)}`;
  return [
    [2_500, () => call('POST', '/products/feed-runs', file(`Fed ${chance()}`))],
    [60, () => call('PATCH', `/products/${pick(products)}`, { title: `Named ${chance()}` })],
    [60, () => call('PATCH', `/products/${pick(products.slice(0, 3))}`, { title: `Named ${chance()}` })],
    [500, () => order(seller)],
    [
      1_000,
      async () => {
        const at = path();
        await call('POST', `${at}/pause`);
        if (chance() < 0.5) await rest(chance() * 500);
        await call('POST', `${at}/resume`);
      },
    ],
    [
      800,
      () =>
        call('PATCH', path(), {
          event_types: pick([WANTED, [...WANTED, 'inventory.*'], ['*']]),
          max_concurrency: pick([1, 5, 20, 50]),
          payload: 'full',
        }),
    ],
    [3_000, () => call('POST', `${path()}/rotate-secret`)],
    [
      400,
      async () => {
        const { body } = await call('GET', '/webhooks/deliveries?limit=100');
        const some = (body['data'] ?? []) as { delivery_id: string }[];
        if (some.length > 0) await call('POST', `/webhooks/deliveries/${pick(some).delivery_id}/retry`);
      },
    ],
    [4_000, () => call('POST', `${path()}/replay`, { from: new Date(Date.now() - 2_000).toISOString() })],
    [
      1_500,
      () =>
        rowsOf(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'spp-%' offset $1 limit 1",
          [Math.floor(chance() * 12)],
        ),
    ],
  ];
}

async function storm(of: Storm): Promise<void> {
  const until = performance.now() + STORM_MS;
  const kill = async (): Promise<void> => {
    await rest(STORM_MS * (0.3 + chance() * 0.5));
    const [victim] = workers.splice(chance() < 0.5 ? 0 : 1, 1);
    await victim?.end('SIGKILL');
    // A worker whose connection the database ends during the start does not start; its supervisor tries again.
    const next = await eventually(
      () => worker().catch(() => undefined),
      (started) => started !== undefined,
      CALM_MS,
    );
    if (next !== undefined) workers.push(next);
  };
  const again = async ([ms, what]: readonly [number, () => Promise<unknown>]): Promise<void> => {
    while (performance.now() < until) {
      await rest(chance() * ms);
      await what().catch(() => undefined);
    }
  };
  await Promise.all([kill(), ...happenings(of).map(again)]);
}

interface Written {
  readonly event_id: string;
  readonly type: string;
  readonly sequence: string;
  readonly object_id: string;
}

/** The first arrival of each event, in order of their arrival. */
const firsts = ({ received }: StormReceiver) =>
  [...new Map(received.toReversed().map((one) => [one.event.id, one])).values()].sort((x, y) => x.at - y.at);

/** What a receiver saw of one object: the instant of each event, and the instant and status of each answer. */
function storyOf(receiver: StormReceiver, events: ReadonlySet<string>): string {
  const ms = (at: number): string => at.toFixed(0);
  const came = receiver.received.map(
    ({ event, at }) => [at, event.id, `${ms(at)} ${event.sequence} comes`] as const,
  );
  const went = receiver.answered.map(
    ({ received: { event }, status, at }) =>
      [at, event.id, `${ms(at)} ${event.sequence} is answered with ${status ?? 'nothing'}`] as const,
  );
  const own = [...came, ...went].filter(([, id]) => events.has(id)).sort(([x], [y]) => x - y);
  return own.map(([, , text]) => text).join('\n');
}

/**
 * Expects that no event of an object was sent before the receiver had accepted the one before it. Looks only at types
 * that the endpoint always receives, because a replay also sends events that it did not receive at first.
 */
function expectInOrder(receiver: StormReceiver, wanted: ReadonlyMap<string, Written>): void {
  const taken = new Map<string, number>();
  for (const { received, status = 0, at } of receiver.answered)
    if (status >= 200 && status < 300 && !taken.has(received.event.id)) taken.set(received.event.id, at);
  for (const [object, events] of Map.groupBy(
    firsts(receiver),
    ({ event }) => wanted.get(event.id)?.object_id,
  )) {
    const wrong = events.slice(1).filter(({ event, at }, index) => {
      const before = events[index]?.event;
      if (before === undefined || before.sequence > event.sequence) return true;
      return (
        before.object_version > event.object_version ||
        at < (taken.get(before.id) ?? Number.POSITIVE_INFINITY)
      );
    });
    if (object === undefined || wrong.length === 0) continue;
    const story = storyOf(receiver, new Set(events.map(({ event }) => event.id)));
    expect.fail(`seed ${SEED}: ${wrong.map(({ event }) => event.sequence)} of ${object} too early\n${story}`);
  }
}

/** Expects that the records of the deliveries agree with what the receiver saw. */
async function expectRecorded(receiver: StormReceiver, endpointId: string): Promise<void> {
  const records = await rowsOf<{
    delivery_id: string;
    status: string;
    attempts: number;
    said: (number | null)[];
  }>(
    'select d.delivery_id, d.status, d.attempts, array(select t.status from webhook_attempt t where t.seller_id = d.seller_id ' +
      'and t.delivery_id = d.delivery_id order by t.attempt) as said from webhook_delivery d where d.endpoint_id = $1',
    [endpointId],
  );
  const byId = Map.groupBy(receiver.answered, ({ received }) => received.id);
  expect(new Set(records.map(({ delivery_id }) => delivery_id)), `seed ${SEED}`).toEqual(
    new Set(byId.keys()),
  );
  for (const { delivery_id, status, attempts, said } of records) {
    const own = byId.get(delivery_id) ?? [];
    const what = `seed ${SEED}: ${delivery_id} ${said} for ${own.map((one) => one.status)}`;
    expect([status, attempts], what).toEqual(['succeeded', said.length]);
    expect(said.at(-1), what).toBeOneOf([200, 204]);
    const left = own.map((one) => one.status ?? null);
    // An attempt without a status is skipped: its request or its answer may be lost.
    for (const one of said.filter((code) => code !== null)) {
      expect(left, what).toContain(one);
      left.splice(left.indexOf(one), 1);
    }
  }
}

test(`a storm of ${STORM_MS / 1_000} s loses nothing and changes no order (seed ${SEED})`, {
  timeout: STORM_MS + 2 * CALM_MS,
}, async () => {
  const receivers = await Promise.all([false, false, true].map((gone) => startStormReceiver(chance, gone)));
  const endpoints: string[] = [];
  for (const { url } of receivers) {
    const json = { url, event_types: WANTED, max_concurrency: 10 };
    endpoints.push(String((await done('POST', '/webhooks/endpoints', json))['endpoint_id']));
  }
  await done('POST', '/products/feed-runs', file('New'));
  await done('POST', '/products/feed-runs', csv([goods('MUG', { quantity: 10_000 })]));
  const { data } = (await done('GET', '/products?limit=200')) as {
    data: { product_id: string; status: string }[];
  };
  const products = data.filter(({ status }) => status === 'draft').map(({ product_id }) => product_id);
  const { seller_id } = await done('GET', '/sellers/me');
  await storm({ seller: String(seller_id), products, endpoints });

  for (const receiver of receivers) receiver.calm();
  for (const id of endpoints) {
    await done('POST', `/webhooks/endpoints/${id}/resume`);
    await done('PATCH', `/webhooks/endpoints/${id}`, { max_concurrency: 50 });
  }
  // An endpoint that answered 410 at the end is resumed. A replay of a killed worker continues when its lease ends,
  // and then opens deliveries again.
  const open = async (): Promise<number> => {
    for (const id of endpoints) await call('POST', `/webhooks/endpoints/${id}/resume`);
    const left = await rowsOf<{ open: string }>(
      `select (select count(*) from job where due_at <= now())
            + (select count(*) from outbox where sequence is null)
            + (select count(*) from outbox_bulk)
            + (select count(*) from webhook_delivery where status = 'pending')
            + (select count(*)
                 from webhook_endpoint w
                 join event_sequence s using (seller_id)
                where w.fanned_through < s.last) as open`,
    );
    return Number(left[0]?.open);
  };
  await eventually(open, (count) => count === 0, CALM_MS);

  const written = await rowsOf<Written>(
    'select event_id, type, sequence, object_id from outbox where sequence > 0 order by outbox.sequence',
  );
  expect(written.map(({ sequence }) => Number(sequence))).toEqual(written.map((_, index) => index + 1));
  const wanted = new Map(
    written.filter(({ type }) => /^(?:product|order)\./.test(type)).map((one) => [one.event_id, one]),
  );
  const shown = new Map<string, string>();
  for (const [index, receiver] of receivers.entries()) {
    const came = new Set(receiver.received.map(({ event }) => event.id));
    expect(
      [...wanted.keys()].filter((id) => !came.has(id)),
      `seed ${SEED}: lost by endpoint ${index}`,
    ).toEqual([]);
    // One id for each event, and one content, whatever the number of attempts and whichever the endpoint.
    expect(new Set(receiver.received.map(({ id, event }) => `${id} ${event.id}`)).size).toBe(came.size);
    for (const { event, text } of receiver.received) {
      if (!shown.has(event.id)) shown.set(event.id, text);
      expect(text, `seed ${SEED}: ${event.id}`).toBe(shown.get(event.id));
    }
    expectInOrder(receiver, wanted);
    await expectRecorded(receiver, endpoints[index] ?? '');
  }
  for (const member of [a, b, ...workers]) expect((await member.end('SIGTERM')).code).toBe(0);
});
