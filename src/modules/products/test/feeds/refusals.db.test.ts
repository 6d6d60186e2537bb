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
  ['by its Content-Length', () => 'x'.repeat(MAX_BYTES + 100_000), {}],
  ['by its bytes', () => 'x'.repeat(MAX_BYTES + 1), {}],
  ['after decompression', () => gzipSync(Buffer.alloc(MAX_BYTES * 20)), { 'content-encoding': 'gzip' }],
])('413 with the limits and without a run for a file that is too large %s', async (_when, body, headers) => {
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
  ['a workbook without a type', ZIP, '', {}],
  ['XML', 'seller_sku\nA', 'application/xml', {}],
  ['a type named like a property of Object', 'seller_sku\nA', 'text/constructor', {}],
  ['a workbook', ZIP, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', {}],
  ['a workbook sent as CSV', ZIP, 'text/csv', {}],
  ['a PDF sent as CSV', '%PDF-1.7\n', 'text/csv', {}],
  ['gzip without Content-Encoding', gzipSync('seller_sku\nA'), 'text/csv', {}],
  ['an unsupported content encoding', 'x', 'text/csv', { 'content-encoding': 'br' }],
  ['two content encodings', 'x', 'text/csv', { 'content-encoding': 'gzip, gzip' }],
])('415 for %s', async (_what, body, type, headers) => {
  const answer = await refused(body, type, headers);
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ error: 'feed_content_type', retryable: false, row_results: [] });
  expect(answer.body.detail).not.toBe('');
});

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
test.each([
  ['text/csv', null],
  ['application/octet-stream', null],
  ['application/vnd.ms-excel', null],
  [WORKBOOK, null],
  [WORKBOOK, 'stock.xlsx'],
  ['application/octet-stream', 'stock.xlsx'],
])(
  'a workbook of the type %s (file %s) is refused with how to save it, on every route',
  async (type, filename) => {
    const big = await app.seller({ plan: 'Big' });
    const form = new FormData();
    if (filename !== null) form.append('file', new Blob([ZIP], { type }), filename);
    for (const path of ['feed-runs', 'import-profiles', 'import-profiles/detect', 'inventory/import']) {
      const sending = { path: `/products/${path}`, type: filename === null ? type : null };
      const { status, text } = await feed<FeedFailure>(big, filename === null ? ZIP : form, sending);
      expect([path, status]).toEqual([path, 415]);
      expect(text).toMatch(/Excel workbook.*save it as CSV/);
    }
  },
);

const JSON_TYPE = 'application/json';
test.each([
  ['an empty file', '', 'text/csv', 'no_rows'],
  ['a header alone', 'seller_sku,title\n', 'text/csv', 'no_rows'],
  ['a header without a line end', 'seller_sku,title', 'text/csv', 'no_rows'],
  ['blank lines', '\n\r\n\n', 'text/csv', 'no_rows'],
  ['an empty array', '[]', JSON_TYPE, 'no_rows'],
  ['an object without rows', '{"rows":[]}', JSON_TYPE, 'no_rows'],
  ['no lines of NDJSON', '\n\n', 'application/x-ndjson', 'no_rows'],
  ['JSON that ends early', '[{"seller_sku":"A"}', JSON_TYPE, 'json_invalid'],
  ['JSON with text after it', '[{"seller_sku":"A"}] x', JSON_TYPE, 'json_invalid'],
  ['JSON without rows', '{"products":[{"seller_sku":"A"}]}', JSON_TYPE, 'json_invalid'],
  ['JSON that is a number', '5', JSON_TYPE, 'json_invalid'],
  ['two columns with one name', 'seller_sku,title,Title\nA,b,c\n', 'text/csv', 'duplicate_header'],
  ['no seller_sku column', 'title,price\nA,1\n', 'text/csv', 'required_column_missing'],
  ['truncated gzip', gzipSync('seller_sku,title\nA,b\n').subarray(0, 20), 'gzip', 'gzip_invalid'],
  [
    'bytes after the gzip',
    Buffer.concat([gzipSync('seller_sku\nA\n'), Buffer.from('rest')]),
    'gzip',
    'gzip_invalid',
  ],
])('422 with its code for %s; nothing is applied', async (_what, body, type, code) => {
  const answer =
    type === 'gzip'
      ? await refused(body, 'text/csv', { 'content-encoding': 'gzip' })
      : await refused(body, type);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ error: 'feed_validation_failed', code, retryable: false });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test.each([
  ['column', 'price,notes\nA,1\n', 'The header row has no `seller_sku` column, which is required.'],
  ['JSON', '[{"seller_sku":"A"}]', 'This looks like JSON. Send it with Content-Type: application/json.'],
])('422 for a header row names the missing %s; errors precede warnings', async (_what, body, detail) => {
  const answer = await refused(body, 'text/csv');
  expect(answer.body.detail).toBe(detail);
  expect(answer.body).toHaveProperty('messages[0].severity', 'error');
});

test('422 for JSON in place of a table has that finding alone', async () => {
  const { body } = await refused('[{"seller_sku":"A","title":"B"},\n{}]', 'text/csv');
  const own = await refused('[{"seller_sku":1}]', 'text/csv');
  expect(own.body).toHaveProperty('messages', [
    expect.objectContaining({
      message: 'This looks like JSON.',
      hint: 'Send it with Content-Type: application/json.',
    }),
  ]);
  expect(body.detail).toBe(own.body.detail);
});

test('422 for JSON whose quotes make it no table says that it is JSON', async () => {
  const { body } = await refused('[{"seller_sku":"A","title":"B"}]', 'text/csv');
  expect(body.detail).toBe('This looks like JSON. Send it with Content-Type: application/json.');
});

test.each([
  ['"text"', 'Line 1: Expected a JSON array of rows, or an object with a "rows" array.'],
  ['[{"seller_sku":"A"}', 'Line 1: The file ends too early. Expected "," or "]".'],
])('422 for the JSON %s says what is expected', async (body, detail) => {
  expect((await refused(body, JSON_TYPE)).body.detail).toBe(detail);
});

test('422 for a row of another width counts the cells of row and header', async () => {
  const answer = await refused('seller_sku,title\nA,Mug, blue\n');
  expect(answer.body).toHaveProperty(
    'row_results[0].messages[0].message',
    'The row has 3 cells, the header has 2.',
  );
});

test('422 with the limits for more rows than the plan allows; nothing is applied', async () => {
  const answer = await refused(goodsFile(501, 'MANY'));
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    error: 'feed_validation_failed',
    code: 'too_many_rows',
    retryable: false,
    limits: { max_rows: 500 },
    run: { status: 'rejected', error: { code: 'too_many_rows' }, counts: { rows: 0, created: 0 } },
    row_results: [],
    request_id: answer.headers.get('x-request-id'),
  });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('422 for unknown query parameters and values', async () => {
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

test('422 without an idempotency key, before the file is read', async () => {
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

test('a rejected file frees its key: the corrected file is accepted with the same key', async () => {
  const own = await app.seller();
  const key = 'mended';
  expect((await feed(own, 'seller_sku,title\n', { key })).status).toBe(422);
  expect((await feed(own, csv([goods('M-1')]), { key, type: 'application/pdf' })).status).toBe(415);
  expect((await feed<Run>(own, csv([goods('M-1')]), { key })).status).toBe(201);
});

test('401 and 403 before the file is read', async () => {
  const answer = await app.call('POST', '/api/v1/products/feed-runs', {
    body: 'x',
    headers: { 'content-type': 'constructor' },
  });
  expect(answer.status).toBe(401);
});

test('the feed contract has the enforced limits and all codes of files', async () => {
  const answer = await seller.call<{
    max_bytes: number;
    max_rows: number;
    runs_remaining_today: number;
    file_errors: { code: string }[];
    error_codes: { code: string }[];
  }>('GET', '/products/feed-contract');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ max_bytes: MAX_BYTES, max_rows: 500, async_available: false });
  // The codes are those of the answers that other tests get at each limit.
  expect(answer.body).toMatchObject({
    plan_limits: [
      { limit: 'products', allowed: 100, code: 'plan_limit_reached' },
      { limit: 'feed_rows_per_run', allowed: 500, code: 'too_many_rows' },
      { limit: 'feed_runs_per_day', allowed: 20, code: 'feed_quota_reached' },
    ],
  });
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
