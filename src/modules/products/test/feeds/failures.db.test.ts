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

/** Rows that a run may leave behind, other than the run and its file. */
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
const NO_TRACES = { products: 0, stock: 0, evidence: 0, events: 0, keys: 0, jobs: 0 };

/** Runs a statement before each insert of a product with this title. */
async function sabotage(name: string, body: string): Promise<() => Promise<unknown>> {
  await admin(
    `create function ${name}() returns trigger language plpgsql as $$ begin if new.title = '${name}' then ${body} end if; return new; end $$`,
  );
  await admin(`create trigger ${name} before insert on product for each row execute function ${name}()`);
  return () => admin(`drop function ${name}() cascade`);
}

test('504 when a synchronous run takes too long: nothing is applied and a retry with the key succeeds', async () => {
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
  expect(await traces(seller, runId)).toEqual(NO_TRACES);
  await mend();
  const again = await feed(seller, file, { key: 'slow' });
  expect([again.status, again.body.counts.created]).toEqual([201, 300]);
  expect(again.body.run_id).not.toBe(runId);
  expect(await runOf(seller, runId)).toMatchObject({ status: 'timed_out' });
});

test('504 for a file that takes too long to read', async () => {
  const seller = await big();
  const answer = await feed<FeedFailure>(seller, goodsFile(60_000, 'LONG'));
  expect([answer.status, answer.body.error]).toEqual([504, 'feed_timeout']);
  expect(await traces(seller, answer.body.run?.run_id ?? '')).toEqual(NO_TRACES);
});

test('504 for a run that waits too long for earlier runs', async () => {
  const seller = await big();
  const mend = await sabotage('blocking', 'perform pg_sleep(1.5);');
  const first = feed<FeedFailure>(seller, csv([goods('A', { title: 'blocking' })]));
  await eventually(
    async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data.length,
    (count) => count === 1,
  );
  const second = await feed<FeedFailure>(seller, csv([goods('B')]));
  expect([(await first).status, second.status]).toEqual([504, expect.any(Number)]);
  // The first run ends after its second; by then the other has started, or has waited its second too.
  expect([201, 504]).toContain(second.status);
  await mend();
});

test('500 for an internal fault: nothing is applied, the key is free, and the body has no details of the fault', async () => {
  const seller = await big();
  const mend = await sabotage('broken', "raise exception 'secret internals of the database';");
  // The fault is in the second batch, after the first was written. The rows are few, to end within the time limit.
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
  expect(await traces(seller, answer.body.run?.run_id ?? '')).toEqual(NO_TRACES);
  await mend();
  expect((await feed(seller, file, { key: 'broken' })).status).toBe(201);
});

test.each([
  ['a deadlock', '40P01'],
  ['a serialisation failure', '40001'],
  ['a unique violation', '23505'],
])('a run is retried after %s and succeeds', async (_what, code) => {
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

test('a run is retried when another writer creates its product', async () => {
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
  // The conflict repeats, so the run fails after a few attempts.
  expect([answer.status, answer.body.error]).toEqual([500, 'feed_execution_failed']);
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  await admin(`drop function ${name}() cascade`);
});
