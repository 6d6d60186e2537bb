import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  eventually,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type Run,
  rowsOf,
  runOf,
  WRITTEN_EVENTS,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp({ MAX_SYNC_SECONDS: '1', LOG_LEVEL: 'silent' });
const big = () => app.seller({ plan: 'Big' });

const admin = (text: string, values: unknown[] = []): Promise<{ [column: string]: unknown }[]> =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows);

/** Everything that a run may leave behind beside the run itself and its file. */
async function traces(seller: TestSeller, runId: string) {
  const [row] = await admin(
    'select (select count(*)::int from product where seller_id = $1) as products, ' +
      '(select count(*)::int from inventory where seller_id = $1) as stock, ' +
      '(select count(*)::int from feed_row where seller_id = $1 and run_id = $2) as evidence, ' +
      `(select count(*)::int from ${WRITTEN_EVENTS} where seller_id = $1 and type like 'product.%') as events, ` +
      '(select count(*)::int from idempotency_key where seller_id = $1) as keys, ' +
      '(select count(*)::int from job where seller_id = $1) as jobs',
    [seller.seller_id, runId],
  );
  return row;
}
const NOTHING = { products: 0, stock: 0, evidence: 0, events: 0, keys: 0, jobs: 0 };

/** Makes each insert of a product with this title do something first. */
async function sabotage(name: string, body: string): Promise<() => Promise<unknown>> {
  await admin(
    `create function ${name}() returns trigger language plpgsql as $$ begin if new.title = '${name}' then ${body} end if; return new; end $$`,
  );
  await admin(`create trigger ${name} before insert on product for each row execute function ${name}()`);
  return () => admin(`drop function ${name}() cascade`);
}

test('504 when a synchronous run takes too long: nothing applied, the key is free, and it works without the hurdle', async () => {
  const seller = await big();
  const mend = await sabotage('slow', 'perform pg_sleep(0.02);');
  const file = goodsFile(300, 'S', () => ({ title: 'slow' }));
  const answer = await feed<FeedFailure>(seller, file, { key: 'slow' });
  expect(answer.status).toBe(504);
  expect(answer.body).toMatchObject({
    error: 'feed_timeout',
    code: 'feed_timeout',
    retryable: true,
    run: { status: 'timed_out', counts: { rows: 0, created: 0 }, error: { code: 'feed_timeout' } },
    row_results: [],
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const runId = answer.body.run?.run_id ?? '';
  expect(await traces(seller, runId)).toEqual(NOTHING);
  await mend();
  const again = await feed(seller, file, { key: 'slow' });
  expect([again.status, again.body.counts.created]).toEqual([201, 300]);
  expect(again.body.run_id).not.toBe(runId);
  expect(await runOf(seller, runId)).toMatchObject({ status: 'timed_out' });
});

test('504 for a file that is too long to be read in time', async () => {
  const seller = await big();
  const answer = await feed<FeedFailure>(seller, goodsFile(60_000, 'LONG'));
  expect([answer.status, answer.body.error]).toEqual([504, 'feed_timeout']);
  expect(await traces(seller, answer.body.run?.run_id ?? '')).toEqual(NOTHING);
}, 120_000);

test('a run that waits too long for the runs before it is answered 504 as well', async () => {
  const seller = await big();
  const mend = await sabotage('blocking', 'perform pg_sleep(1.5);');
  const first = feed<FeedFailure>(seller, csv([goods('A', { title: 'blocking' })]));
  await eventually(
    async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data.length,
    (count) => count === 1,
  );
  const second = await feed<FeedFailure>(seller, csv([goods('B')]));
  expect([(await first).status, second.status]).toEqual([504, expect.any(Number)]);
  // The first ends after its own second: the other then had its turn, or had waited its second too.
  expect([201, 504]).toContain(second.status);
  await mend();
});

test('500 for a fault of ours: nothing applied, the key is free, and the body tells nothing of it', async () => {
  const seller = await big();
  const mend = await sabotage('broken', "raise exception 'secret internals of the database';");
  // In the second batch, when the first is written; few rows, for a second must be enough on a busy machine too.
  const file = goodsFile(500, 'F', (index) => (index === 400 ? { title: 'broken' } : {}));
  const answer = await feed<FeedFailure>(seller, file, { key: 'broken' });
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({
    error: 'feed_execution_failed',
    code: 'feed_execution_failed',
    retryable: true,
    run: { status: 'failed', counts: { rows: 0 }, error: { code: 'feed_execution_failed' } },
    row_results: [],
  });
  expect(answer.text).not.toMatch(/secret|internals|database|exception|\.ts/);
  expect(await traces(seller, answer.body.run?.run_id ?? '')).toEqual(NOTHING);
  await mend();
  expect((await feed(seller, file, { key: 'broken' })).status).toBe(201);
});

test('500 when the connection to the database dies under the run', async () => {
  const seller = await big();
  const mend = await sabotage(
    'dying',
    'perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1);',
  );
  const file = csv([goods('A'), goods('B', { title: 'dying' })]);
  const answer = await feed<FeedFailure>(seller, file, { key: 'dying' });
  expect([answer.status, answer.body.error]).toEqual([500, 'feed_execution_failed']);
  expect(await traces(seller, answer.body.run?.run_id ?? '')).toEqual(NOTHING);
  await mend();
  expect((await feed(seller, file, { key: 'dying' })).status).toBe(201);
});

test.each([
  ['a deadlock', '40P01'],
  ['a serialisation failure', '40001'],
  ['a key that another writer took', '23505'],
])('%s is no fault of the file: the run is tried again and succeeds', async (_what, code) => {
  const seller = await big();
  await admin('create sequence if not exists collisions');
  await admin('grant usage on sequence collisions to public');
  const mend = await sabotage(
    'colliding',
    `if nextval('collisions') % 2 = 1 then raise exception 'again' using errcode = '${code}'; end if;`,
  );
  await admin("select setval('collisions', 2)");
  const run = await applied(seller, csv([goods('A'), goods('B', { title: 'colliding' })]));
  expect(run).toMatchObject({ status: 'succeeded', counts: { rows: 2, created: 2 } });
  expect(await rowsOf(seller, run.run_id)).toHaveLength(2);
  await mend();
});

test('a product that appears between reading and writing is met by a second attempt', async () => {
  const seller = await big();
  const name = 'overtaken';
  await admin(
    `create function ${name}() returns trigger language plpgsql as $$ begin
       if new.seller_sku = 'B' and new.title = '${name}' and not exists (select 1 from product where seller_sku = 'B') then
         raise exception 'duplicate key' using errcode = '23505';
       end if; return new; end $$`,
  );
  await admin(`create trigger ${name} before insert on product for each row execute function ${name}()`);
  const answer = await feed<FeedFailure>(seller, csv([goods('A'), goods('B', { title: name })]));
  // It never stops: after a few attempts the run fails as a whole instead of trying for ever.
  expect([answer.status, answer.body.error]).toEqual([500, 'feed_execution_failed']);
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  await admin(`drop function ${name}() cascade`);
});

test('a run whose answer could not be given is finished by the worker', async () => {
  const seller = await big();
  const mend = await sabotage('gone', 'perform pg_sleep(0.5);');
  const controller = new AbortController();
  const sent = fetch(`${app.url}/api/v1/products/feed-runs`, {
    method: 'POST',
    body: csv([goods('A', { title: 'gone' })]),
    headers: {
      authorization: `Bearer ${seller.token}`,
      'content-type': 'text/csv',
      'idempotency-key': 'gone',
    },
    signal: controller.signal,
  }).catch(() => undefined);
  await eventually(
    async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data.length,
    (count) => count === 1,
  );
  controller.abort();
  await sent;
  const product = await eventually(
    async () => (await catalogueOf(seller)).get('A'),
    (found) => found !== undefined,
  );
  expect(product?.title).toBe('gone');
  const replay = await feed(seller, csv([goods('A', { title: 'gone' })]), { key: 'gone' });
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  await mend();
});
