/**
 * `kill -9` at random instants while two workers make a thousand deliveries for changes through two API processes on
 * one database: no event is lost, the events of each object arrive in order, a repeated event has the same id, and
 * deliveries continue within a minute. `WEBHOOK_KILLS` is the number of kills.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { type Received, slowly, startReceiver } from '../support/receiver.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2);
const PRODUCTS = 250;
/** Each product is added and changed; two endpoints get both events. */
const EVENTS = PRODUCTS * 2;
/** A worker that dies is replaced within this time (docs/design/wire.md#webhook-deliveries). */
const TAKEN_OVER_MS = 60_000;
const WAIT_MS = 60_000 + KILLS * TAKEN_OVER_MS;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const env = {
  APP_ENV: 'staging',
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
};
const worker = (): Promise<Member> => cluster.start({ ...env, ROLE: 'worker' });
const [a, b, ...workers] = await Promise.all([
  cluster.start({ ...env, ROLE: 'api' }),
  cluster.start({ ...env, ROLE: 'api' }),
  worker(),
  worker(),
]);

async function call<Body>(
  at: Member,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const csv = typeof body === 'string';
  const response = await fetch(`${at.api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': csv ? 'text/csv' : 'application/json',
      ...(csv ? { 'idempotency-key': randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { body: csv ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}
const file = (title: string): string =>
  `seller_sku,status,title\n${Array.from({ length: PRODUCTS }, (_, n) => `W-${n},draft,${title} ${n}`).join('\n')}\n`;

interface Pulled {
  readonly data: readonly { readonly id: string; readonly sequence: number }[];
  readonly page: { readonly next_cursor: string | null };
}

/** Every event of the seller, as the pull form has them. */
async function pullAll(at: Member, token: string): Promise<readonly Pulled['data'][number][]> {
  const all: Pulled['data'][number][] = [];
  for (let cursor = ''; ; ) {
    const page = await call<Pulled>(at, token, 'GET', `/webhooks/events?types=product.*&limit=200${cursor}`);
    all.push(...page.data);
    if (page.page.next_cursor === null) return all;
    cursor = `&cursor=${page.page.next_cursor}`;
  }
}

/** The first arrival of each event, in order. */
const firsts = (received: readonly Received[]): Received[] => [
  ...new Map([...received].reverse().map((one) => [one.event.id, one])).values(),
];

/** Expects that the events of each object arrived in the order of their numbers. */
function expectInOrder(received: readonly Received[]): void {
  const seen = new Map<unknown, number>();
  for (const { event } of firsts(received).sort((x, y) => x.at - y.at)) {
    const id = event.data.object['product_id'];
    expect(event.sequence).toBeGreaterThan(seen.get(id) ?? 0);
    seen.set(id, event.sequence);
  }
}

test(`${KILLS} kills of workers during ${EVENTS * 2} deliveries lose nothing`, {
  timeout: WAIT_MS * 2,
}, async () => {
  const { token } = await cluster.seller(a);
  const receivers = [await startReceiver(slowly(40)), await startReceiver(slowly(150))];
  const endpoints = await Promise.all(
    receivers.map(({ url }) =>
      call<{ endpoint_id: string }>(a, token, 'POST', '/webhooks/endpoints', {
        url,
        event_types: ['product.*'],
      }),
    ),
  );
  for (const { endpoint_id } of endpoints)
    await call(a, token, 'POST', `/webhooks/endpoints/${endpoint_id}/pause`);
  await call(a, token, 'POST', '/products/feed-runs', file('Cup'));
  await call(b, token, 'POST', '/products/feed-runs', file('Mug'));
  const events = await eventually(
    () => pullAll(b, token),
    (all) => all.length === EVENTS,
  );
  for (const { endpoint_id } of endpoints)
    await call(b, token, 'POST', `/webhooks/endpoints/${endpoint_id}/resume`);

  const arrived = (): number => receivers.reduce((sum, { received }) => sum + firsts(received).length, 0);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Each kill has an equal part of the whole time, and comes at a random instant of it.
    const target = Math.floor(((kill + Math.random()) / KILLS) * EVENTS * 2);
    await eventually(
      async () => arrived(),
      (count) => count >= target,
      WAIT_MS,
    );
    const [victim] = workers.splice(Math.floor(Math.random() * workers.length), 1);
    await victim?.end('SIGKILL');
    workers.push(await worker());
  }
  await eventually(
    async () => arrived(),
    (count) => count === EVENTS * 2,
    WAIT_MS,
  );

  const ids = events.map(({ id }) => id).sort();
  for (const { received } of receivers) {
    expect(
      firsts(received)
        .map(({ event }) => event.id)
        .sort(),
    ).toEqual(ids);
    // One id for each event, whatever the number of attempts.
    expect(new Set(received.map(({ id }) => id)).size).toBe(EVENTS);
    expect(new Set(received.map(({ id, event }) => `${id} ${event.id}`)).size).toBe(EVENTS);
    expectInOrder(received);
    const times = received.map(({ at }) => at).sort((x, y) => x - y);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    expect(Math.max(...gaps)).toBeLessThan(TAKEN_OVER_MS);
  }
  // The results of the last attempts are recorded as well.
  const counts = () =>
    runOn(database.adminUrl, async (client) => {
      const { rows } = await client.query<{ status: string; n: number }>(
        'select status, count(*)::int as n from webhook_delivery group by status',
      );
      return rows;
    });
  expect(await eventually(counts, (rows) => rows.length === 1, TAKEN_OVER_MS)).toEqual([
    { status: 'succeeded', n: EVENTS * 2 },
  ]);
  for (const member of [a, b, ...workers]) expect((await member.end('SIGTERM')).code).toBe(0);
});
