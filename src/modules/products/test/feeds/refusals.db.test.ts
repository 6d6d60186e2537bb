import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  type Run,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const MAX_BYTES = 1_000_000;
const app = await startTestApp({ MAX_FEED_BYTES: String(MAX_BYTES) });
const seller = await app.seller();

const refused = (body: string | Uint8Array, type = 'text/csv', headers: Record<string, string> = {}) =>
  feed<FeedFailure>(seller, body, { type, headers });

const storedRuns = (): Promise<number> =>
  runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query('select count(*)::int as runs from feed_run');
    return rows[0].runs;
  });

test.each([
  ['announced', () => 'x'.repeat(MAX_BYTES + 100_000), {}],
  ['found while reading', () => 'x'.repeat(MAX_BYTES + 1), {}],
  ['found while inflating', () => gzipSync(Buffer.alloc(MAX_BYTES * 20)), { 'content-encoding': 'gzip' }],
])('413 for a file that is too large, %s, with the limits and no run', async (_when, body, headers) => {
  const before = await storedRuns();
  const answer = await refused(body(), 'text/csv', headers);
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({
    error: 'feed_too_large',
    code: 'feed_too_large',
    retryable: false,
    limits: { max_bytes: MAX_BYTES, max_rows: 500 },
    row_results: [],
  });
  expect(answer.body.run).toBeUndefined();
  expect(await storedRuns()).toBe(before);
});

const ZIP = 'PK\u0003\u0004\u0014\u0000\u0006\u0000';
test.each([
  ['no type at all', 'seller_sku\nA', '', {}],
  ['a type that is none', 'seller_sku\nA', 'constructor', {}],
  ['a type that no feed has', 'seller_sku\nA', 'application/xml', {}],
  ['a name that every object has', 'seller_sku\nA', 'text/constructor', {}],
  ['a workbook', ZIP, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', {}],
  ['a workbook that calls itself CSV', ZIP, 'text/csv', {}],
  ['a PDF that calls itself CSV', '%PDF-1.7\n', 'text/csv', {}],
  ['gzip that does not say so', gzipSync('seller_sku\nA'), 'text/csv', {}],
  ['a content encoding that is not taken', 'x', 'text/csv', { 'content-encoding': 'br' }],
  ['two content encodings', 'x', 'text/csv', { 'content-encoding': 'gzip, gzip' }],
])('415 for %s', async (_what, body, type, headers) => {
  const answer = await refused(body, type, headers);
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ error: 'feed_content_type', retryable: false, row_results: [] });
  expect(answer.body.detail).not.toBe('');
});

const JSON_TYPE = 'application/json';
test.each([
  ['nothing', '', 'text/csv', 'no_rows'],
  ['a header alone', 'seller_sku,title\n', 'text/csv', 'no_rows'],
  ['a header without its line end', 'seller_sku,title', 'text/csv', 'no_rows'],
  ['blank lines', '\n\r\n\n', 'text/csv', 'no_rows'],
  ['an empty array', '[]', JSON_TYPE, 'no_rows'],
  ['no rows', '{"rows":[]}', JSON_TYPE, 'no_rows'],
  ['no lines', '\n\n', 'application/x-ndjson', 'no_rows'],
  ['JSON that ends early', '[{"seller_sku":"A"}', JSON_TYPE, 'json_invalid'],
  ['JSON with something behind it', '[{"seller_sku":"A"}] x', JSON_TYPE, 'json_invalid'],
  ['JSON of another shape', '{"products":[{"seller_sku":"A"}]}', JSON_TYPE, 'json_invalid'],
  ['JSON that is a number', '5', JSON_TYPE, 'json_invalid'],
  ['two columns of one name', 'seller_sku,title,Title\nA,b,c\n', 'text/csv', 'duplicate_header'],
  ['no column that names a product', 'title,price\nA,1\n', 'text/csv', 'required_column_missing'],
  ['gzip that breaks off', gzipSync('seller_sku,title\nA,b\n').subarray(0, 20), 'gzip', 'gzip_invalid'],
  [
    'something behind the gzip',
    Buffer.concat([gzipSync('seller_sku\nA\n'), Buffer.from('rest')]),
    'gzip',
    'gzip_invalid',
  ],
])('422 for %s: nothing applied, said with its code', async (_what, body, type, code) => {
  const answer =
    type === 'gzip'
      ? await refused(body, 'text/csv', { 'content-encoding': 'gzip' })
      : await refused(body, type);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ error: 'feed_validation_failed', code, retryable: false });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('422 for more rows than the plan allows, with the limits; nothing of the file is applied', async () => {
  const answer = await refused(goodsFile(501, 'MANY'));
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    error: 'feed_validation_failed',
    code: 'too_many_rows',
    retryable: false,
    limits: { max_rows: 500 },
    run: { status: 'rejected', error: { code: 'too_many_rows' }, counts: { rows: 0, created: 0 } },
    row_results: [],
  });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('422 for a query that the route does not know', async () => {
  for (const query of [
    'mode=replace',
    'on_error=skip',
    'dry_run=maybe',
    'modus=upsert',
    'mode=upsert&mode=inventory',
  ]) {
    const answer = await feed(seller, csv([goods('Q-1')]), { query });
    expect([query, answer.status]).toEqual([query, 422]);
    expect(answer.body).toMatchObject({
      code: 'validation_error',
      detail: expect.arrayContaining([expect.objectContaining({ loc: ['query', expect.anything()] })]),
    });
  }
});

test('422 at the header without an idempotency key, before the file is read', async () => {
  const answer = await seller.call('POST', '/products/feed-runs', {
    body: csv([goods('K-1')]),
    headers: { 'content-type': 'text/csv' },
  });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    code: 'validation_error',
    detail: [{ loc: ['header', 'idempotency-key'], type: 'missing' }],
  });
});

test('a refused file frees its key: the corrected file is accepted under the same key', async () => {
  const own = await app.seller();
  const key = 'mended';
  expect((await feed(own, 'seller_sku,title\n', { key })).status).toBe(422);
  expect((await feed(own, csv([goods('M-1')]), { key, type: 'application/pdf' })).status).toBe(415);
  expect((await feed<Run>(own, csv([goods('M-1')]), { key })).status).toBe(201);
});

test('401 and 403 come before anything is read', async () => {
  const answer = await app.call('POST', '/api/v1/products/feed-runs', {
    body: 'x',
    headers: { 'content-type': 'constructor' },
  });
  expect(answer.status).toBe(401);
});

test('the feed contract names the limits that are enforced and every code of a file', async () => {
  const answer = await seller.call<{
    max_bytes: number;
    max_rows: number;
    runs_remaining_today: number;
    file_errors: { code: string }[];
    error_codes: { code: string }[];
  }>('GET', '/products/feed-contract');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ max_bytes: MAX_BYTES, max_rows: 500, async_available: false });
  expect(answer.body.file_errors.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'feed_too_large',
      'feed_content_type',
      'feed_rejected',
      'feed_timeout',
      'feed_cancelled',
    ]),
  );
  expect(answer.body.error_codes.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'no_rows',
      'too_many_rows',
      'json_invalid',
      'sku_duplicate_in_file',
      'plan_limit_reached',
    ]),
  );
});
