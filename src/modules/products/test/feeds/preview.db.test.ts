import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type RowResult,
  type Run,
  rowsOf,
  WRITTEN_EVENTS,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const make = () => app.seller({ plan: 'Big' });
const DRY = { query: 'dry_run=true' };

const commit = <Body = Run>(seller: TestSeller, runId: string, key?: string) =>
  seller.call<Body>('POST', `/products/feed-runs/${runId}/commit`, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

/** Row results without generated ids: the same in a preview and its run. */
const comparable = (rows: readonly RowResult[]) =>
  rows.map(({ product_id: _id, changes, ...row }) => ({
    ...row,
    changes: changes.filter(({ field }) => field !== 'product_id' && field !== 'images'),
  }));

const eventsOf = (seller: TestSeller): Promise<number> =>
  runOn(app.database.adminUrl, async (client) => {
    const text = `select count(*)::int as n from ${WRITTEN_EVENTS} where seller_id = $1`;
    return (await client.query(text, [seller.seller_id])).rows[0].n;
  });

const FILE = csv([
  goods('A', { price: '99', image_urls: 'https://a.example/1.jpg', 'attributes.colour': 'Red' }),
  goods('NEW', { image_urls: '', 'attributes.colour': '' }),
  goods('BAD', { price: 'x', image_urls: '', 'attributes.colour': '' }),
  goods('NEW', { image_urls: '', 'attributes.colour': '' }),
  goods('SAME', { image_urls: '', 'attributes.colour': '' }),
]);

async function prepared(): Promise<TestSeller> {
  const seller = await make();
  await applied(seller, csv([goods('A'), goods('SAME')]));
  return seller;
}

test('a preview has the results of the run and stores only itself', async () => {
  const seller = await prepared();
  const [before, events] = [await catalogueOf(seller), await eventsOf(seller)];
  const preview = await applied(seller, FILE, DRY);
  expect(preview).toMatchObject({
    dry_run: true,
    status: 'succeeded_with_errors',
    counts: { rows: 5, created: 1, updated: 1, unchanged: 1, rejected: 2 },
    links: { commit: `/api/v1/products/feed-runs/${preview.run_id}/commit` },
  });
  expect(preview.links['revert']).toBeUndefined();
  expect(await catalogueOf(seller)).toEqual(before);
  // The run makes an event at its end; no product does.
  expect(await eventsOf(seller)).toBe(events + 1);
  const run = await applied(seller, FILE);
  expect(comparable(await rowsOf(seller, run.run_id))).toEqual(
    comparable(await rowsOf(seller, preview.run_id)),
  );
});

test('commit applies exactly the preview, as a new run', async () => {
  const seller = await prepared();
  const preview = await applied(seller, FILE, DRY);
  const answer = await commit(seller, preview.run_id);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('location')).toBe(`/api/v1/products/feed-runs/${answer.body.run_id}`);
  expect(answer.body).toMatchObject({
    kind: 'commit',
    dry_run: false,
    commits_run_id: preview.run_id,
    status: 'succeeded_with_errors',
    counts: preview.counts,
  });
  const [said, done] = [await rowsOf(seller, preview.run_id), await rowsOf(seller, answer.body.run_id)];
  expect(done).toEqual(said);
  const products = await catalogueOf(seller);
  expect(products.get('NEW')).toMatchObject({
    product_id: said[1]?.product_id,
    version: 1,
    quantity_on_hand: 5,
    source: { origin: 'feed', run_id: answer.body.run_id, row: 2 },
  });
  expect(products.get('A')).toMatchObject({
    price_minor: 9900,
    version: 2,
    attributes: { colour: 'Red' },
    images: [{ url: 'https://a.example/1.jpg' }],
  });
  expect((await applied(seller, csv([goods('NEW')]))).counts.unchanged).toBe(1);
});

test('rejected rows of a committed preview can be corrected and sent again', async () => {
  const seller = await prepared();
  const run = (await commit(seller, (await applied(seller, FILE, DRY)).run_id)).body;
  const file = await seller.call(
    'GET',
    `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
  );
  const mended = await applied(seller, file.text.replace(',x,', ',5,'));
  expect(mended.counts).toMatchObject({ rows: 2, created: 1, unchanged: 1 });
});

test.each<[string, (seller: TestSeller, id: string) => Promise<unknown>, number[]]>([
  [
    'a changed product',
    (seller, id) => seller.call('PATCH', `/products/${id}`, { json: { title: 'Moved' } }),
    [1],
  ],
  [
    'changed stock',
    (seller, id) => seller.call('PUT', `/products/${id}/inventory`, { json: { quantity: 77 } }),
    [1],
  ],
  ['a SKU that another product has now', (seller) => applied(seller, csv([goods('NEW')])), [2]],
  [
    'several changes',
    (seller) => applied(seller, csv([goods('A', { title: 'Moved' }), goods('NEW')])),
    [1, 2],
  ],
])('409 names the stale rows after %s; nothing of the preview is applied', async (_what, move, moved) => {
  const seller = await prepared();
  const preview = await applied(seller, FILE.replace('24.99,5', '24.99,6').replace('99,5', '99,6'), DRY);
  const id = (await catalogueOf(seller)).get('A')?.product_id ?? '';
  await move(seller, id);
  const before = await catalogueOf(seller);
  const answer = await commit<{
    code: string;
    moved: { row_number: number; seller_sku: string }[];
    moved_count: number;
  }>(seller, preview.run_id);
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({ code: 'preview_stale', moved_count: moved.length });
  expect(answer.body.moved.map(({ row_number }) => row_number)).toEqual(moved);
  expect(await catalogueOf(seller)).toEqual(before);
  // The failed commit is not recorded, and the preview can still be committed.
  expect((await commit(seller, preview.run_id)).status).toBe(409);
});

test('409 names a row whose MPN and brand another product has now', async () => {
  const seller = await make();
  const pair = { identity_strategy: 'mpn_brand', exempt_reason: '', mpn: 'HC-1', brand: 'Clay' };
  const preview = await applied(seller, csv([goods('ONE', pair)]), DRY);
  await applied(seller, csv([goods('TWO', pair)]));
  const answer = await commit(seller, preview.run_id);
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({ code: 'preview_stale', moved: [{ row_number: 1, seller_sku: 'ONE' }] });
});

test('a preview is committed once: later attempts get the id of the first commit', async () => {
  const seller = await prepared();
  const preview = await applied(seller, FILE, DRY);
  const first = await commit(seller, preview.run_id);
  const again = await commit<FeedFailure>(seller, preview.run_id);
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'run_not_committable', followed_by: first.body.run_id });
});

test('of ten concurrent commits one succeeds and the others get its id', async () => {
  const seller = await make();
  const preview = await applied(seller, goodsFile(300, 'RACE'), DRY);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => commit<FeedFailure>(seller, preview.run_id)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  expect(await catalogueOf(seller)).toHaveProperty('size', 300);
});

test('a repeated commit with a key gets the same bytes', async () => {
  const seller = await prepared();
  const preview = await applied(seller, FILE, DRY);
  const first = await commit(seller, preview.run_id, 'once');
  const again = await commit(seller, preview.run_id, 'once');
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('409 for a commit of a run that is no finished preview', async () => {
  const seller = await prepared();
  const real = await applied(seller, csv([goods('R')]));
  const refused = await feed<FeedFailure>(seller, csv([goods('BAD', { price: 'x' })]), DRY);
  for (const runId of [real.run_id, refused.body.run?.run_id ?? ''])
    expect((await commit<FeedFailure>(seller, runId)).body.code).toBe('run_not_committable');
});

test('402 when the commit would exceed the plan limit; nothing is applied', async () => {
  const seller = await app.seller();
  const preview = await applied(seller, goodsFile(60, 'P'), DRY);
  await applied(seller, goodsFile(50, 'Q'));
  const answer = await commit(seller, preview.run_id);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({
    error: 'tier_limit_exceeded',
    tier: 'Free',
    limit: 100,
    current_usage: 50,
  });
  expect(await catalogueOf(seller)).toHaveProperty('size', 50);
});

test('a preview of stock is committed', async () => {
  const seller = await prepared();
  const preview = await applied(seller, 'seller_sku,quantity\nA,41\nSAME,5\n', {
    query: 'mode=inventory&dry_run=true',
  });
  expect(preview.counts).toMatchObject({ updated: 1, unchanged: 1 });
  const run = await commit(seller, preview.run_id);
  expect(run.status).toBe(201);
  expect((await catalogueOf(seller)).get('A')).toMatchObject({ quantity_on_hand: 41, version: 1 });
});
