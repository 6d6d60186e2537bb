import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Answer, startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  codes,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  rowsOf,
  type Sending,
} from '../../../../../test/support/feeds.ts';

// A machine that is busy with something else takes a minute for the largest of these files.
const app = await startTestApp({ MAX_SYNC_SECONDS: '150' });
const seller = await app.seller({ plan: 'Big' });
const JSON_TYPE = { type: 'application/json' };
const NDJSON = { type: 'application/x-ndjson' };

const MiB = 1024 * 1024;
/** No file may cause a timeout: linear work on the largest file takes a fraction of the limit. */
async function send(file: string | Uint8Array, sending: Sending = {}): Promise<Answer<Run & FeedFailure>> {
  const answer = await feed<Run & FeedFailure>(seller, file, sending);
  expect(answer.status).not.toBe(504);
  return answer;
}
const runIn = (answer: Answer<Run & FeedFailure>): Run => answer.body.run ?? answer.body;

const HEAD = 'seller_sku,title,price,exempt_reason';
const good = (sku: string): string => `${sku},Title,1,handmade`;

test('a cell of 50 MB rejects only its row', async () => {
  const file = Buffer.concat([
    Buffer.from(`${HEAD}\n${good('BIG-A')}\nBIG-B,"`),
    Buffer.alloc(50 * MiB, 'x'),
    Buffer.from(`",1,handmade\n${good('BIG-C')}\n`),
  ]);
  const answer = await send(file);
  expect(answer.status).toBe(201);
  expect(answer.body.counts).toMatchObject({ rows: 3, created: 2, rejected: 1 });
  expect(codes(answer.body.row_results)[1]).toEqual([expect.stringMatching(/^(row|cell)_too_long$/)]);
  expect(answer.text.length).toBeLessThan(20_000);
});

test('a text of 50 MB in JSON rejects only its row', async () => {
  const rows = [goods('BIGJ-A'), { ...goods('BIGJ-B'), title: 'x'.repeat(50 * MiB) }, goods('BIGJ-C')];
  const array = await send(JSON.stringify(rows), JSON_TYPE);
  expect(array.body.counts).toMatchObject({ rows: 3, created: 2, rejected: 1 });
  expect(codes(array.body.row_results)[1]).toEqual(['row_too_long']);
  const lines = await send(rows.map((row) => JSON.stringify(row)).join('\n'), NDJSON);
  expect(lines.body.counts).toMatchObject({ rows: 3, unchanged: 2, rejected: 1 });
});

test('a header of 100,000 columns is rejected', async () => {
  const header = ['seller_sku', ...Array.from({ length: 100_000 }, (_, index) => `attributes.a${index}`)];
  const answer = await send(
    `${header.join(',')}\nA,${header
      .slice(1)
      .map(() => 'x')
      .join(',')}\n`,
  );
  expect([answer.status, answer.body.code]).toEqual([422, 'too_many_columns']);
  const row = Object.fromEntries(header.map((name) => [name, 'x']));
  const json = await send(JSON.stringify([row, goods('COL-A')]), JSON_TYPE);
  expect(json.status).toBe(201);
  expect(codes(json.body.row_results)).toEqual([
    [expect.stringMatching(/^(too_many_columns|row_too_long)$/)],
    [],
  ]);
});

test('a row of 100,000 cells rejects only itself', async () => {
  const answer = await send(`${HEAD}\n${good('CELLS-A')}\nX${',y'.repeat(100_000)}\n${good('CELLS-B')}\n`);
  expect(answer.body.counts).toMatchObject({ rows: 3, created: 2, rejected: 1 });
  expect(codes(answer.body.row_results)[1]).toEqual(['too_many_columns']);
});

test('5,000 attribute columns are read when the settings allow them; the limit of a product still holds', async () => {
  const wide = await startTestApp({ MAX_COLUMNS: '10000' });
  const own = await wide.seller({ plan: 'Big' });
  const attributes = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`attributes.a${index}`, 'x']),
  );
  const answer = await feed<FeedFailure>(own, csv([goods('WIDE', attributes)]));
  expect(answer.status).toBe(422);
  expect(codes(answer.body.row_results)).toEqual([['attribute_limit']]);
});

test('an unclosed quote is reported; the rows before it are applied', async () => {
  const tail = Array.from({ length: 20_000 }, (_, index) => good(`Q-${index}`)).join('\n');
  const answer = await send(`${HEAD}\n${good('QUOTE-A')}\nQUOTE-B,"never closed,1,handmade\n${tail}\n`);
  expect(answer.status).toBe(201);
  expect(answer.body.counts).toMatchObject({ created: 1, rejected: 1 });
  expect(codes(answer.body.row_results)[1]?.[0]).toMatch(/quote_unclosed|too_long/);
});

test('a header with an unclosed quote is rejected', async () => {
  const answer = await send(`"seller_sku,title\nA,b\n`);
  expect([answer.status, answer.body.error]).toEqual([422, 'feed_validation_failed']);
});

test('files of quotes, delimiters or carriage returns get a typed answer in linear time', async () => {
  for (const byte of ['"', ',', '\r', ' ', '\u00a0', '\0']) {
    const answer = await send(Buffer.alloc(8 * MiB, byte));
    expect([byte, answer.status, answer.body.error]).toEqual([
      byte,
      expect.any(Number),
      expect.stringMatching(/^feed_/),
    ]);
    expect([415, 422]).toContain(answer.status);
  }
});

test('rows of bytes that are not text are rejected', async () => {
  const rows = [good('BYTES-A'), `BYTES-B,T\u0081\u008d,1,handmade`, good('BYTES-C')].join('\n');
  const file = Buffer.concat([
    Buffer.from(`${HEAD}\nBYTES-0,Caf\u00e9,1,handmade\n`),
    Buffer.from(rows, 'latin1'),
  ]);
  const answer = await send(file);
  expect(answer.body.counts).toMatchObject({ rows: 4, created: 3, rejected: 1 });
  expect(codes(answer.body.row_results)[2]).toEqual(['encoding_invalid']);
});

const barcode = (global_id: string) =>
  csv([
    goods(`GTIN-${global_id.replaceAll(/\W/g, '')}`, {
      global_id,
      identity_strategy: 'global_id',
      exempt_reason: '',
    }),
  ]);
test.each([
  ['3.65E+11', 'gtin_scientific_notation'],
  ['9.31E+12', 'gtin_scientific_notation'],
  ['0000000000000', 'gtin_placeholder'],
  ['9312345678901', 'gtin_check_digit'],
  ['123', 'gtin_length'],
  ['ABCDEFGHIJKLM', 'gtin_not_numeric'],
])('the barcode %s is rejected with %s', async (code, expected) => {
  const answer = await send(barcode(code));
  expect(answer.status).toBe(422);
  expect(codes(answer.body.row_results)).toEqual([[expected]]);
});

test('decompression of 10 GB stops at the size limit', async () => {
  const member = gzipSync(Buffer.alloc(100 * MiB));
  const bomb = Buffer.concat(Array.from({ length: 100 }, () => member));
  const answer = await send(bomb, { headers: { 'content-encoding': 'gzip' } });
  expect([answer.status, answer.body.error]).toEqual([413, 'feed_too_large']);
});

test('deeply nested JSON rejects its row or the file, and never overflows the stack', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const value = await send(
    `[{"seller_sku":"DEEP-A","attributes.x":${deep}},${JSON.stringify(goods('DEEP-B'))}]`,
    JSON_TYPE,
  );
  expect(value.status).toBe(201);
  expect(codes(value.body.row_results)).toEqual([['nested_too_deep'], []]);
  for (const file of [deep, `{"a":${deep},"rows":[]}`, '['.repeat(1_000_000), '{"rows":'.repeat(200_000)]) {
    const answer = await send(file, JSON_TYPE);
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringMatching(/^feed_(validation_failed|rejected)$/),
    ]);
  }
  const lines = await send(`${deep}\n${JSON.stringify(goods('DEEP-C'))}`, NDJSON);
  expect(lines.body.counts).toMatchObject({ created: 1, rejected: 1 });
});

test('keys of Object.prototype are unknown columns', async () => {
  const row = JSON.stringify(goods('PROTO'));
  const keys = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'attributes.__proto__',
    'variation.__proto__',
  ];
  for (const key of keys) {
    const answer = await send(`[${row.slice(0, -1)},${JSON.stringify(key)}:"x"}]`, JSON_TYPE);
    expect([key, answer.status]).toEqual([key, expect.toBeOneOf([201, 422])]);
    expect(answer.body.error ?? '').not.toMatch(/execution/);
    const table = await send(`${HEAD},${key}\n${good(`PROTO-${key.length}`)},x\n`);
    expect([key, table.status]).toEqual([key, expect.toBeOneOf([201, 422])]);
  }
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

const FIELDS = [
  'seller_sku',
  'title',
  'description',
  'brand',
  'mpn',
  'global_id',
  'identity_strategy',
  'product_id',
  'exempt_reason',
  'category',
  'condition',
  'price',
  'compare_at',
  'quantity',
  'reorder_point',
  'status',
  'image_urls',
  'attributes.x',
  'parent_sku',
  'variation.Size',
];
test.each([
  ['a NUL', 'a\u0000b'],
  ['a high surrogate', 'a\ud800b'],
  ['a low surrogate', '\udc00'],
  ['100,000 characters', 'x'.repeat(100_000)],
  ['invisible text', '\u202e\u200b\ufeff'],
  ['a line break', 'a\nb'],
])(
  '%s in any field is a finding of its row, never a 500',
  async (what, value) => {
    for (const field of FIELDS) {
      const row = { ...goods(`V-${what.length}`), [field]: value };
      const json = await send(JSON.stringify([row, goods('V-OK')]), JSON_TYPE);
      expect([field, json.status]).toEqual([field, 201]);
      if (value.isWellFormed()) expect((await send(csv([row, goods('V-OK')]))).status).toBe(201);
      const run = runIn(json);
      for (const code of ['control_chars', 'text_malformed', 'length_exceeded'])
        await rowsOf(seller, run.run_id, `&code=${code}`);
      const file = await seller.call(
        'GET',
        `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
      );
      expect(file.status).toBe(200);
    }
  },
  120_000,
);

test('an invalid column name is a finding', async () => {
  const names = [
    'a\u0000b',
    '\ud800',
    'attributes.\u0000',
    'attributes.\ud800',
    `attributes.${'x'.repeat(1_000)}`,
    'x'.repeat(100_000),
    '',
  ];
  for (const name of names) {
    const json = await send(JSON.stringify([{ ...goods('N-1'), [name]: 'x' }, goods('N-2')]), JSON_TYPE);
    expect([name.slice(0, 20), json.status]).toEqual([name.slice(0, 20), 201]);
    const run = runIn(json);
    const rows = await rowsOf(seller, run.run_id, '&code=unknown_column');
    for (const { messages } of rows)
      for (const { column } of messages) expect(column?.length ?? 0).toBeLessThanOrEqual(80);
    if (name.isWellFormed()) {
      const table = await send(csv([{ ...goods('N-1'), [name]: 'x' }]));
      expect([name.slice(0, 20), table.status]).toEqual([name.slice(0, 20), expect.toBeOneOf([201, 422])]);
    }
  }
});

test('a SKU of 1 MB is a finding; the evidence has only its beginning', async () => {
  const answer = await send(JSON.stringify([goods('s'.repeat(MiB - 1_000)), goods('SKU-OK')]), JSON_TYPE);
  expect(answer.status).toBe(201);
  expect(answer.text.length).toBeLessThan(20_000);
  const answerCsv = await send(csv([goods('s'.repeat(100_000)), goods('SKU-OK')]));
  expect(codes(answerCsv.body.row_results)[0]).toContain('length_exceeded');
  expect(answerCsv.text.length).toBeLessThan(20_000);
});

test('large numbers in JSON are not rounded', async () => {
  const file = `[{"seller_sku":"NUM","title":"T","price":99999999.99,"exempt_reason":"handmade","attributes.id":12345678901234567890}]`;
  const run = await applied(seller, file, JSON_TYPE);
  const product = (await catalogueOf(seller)).get('NUM');
  expect(run.counts.created).toBe(1);
  expect(product).toMatchObject({
    price_minor: 9_999_999_999,
    attributes: { id: '12345678901234567890' },
  });
});
