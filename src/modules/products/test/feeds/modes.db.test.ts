import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  codes,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  outcomes,
  rowsOf,
  runOf,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const seller = () => app.seller({ plan: 'Big' });

test('upsert creates new products and updates existing ones', async () => {
  const own = await seller();
  await applied(own, csv([goods('A')]));
  const run = await applied(own, csv([goods('A', { price: '30' }), goods('B')]));
  expect(run).toMatchObject({ kind: 'products', mode: 'upsert', status: 'succeeded', dry_run: false });
  expect(outcomes(run.row_results)).toEqual(['updated', 'created']);
  expect(run.row_results[0]?.changes).toEqual([{ field: 'price_minor', before: 2499, after: 3000 }]);
  expect((await catalogueOf(own)).get('A')).toMatchObject({
    price_minor: 3000,
    version: 2,
    source: { origin: 'feed', run_id: run.run_id, row: 1 },
  });
});

test('update_only rejects new products, create_only rejects existing ones', async () => {
  const own = await seller();
  await applied(own, csv([goods('A')]));
  const both = csv([goods('A', { title: 'New' }), goods('B')]);
  const update = await applied(own, both, { query: 'mode=update_only' });
  expect(outcomes(update.row_results)).toEqual(['updated', 'rejected']);
  expect(codes(update.row_results)).toEqual([[], ['sku_not_found']]);
  const create = await applied(own, both, { query: 'mode=create_only' });
  expect(outcomes(create.row_results)).toEqual(['rejected', 'created']);
  expect(codes(create.row_results)).toEqual([['sku_exists'], []]);
});

test('inventory sets only stock and keeps the version of the product', async () => {
  const own = await seller();
  await applied(own, csv([goods('A', { quantity: 5 }), goods('B')]));
  const file = csv([
    { seller_sku: 'A', quantity: 9, reorder_point: 2, title: 'Ignored', price: '1' },
    { seller_sku: 'NEW', quantity: 1, reorder_point: 1, title: 'x', price: '1' },
    { seller_sku: 'B', quantity: -1, reorder_point: '', title: '', price: '' },
  ]);
  const run = await applied(own, file, { query: 'mode=inventory' });
  expect(run).toMatchObject({ kind: 'inventory', mode: 'inventory', status: 'succeeded_with_errors' });
  expect(run.detection).toMatchObject({ messages: [{ code: 'column_ignored_in_mode' }] });
  expect(codes(run.row_results)).toEqual([[], ['sku_not_found'], ['stock_negative']]);
  expect((await catalogueOf(own)).get('A')).toMatchObject({
    quantity_on_hand: 9,
    reorder_point: 2,
    title: 'Goods A',
    version: 1,
  });
});

test('the inventory import makes the same run, with or without a key', async () => {
  const own = await seller();
  await applied(own, csv([goods('A')]));
  const answer = await own.call('POST', '/products/inventory/import', {
    body: 'seller_sku,quantity\nA,77\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ kind: 'inventory', idempotency_key: null, counts: { updated: 1 } });
  expect((await catalogueOf(own)).get('A')?.quantity_on_hand).toBe(77);
});

test('a missing column keeps the field; an empty cell clears it or is an error', async () => {
  const own = await seller();
  const full = goods('A', {
    description: 'Long',
    brand: 'Clay',
    compare_at: '30',
    reorder_point: 3,
    image_urls: 'https://a.example/1.jpg',
    'attributes.colour': 'Blue',
    'attributes.size': 'L',
  });
  await applied(own, csv([full]));
  const before = (await catalogueOf(own)).get('A');
  await applied(own, csv([{ seller_sku: 'A', title: 'Other' }]));
  expect((await catalogueOf(own)).get('A')).toMatchObject({
    title: 'Other',
    description: before?.['description'],
    brand: 'Clay',
    compare_at_minor: 3000,
    attributes: { colour: 'Blue', size: 'L' },
  });
  const cleared = {
    description: '',
    brand: '',
    compare_at: '',
    quantity: '',
    reorder_point: '',
    image_urls: '',
    'attributes.colour': '',
  };
  await applied(own, csv([{ seller_sku: 'A', ...cleared }]));
  expect((await catalogueOf(own)).get('A')).toMatchObject({
    title: 'Other',
    description: null,
    brand: null,
    compare_at_minor: null,
    quantity_on_hand: null,
    reorder_point: null,
    images: [],
    attributes: { size: 'L' },
  });
  const wrong = await feed<FeedFailure>(own, csv([{ seller_sku: 'A', title: '', price: '' }]));
  expect(wrong.status).toBe(422);
  expect(codes(wrong.body.row_results)).toEqual([['required_missing', 'required_missing']]);
});

test('the same file again changes no row, version, event or stock', async () => {
  const own = await seller();
  const file = goodsFile(1_200, 'SAME', (index) => ({
    'attributes.n': index,
    brand: 'Clay',
    mpn: `M-${index}`,
  }));
  await applied(own, file);
  const before = await catalogueOf(own);
  const run = await applied(own, file);
  expect(run).toMatchObject({
    status: 'succeeded',
    counts: { rows: 1_200, unchanged: 1_200, created: 0, updated: 0 },
  });
  expect(run.row_results[0]).toMatchObject({ outcome: 'unchanged', changes: [], seller_sku: 'SAME-1' });
  expect(await catalogueOf(own)).toEqual(before);
});

test('a later row with the same SKU is rejected, in another batch too, and the first row is applied', async () => {
  const own = await seller();
  const file =
    goodsFile(1_500, 'R') +
    csv([goods('R-1', { title: 'Later' }), goods('R-1400')])
      .split('\n')
      .slice(1)
      .join('\n');
  const run = await applied(own, file);
  expect(run.counts).toMatchObject({ rows: 1_502, created: 1_500, rejected: 2 });
  const rows = await rowsOf(own, run.run_id, '&outcome=rejected');
  expect(codes(rows)).toEqual([['sku_duplicate_in_file'], ['sku_duplicate_in_file']]);
  expect((await catalogueOf(own)).get('R-1')?.title).toBe('Goods R-1');
});

test('on_error=abort applies nothing when one row is rejected', async () => {
  const own = await seller();
  const file = goodsFile(1_100, 'AB', (index) => (index === 1_050 ? { price: 'abc' } : {}));
  const answer = await feed<FeedFailure>(own, file, { query: 'on_error=abort' });
  expect(answer.body.detail).toMatch(/^No row was applied\./);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    error: 'feed_rejected',
    code: 'feed_rejected',
    retryable: false,
    run: { status: 'rejected', counts: { rows: 1_100, rejected: 1, not_attempted: 1_099, created: 0 } },
  });
  expect(answer.body.row_results).toHaveLength(100);
  expect(answer.headers.get('location')).toBe(`/api/v1/products/feed-runs/${answer.body.run?.run_id}`);
  expect(await catalogueOf(own)).toHaveProperty('size', 0);
  const rows = await rowsOf(own, answer.body.run?.run_id ?? '', '&outcome=rejected');
  expect(rows).toMatchObject([{ row_number: 1_051, messages: [{ code: 'price_invalid' }] }]);
});

test('on_error=abort applies all rows when none is rejected', async () => {
  const own = await seller();
  const run = await applied(own, goodsFile(1_100, 'OK'), { query: 'on_error=abort' });
  expect(run).toMatchObject({ status: 'succeeded', counts: { rows: 1_100, created: 1_100 } });
});

test('422 with the stored run when all rows are rejected', async () => {
  const own = await seller();
  const answer = await feed<FeedFailure>(own, csv([goods('A', { price: '-1' }), goods('', {})]));
  expect(answer.status).toBe(422);
  const { run } = answer.body;
  expect(answer.body).toMatchObject({
    error: 'feed_rejected',
    run: { status: 'rejected', counts: { rejected: 2 } },
  });
  const kept = await runOf(own, run?.run_id ?? '');
  expect(kept).toMatchObject({ status: 'rejected', counts: { rows: 2, rejected: 2 }, error: null });
  expect(await rowsOf(own, run?.run_id ?? '')).toEqual(answer.body.row_results);
});

test('succeeded_with_errors when some rows are rejected; the others are applied', async () => {
  const own = await seller();
  const run = await applied(own, csv([goods('A'), goods('B', { price: '1,5' }), goods('C')]));
  expect(run).toMatchObject({ status: 'succeeded_with_errors', counts: { created: 2, rejected: 1 } });
  expect(run.row_results[1]?.messages).toMatchObject([
    {
      code: 'price_invalid',
      severity: 'error',
      column: 'price',
      value_excerpt: '1,5',
      hint: expect.any(String),
    },
  ]);
});

test('a row that takes a product off sale is deactivated; a blank row is ignored', async () => {
  const own = await seller();
  await applied(own, csv([goods('A'), goods('B')]));
  const run = await applied(own, 'seller_sku,status\nA,inactive\n,\nB,archived\n');
  expect(outcomes(run.row_results)).toEqual(['deactivated', 'ignored', 'deactivated']);
  expect(codes(run.row_results)[1]).toEqual(['row_blank']);
});

test('evidence has identities in their API form', async () => {
  const own = await seller();
  const created = await applied(own, csv([goods('A')]));
  const changed = await applied(
    own,
    csv([{ seller_sku: 'A', identity_strategy: 'mpn_brand', mpn: 'HC-1', brand: 'Harbour Clay' }]),
  );
  const identity = (row: (typeof created.row_results)[number] | undefined) =>
    row?.changes.find(({ field }) => field === 'identity');
  expect(identity(created.row_results[0])).toEqual({
    field: 'identity',
    before: null,
    after: { strategy: 'exempt', reason: 'handmade', source: 'seller' },
  });
  expect(identity(changed.row_results[0])?.after).toEqual({
    strategy: 'mpn_brand',
    mpn: 'HC-1',
    brand: 'Harbour Clay',
  });
  expect(changed.row_results[0]?.identity_resolution).toMatchObject({
    strategy: 'mpn_brand',
    matched_by: 'seller_sku',
    candidates: [{ seller_sku: 'A', reason: 'seller_sku', chosen: true }],
  });
});

test('an identity that an earlier row removes is not free for a later row, in the preview and in the run', async () => {
  const own = await seller();
  const pair = { identity_strategy: 'mpn_brand', exempt_reason: '', mpn: 'P-1', brand: 'Clay' };
  await applied(own, csv([goods('OLD', pair)]));
  const filler = Array.from({ length: 2_200 }, (_, index) => goods(`X-${index}`, { mpn: '', brand: '' }));
  const file = csv([
    goods('OLD', { mpn: 'P-2', brand: 'Clay', identity_strategy: 'mpn_brand', exempt_reason: '' }),
    ...filler,
    goods('NEW', pair),
  ]);
  const preview = await applied(own, file, { query: 'dry_run=true' });
  const run = await applied(own, file);
  for (const { run_id, counts } of [preview, run]) {
    expect(counts).toMatchObject({ rows: 2_202, created: 2_200, updated: 1, rejected: 1 });
    expect(codes(await rowsOf(own, run_id, '&outcome=rejected'))).toEqual([['mpn_brand_conflict']]);
  }
});
