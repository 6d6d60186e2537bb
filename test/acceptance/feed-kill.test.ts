/**
 * `kill -9` at random instants of a feed run: a run leaves all of its rows or none, and a retry with the same key ends
 * in exactly one applied run. A run without a retry is abandoned and never applied. `FEED_KILLS` is the number of
 * kills, `FEED_KILL_ROWS` the number of rows.
 */
import { expect, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods, WRITTEN_EVENTS } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['FEED_KILLS'] ?? 4);
const ROWS = Number(process.env['FEED_KILL_ROWS'] ?? 5_000);
/** Long enough for a machine that is busy. */
const SYNC_SECONDS = 30;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({ MAX_SYNC_SECONDS: String(SYNC_SECONDS), RATE_LIMITS: 'off', LOG_LEVEL: 'warn' });

const FILE = csv(
  Array.from({ length: ROWS }, (_, index) =>
    goods(`K-${index}`, {
      description: `A sturdy mug, number ${index}; it keeps tea warm.`,
      brand: 'Harbour Clay',
      mpn: `HC-${index}`,
      identity_strategy: 'mpn_brand',
      exempt_reason: '',
      'attributes.colour': 'Blue',
    }),
  ),
);

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: { readonly run_id?: string; readonly status?: string; readonly error?: string };
}

async function send(at: Member, token: string, key: string): Promise<Answer | 'cut'> {
  try {
    const response = await fetch(`${at.api}/products/feed-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', 'idempotency-key': key },
      body: FILE,
    });
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, replayed, body: (await response.json()) as Answer['body'] };
  } catch {
    return 'cut';
  }
}

/** Everything that a run may leave behind. */
interface Traces {
  /** Without abandoned runs. */
  readonly runs: { readonly status: string; readonly created: number; readonly rows_done: number }[];
  readonly abandoned: number;
  readonly products: number;
  readonly stock: number;
  readonly evidence: number;
  readonly counted: number;
  readonly product_events: number;
  readonly run_events: number;
  /** Status stored under the key; null while it has no answer, undefined without the key. */
  readonly key: number | null | undefined;
  readonly jobs: number;
}

const SUM = `select
  coalesce((select json_agg(json_build_object('status', status, 'created', counts->'created', 'rows_done', rows_done)) from feed_run where seller_id = s and error is null), '[]') as runs,
  (select count(*)::int from feed_run where seller_id = s and error->>'code' = 'abandoned') as abandoned,
  (select count(*)::int from product where seller_id = s) as products,
  (select count(*)::int from inventory where seller_id = s and quantity_on_hand = 5) as stock,
  (select count(*)::int from feed_row where seller_id = s and outcome = 'created') as evidence,
  (select coalesce(sum(used), 0)::int from usage_counter where seller_id = s and resource = 'products') as counted,
  (select count(*)::int from ${WRITTEN_EVENTS} where seller_id = s and type = 'product.created') as product_events,
  (select count(*)::int from ${WRITTEN_EVENTS} where seller_id = s and type = 'feed_run.completed') as run_events,
  (select json_agg(status) from idempotency_key where seller_id = s and route_id = 'products.feed_runs.create') as keys,
  (select count(*)::int from job where seller_id = s) as jobs
  from (select $1::text as s) seller`;

const traces = (sellerId: string): Promise<Traces> =>
  runOn(database.adminUrl, async (client) => {
    // The work of a killed process has ended when its database sessions are gone.
    await eventually(
      async () =>
        (
          await client.query(
            "select from pg_stat_activity where datname = current_database() and application_name like 'spp-%'",
          )
        ).rowCount,
      (sessions) => sessions === 0,
    );
    return readTraces(client, sellerId);
  });

async function readTraces(
  client: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> },
  sellerId: string,
) {
  const { rows } = await client.query(SUM, [sellerId]);
  const { keys, ...rest } = rows[0] as Omit<Traces, 'key'> & { keys: (number | null)[] | null };
  return { ...rest, key: keys?.[0] };
}
const tracesNow = (sellerId: string): Promise<Traces> =>
  runOn(database.adminUrl, (client) => readTraces(client, sellerId));

const ALL = {
  runs: [{ status: 'succeeded', created: ROWS, rows_done: ROWS }],
  products: ROWS,
  stock: ROWS,
  evidence: ROWS,
  counted: ROWS,
  product_events: ROWS,
  run_events: 1,
  key: 201,
  jobs: 0,
  abandoned: 0,
};
/** A retry takes over the run of the killed process, or comes after the job that abandons it. */
const RETRIED = { ...ALL, abandoned: expect.toBeOneOf([0, 1]) };
const ABSENT = { products: 0, stock: 0, evidence: 0, counted: 0, product_events: 0, run_events: 0 };

/** Expects all traces or none; a run that was only received leaves itself, its key without an answer, and a job. */
function expectAllOrNothing(found: Traces, when: string): 'all' | 'received' | 'nothing' {
  if (found.products === ROWS || found.key === 201) {
    expect(found, when).toEqual(ALL);
    return 'all';
  }
  expect(found, when).toMatchObject(ABSENT);
  if (found.runs.length === 0) {
    expect(found, when).toMatchObject({ runs: [], key: undefined, jobs: 0 });
    return 'nothing';
  }
  expect(found.runs, when).toEqual([
    {
      status: expect.toBeOneOf(['received', 'validating', 'applying']),
      created: 0,
      rows_done: expect.any(Number),
    },
  ]);
  expect(found, when).toMatchObject({ key: null, jobs: 1 });
  return 'received';
}

async function sellerAt(member: Member): Promise<{ token: string; sellerId: string }> {
  const { token } = await cluster.seller(member);
  const me = await fetch(`${member.api}/sellers/me`, { headers: { authorization: `Bearer ${token}` } });
  return { token, sellerId: ((await me.json()) as { seller_id: string }).seller_id };
}

/** Sends the same request until it gets a final answer. A repetition may come while the run is being abandoned: 503. */
const settle = (at: Member, token: string, key: string): Promise<Answer | 'cut'> =>
  eventually(
    () => send(at, token, key),
    (answer) => answer !== 'cut' && answer.status !== 503 && answer.body.error !== 'idempotency_in_progress',
    SYNC_SECONDS * 2_000,
  );

test(`${KILLS} kills of a run of ${ROWS} rows leave all of it or nothing, and a retry ends in one applied run`, async () => {
  let service = await start();
  // The kills are spread over the time of an undisturbed run; some come after its end.
  const measured = await sellerAt(service);
  const from = performance.now();
  expect(await send(service, measured.token, 'measured')).toMatchObject({ status: 201 });
  const longest = (performance.now() - from) * 1.1;
  expect(await tracesNow(measured.sellerId)).toEqual(ALL);

  const forgotten = await sellerAt(service);
  const left = send(service, forgotten.token, 'forgotten');
  await eventually(
    () => tracesNow(forgotten.sellerId),
    ({ runs }) => runs[0]?.status === 'applying',
  );
  await service.end('SIGKILL');
  expect(await left).toBe('cut');
  expect(expectAllOrNothing(await traces(forgotten.sellerId), 'forgotten')).toBe('received');

  const fates: Record<string, number> = {};
  service = await start();
  for (let count = 0; count < KILLS; count += 1) {
    const { token, sellerId } = await sellerAt(service);
    const key = `kill-${count}`;
    const after = Math.random() * longest;
    const when = `killed after ${Math.round(after)} of ${Math.round(longest)} ms`;
    const answer = send(service, token, key);
    await new Promise((resolve) => setTimeout(resolve, after));
    await service.end('SIGKILL');
    const said = await answer;
    const fate = expectAllOrNothing(await traces(sellerId), when);
    // An acknowledged run is never lost.
    if (said !== 'cut') expect([when, fate, said.status]).toEqual([when, 'all', 201]);
    fates[fate] = (fates[fate] ?? 0) + 1;

    service = await start();
    const retried = await settle(service, token, key);
    expect(retried, when).toMatchObject({
      status: 201,
      replayed: fate === 'all',
      body: { status: 'succeeded' },
    });
    expect(await tracesNow(sellerId), when).toEqual(fate === 'all' ? ALL : RETRIED);
    const again = await send(service, token, key);
    expect(again, when).toMatchObject({ status: 201, replayed: true });
    if (again !== 'cut' && retried !== 'cut') expect(again.body, when).toEqual(retried.body);
  }

  // The client of the first run sends no retry.
  const ended = await eventually(
    () => tracesNow(forgotten.sellerId),
    ({ abandoned }) => abandoned === 1,
  );
  expect(ended).toEqual({ ...ABSENT, runs: [], abandoned: 1, key: undefined, jobs: 0 });
  await service.end('SIGTERM');
  expect(Object.values(fates).reduce((sum, n) => sum + n, 0)).toBe(KILLS);
}, 600_000);
