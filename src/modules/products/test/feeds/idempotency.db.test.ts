import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Answer, startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
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
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Big' });
type Either = Run & FeedFailure;

const runsOf = async (of: TestSeller): Promise<Run[]> =>
  (await of.call<{ data: Run[] }>('GET', '/products/feed-runs?limit=200')).body.data;

function expectReplay(answer: Answer<unknown>, first: Answer<unknown>): void {
  expect([answer.status, answer.text]).toEqual([first.status, first.text]);
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
  for (const name of ['location', 'content-type'])
    expect(answer.headers.get(name)).toBe(first.headers.get(name));
}

test('a repeated request gets the same bytes, marked as a replay, and starts no run', async () => {
  const own = await app.seller({ plan: 'Big' });
  const file = csv([goods('A'), goods('B', { price: 'x' })]);
  const first = await feed(own, file, { key: 'one' });
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  await applied(own, csv([goods('A', { price: '99' })]));
  for (const key of ['one', '"one"']) expectReplay(await feed(own, file, { key }), first);
  expect(await runsOf(own)).toHaveLength(2);
  expect((await catalogueOf(own)).get('A')?.price_minor).toBe(9900);
});

test('a repeated request of a rejected run gets the same answer', async () => {
  const own = await app.seller();
  const file = csv([goods('A', { price: 'x' })]);
  const first = await feed(own, file, { key: 'bad' });
  expect(first.status).toBe(422);
  expectReplay(await feed(own, file, { key: 'bad' }), first);
  const other = await feed<FeedFailure>(own, csv([goods('A')]), { key: 'bad' });
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
  const long = await feed(own, goodsFile(501, 'L'), { key: 'long' });
  expect(long.body).toMatchObject({ code: 'too_many_rows' });
  expectReplay(await feed(own, goodsFile(501, 'L'), { key: 'long' }), long);
});

const FILE = csv([goods('A')]);
test.each([
  ['another file', csv([goods('B')]), {}],
  ['the same file with one more line end', `${FILE}\n`, {}],
  ['another mode', FILE, { query: 'mode=update_only' }],
  ['a preview of it', FILE, { query: 'dry_run=true' }],
  ['another on_error', FILE, { query: 'on_error=abort' }],
  ['another type', FILE, { type: 'text/plain' }],
])('409 with the body of a feed error for %s under the same key', async (_what, file, sending) => {
  const key = randomUUID();
  const first = await feed(seller, FILE, { key });
  const answer = await feed<FeedFailure & { first: string }>(seller, file, { ...sending, key });
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({
    error: 'idempotency_key_reused',
    code: 'idempotency_key_reused',
    retryable: false,
    first: first.body.run_id,
    row_results: [],
  });
});

test('a compressed file and another multipart body are the same request', async () => {
  const form = (): FormData => {
    const data = new FormData();
    data.set('file', new Blob([FILE]), 'goods.csv');
    return data;
  };
  const plain = await feed(seller, FILE, { key: 'gz' });
  expectReplay(
    await feed(seller, gzipSync(FILE), { key: 'gz', headers: { 'content-encoding': 'gzip' } }),
    plain,
  );
  const parts = await feed(seller, form(), { key: 'parts', type: null });
  expect(parts.status).toBe(201);
  expectReplay(await feed(seller, form(), { key: 'parts', type: null }), parts);
});

test.each([
  ['none', undefined],
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
  ['with a blank', 'a b'],
  ['with more than ASCII', 'schl\u00fcssel'],
])('422 for a key that is %s', async (_what, key) => {
  const answer = await seller.call('POST', '/products/feed-runs', {
    body: FILE,
    headers: { 'content-type': 'text/csv', ...(key === undefined ? {} : { 'idempotency-key': key }) },
  });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    code: 'validation_error',
    detail: [{ loc: ['header', 'idempotency-key'] }],
  });
});

test('keys of 255 characters and of every visible character are accepted', async () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
  for (const key of ['k'.repeat(255), visible]) expect((await feed(seller, FILE, { key })).status).toBe(201);
});

test('each route and each seller has its own keys', async () => {
  const other = await app.seller({ plan: 'Big' });
  await applied(other, FILE);
  const key = 'shared';
  const made = [
    await feed(seller, FILE, { key }),
    await feed(seller, 'seller_sku,quantity\nA,5\n', { key, path: '/products/inventory/import' }),
    await feed(
      seller,
      'Handle,Title,Variant SKU,Variant Price,Vendor,Body (HTML),Option1 Name,Option1 Value\nm,M,S-1,5,V,,Title,Default Title\n',
      { key, path: '/products/import-profiles' },
    ),
    await feed(other, FILE, { key }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(made.map(({ body }) => body.run_id)).size).toBe(4);
  for (const answer of made) expect(answer.headers.get('idempotent-replayed')).toBeNull();
});

test('ten concurrent requests with one key make one run; the others get 409 or its answer', async () => {
  const own = await app.seller({ plan: 'Big' });
  const file = goodsFile(2_000, 'D');
  const send = () => feed<Either>(own, file, { key: 'at-once' });
  const answers = await Promise.all(Array.from({ length: 10 }, send));
  const fresh = answers.filter(
    ({ status, headers }) => status === 201 && !headers.has('idempotent-replayed'),
  );
  expect(fresh).toHaveLength(1);
  const [first] = fresh;
  for (const answer of answers.filter((candidate) => candidate !== first)) {
    if (answer.status === 201) expectReplay(answer, first as Answer<Either>);
    else {
      expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_in_progress']);
      expect(answer.body).toMatchObject({ retryable: true, row_results: [] });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  }
  expectReplay(await send(), first as Answer<Either>);
  expect(await runsOf(own)).toHaveLength(1);
  expect(await catalogueOf(own)).toHaveProperty('size', 2_000);
});

test('409 for a repeated request while its run waits', async () => {
  const own = await app.seller({ plan: 'Big' });
  const long = feed(own, goodsFile(20_000, 'LONG'), { key: 'long' });
  await eventually(
    () => runsOf(own),
    (runs) => runs.some(({ status }) => status === 'applying'),
  );
  const waiting = feed(own, goodsFile(3, 'W'), { key: 'waits' });
  await eventually(
    () => runsOf(own),
    (runs) => runs.length === 2,
  );
  const again = await feed<FeedFailure>(own, goodsFile(3, 'W'), { key: 'waits' });
  expect([again.status, again.body.error]).toEqual([409, 'idempotency_in_progress']);
  expect((await runsOf(own)).map(({ status }) => status)).toContain('applying');
  expect([(await long).status, (await waiting).status]).toEqual([201, 201]);
});
