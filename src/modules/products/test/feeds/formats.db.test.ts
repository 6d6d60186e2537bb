import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  rowsOf,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Big' });

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

let serial = 0;
/** A SKU that no other test uses. */
const sku = (): string => {
  serial += 1;
  return `F-${serial}`;
};
const titleOf = async (name: string): Promise<string | null | undefined> =>
  (await catalogueOf(seller)).get(name)?.title;

const JSON_ROWS = (rows: readonly object[]): string => JSON.stringify(rows);
const LINES = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const OBJECT = (rows: readonly object[]): string => JSON.stringify({ rows }, null, 2);
test.each([
  ['CSV', 'text/csv', (rows: Parameters<typeof csv>[0]) => csv(rows, ';')],
  ['JSON', 'application/json', JSON_ROWS],
  ['JSON with rows', 'application/json', OBJECT],
  ['NDJSON', 'application/x-ndjson', LINES],
])('%s without a type of its own is recognised, as curl sends it', async (_name, type, write) => {
  // A malformed type says as little as none. Many clients state none for bytes.
  const generic = ['application/x-www-form-urlencoded', 'application/octet-stream'];
  for (const stated of [...generic, 'constructor', '', null]) {
    const [one, two] = [sku(), sku()];
    const run = await applied(seller, Buffer.from(write([goods(one), goods(two)])), { type: stated });
    expect(run.counts).toMatchObject({ rows: 2, created: 2 });
    expect(run.source['content_type']).toBe(type);
  }
});

test.each([
  ['text/csv', ','],
  ['text/csv', ';'],
  ['text/csv', '\t'],
  ['text/csv', '|'],
  ['text/csv; charset=utf-8; header=present', ','],
  ['TEXT/CSV', ','],
  ['application/csv', ','],
  ['text/plain', ';'],
  ['application/vnd.ms-excel', ';'],
  ['text/tab-separated-values', '\t'],
  ['text/tsv', '\t'],
])('a file of type %s with the delimiter %j', async (type, delimiter) => {
  const [one, two] = [sku(), sku()];
  const title = `Mug, blue; "large" | 1/2\tnew`.replace('\t', ' ');
  const run = await applied(seller, csv([goods(one, { title }), goods(two)], delimiter), { type });
  expect(run.counts).toMatchObject({ rows: 2, created: 2 });
  expect(run.source).toMatchObject({ encoding: 'utf-8', delimiter });
  expect(await titleOf(one)).toBe(title);
});

test.each([
  [';', 'sep=;\r\n'],
  [',', 'SEP=,\n'],
  ['\t', 'sep=\t\n'],
  ['|', '\ufeffsep=|\n'],
])('a first line that names the delimiter %j is not the header', async (delimiter, firstLine) => {
  const [one, two] = [sku(), sku()];
  const run = await applied(seller, firstLine + csv([goods(one), goods(two, { price: 'WRONG' })], delimiter));
  expect(run.source).toMatchObject({ delimiter });
  expect(run.row_results).toMatchObject([
    { row_number: 1, line_start: 3, outcome: 'created' },
    { row_number: 2, line_start: 4, outcome: 'rejected' },
  ]);
  const path = `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`;
  const { text } = await seller.call('GET', path);
  expect(text.split(delimiter)[2]).toBe('seller_sku');
  const mended = await applied(seller, text.replace('WRONG', '5'));
  expect(mended.counts).toMatchObject({ rows: 1, created: 1 });
});

test.each([
  ['an array', (rows: unknown[]) => JSON.stringify(rows), JSON_TYPE],
  ['an object with rows', (rows: unknown[]) => JSON.stringify({ rows }), JSON_TYPE],
  [
    'an object with rows and other keys',
    (rows: unknown[]) => `{"shop":{"a":[1]},"rows":${JSON.stringify(rows)},"z":1}`,
    JSON_TYPE,
  ],
  ['lines', (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\r\n'), NDJSON_TYPE],
  [
    'lines and blank lines',
    (rows: unknown[]) => `\n${rows.map((row) => JSON.stringify(row)).join('\n\n')}\n\n`,
    NDJSON_TYPE,
  ],
  [
    'lines with the type application/jsonl',
    (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n'),
    'application/jsonl',
  ],
  ['a byte order mark', (rows: unknown[]) => `\ufeff${JSON.stringify(rows)}`, JSON_TYPE],
])('JSON as %s has typed values in flat columns', async (_what, text, type) => {
  const [one, two] = [sku(), sku()];
  const rows = [
    {
      ...goods(one),
      title: 'Ünïcode “mug” 🫖',
      price: 24.99,
      quantity: 7,
      image_urls: ['https://a.example/1.jpg'],
    },
    { ...goods(two), price: '5', quantity: null, 'attributes.handmade': true },
  ];
  const run = await applied(seller, text(rows), { type });
  expect(run.counts).toMatchObject({ rows: 2, created: 2 });
  expect(run.source).toMatchObject({ delimiter: null });
  const products = await catalogueOf(seller);
  expect(products.get(one)).toMatchObject({
    title: 'Ünïcode “mug” 🫖',
    price_minor: 2499,
    quantity_on_hand: 7,
    images: [{ url: 'https://a.example/1.jpg' }],
  });
  expect(products.get(two)).toMatchObject({
    price_minor: 500,
    quantity_on_hand: null,
    attributes: { handmade: 'true' },
  });
});

test.each([
  ['text/csv', (name: string) => csv([goods(name)])],
  [JSON_TYPE, (name: string) => JSON.stringify([goods(name)])],
  [NDJSON_TYPE, (name: string) => JSON.stringify(goods(name))],
])('gzip of %s is accepted; the run has the size after decompression', async (type, text) => {
  const name = sku();
  const plain = text(name);
  const run = await applied(seller, gzipSync(plain), { type, headers: { 'content-encoding': 'gzip' } });
  expect(run.counts.created).toBe(1);
  expect(run.source).toMatchObject({ bytes: Buffer.byteLength(plain) });
});

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const TEXT = 'Café Größe € Ž 日本 🫖';
test.each([
  ['utf-8', (text: string) => Buffer.from(text), TEXT],
  ['utf-8', (text: string) => Buffer.from(`\ufeff${text}`), TEXT],
  ['utf-16le', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), TEXT],
  ['utf-16be', (text: string) => utf16be(`\ufeff${text}`), TEXT],
])('text in %s is recognised by its byte order mark or its bytes', async (encoding, encode, title) => {
  const name = sku();
  const run = await applied(seller, encode(csv([goods(name, { title })])));
  expect(run.source).toMatchObject({ encoding });
  expect(await titleOf(name)).toBe(title);
});

test.each(['application/json', 'application/x-ndjson'])(
  '422 for %s in UTF-16 says to save it as UTF-8',
  async (type) => {
    const text = JSON.stringify({ seller_sku: sku(), status: 'draft' });
    const body = Buffer.from(`\ufeff${type === 'application/json' ? `[${text}]` : text}`, 'utf16le');
    const answer = await feed<FeedFailure>(seller, body, { type });
    expect(answer).toMatchObject({ status: 422, body: { code: 'encoding_invalid', retryable: false } });
    expect(answer.body.detail).toContain('UTF-8');
  },
);

test('Windows-1252 is read with its characters from 0x80 to 0x9F', async () => {
  const name = sku();
  // € ‚ ƒ „ … † ‡ ˆ ‰ Š ‹ Œ Ž ‘ ’ “ ” • – — ˜ ™ š › œ ž Ÿ and é
  const codes = [0x80, ...range(0x82, 0x8c), 0x8e, ...range(0x91, 0x9c), 0x9e, 0x9f, 0xe9];
  const [before, after] = csv([goods(name, { title: 'TITLE' })]).split('TITLE');
  const file = Buffer.concat([Buffer.from(before ?? ''), Buffer.from(codes), Buffer.from(after ?? '')]);
  const run = await applied(seller, file);
  expect(run.source).toMatchObject({ encoding: 'windows-1252' });
  expect(await titleOf(name)).toBe('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸé');
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

test('invalid UTF-8 in a file with valid multi-byte text rejects only its own rows', async () => {
  const [good, bad] = [sku(), sku()];
  const [head = '', tail = ''] = csv([goods(good, { title: 'Café' }), goods(bad, { title: 'X?' })]).split(
    '?',
  );
  const run = await applied(
    seller,
    Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(tail)]),
  );
  expect(run.counts).toMatchObject({ rows: 2, created: 1, rejected: 1 });
  expect(run.row_results[1]?.messages[0]?.code).toBe('encoding_invalid');
  expect(await titleOf(good)).toBe('Café');
});

test('quoted cells may have delimiters, quotes and line breaks; all line ends and blank lines are read', async () => {
  const [one, two, three] = [sku(), sku(), sku()];
  const header = 'seller_sku,title,description,price,exempt_reason';
  const file = `${header}\r\n${one},"A ""b"", c","line 1\r\nline 2",1,handmade\r\n\r\n${two},T,,2,handmade\n${three},T,,3,handmade`;
  const run = await applied(seller, file);
  expect(run.counts).toMatchObject({ rows: 3, created: 3 });
  const rows = await rowsOf(seller, run.run_id);
  expect(rows.map(({ row_number, line_start, line_end }) => [row_number, line_start, line_end])).toEqual([
    [1, 2, 3],
    [2, 5, 5],
    [3, 6, 6],
  ]);
  expect((await catalogueOf(seller)).get(one)).toMatchObject({
    title: 'A "b", c',
    description: 'line 1\r\nline 2',
  });
});

const form = (content: string | Uint8Array, filename?: string, type?: string): FormData => {
  const data = new FormData();
  data.set('note', 'fields before the file are ignored');
  const bytes = typeof content === 'string' ? content : new Uint8Array(content);
  if (filename === undefined) data.set('file', String(content));
  else data.set('upload', new Blob([bytes], type === undefined ? {} : { type }), filename);
  return data;
};

test.each([
  ['a CSV file', (text: string) => form(text, 'goods.csv', 'text/csv'), 'goods.csv'],
  ['a file whose name has its type', (text: string) => form(text, 'goods.csv'), 'goods.csv'],
  [
    'a compressed file',
    (text: string) => form(gzipSync(text), 'goods.csv.gz', 'application/gzip'),
    'goods.csv.gz',
  ],
  [
    'a file that is compressed according to its name',
    (text: string) => form(gzipSync(text), 'GOODS.CSV.GZ'),
    'GOODS.CSV.GZ',
  ],
  ['a path as the file name', (text: string) => form(text, 'C:\\stock\\goods.csv', 'text/csv'), 'goods.csv'],
])('multipart with %s', async (_what, body, filename) => {
  const name = sku();
  const run = await applied(seller, body(csv([goods(name)])), { type: null });
  expect(run.counts.created).toBe(1);
  expect(run.source).toMatchObject({ filename, content_type: 'text/csv' });
});

test('multipart with a JSON file', async () => {
  const body = form(JSON.stringify({ rows: [goods(sku())] }), 'goods.json');
  expect((await applied(seller, body, { type: null })).source).toMatchObject({ content_type: JSON_TYPE });
});

test('422 for multipart with two files', async () => {
  const [one, two] = [sku(), sku()];
  const body = form(csv([goods(one)]), 'one.csv', 'text/csv');
  body.append('upload', new Blob([csv([goods(two)])], { type: 'text/csv' }), 'two.csv');
  const answer = await feed<FeedFailure>(seller, body, { type: null });
  expect(answer).toMatchObject({ status: 422, body: { code: 'multipart_invalid' } });
  expect(answer.body.detail).toContain('more than one file');
  expect([await titleOf(one), await titleOf(two)]).toEqual([undefined, undefined]);
});

test('multipart with fields after the file', async () => {
  const name = sku();
  const body = form(csv([goods(name)]), 'one.csv', 'text/csv');
  body.append('note', 'x'.repeat(100_000));
  expect((await applied(seller, body, { type: null })).counts.created).toBe(1);
});

const failure = (body: string | Uint8Array | FormData, type: string | null, headers = {}) =>
  feed<FeedFailure>(seller, body, { type, headers });

test.each<[string, () => string | FormData, string | null, number, string]>([
  ['no file', () => form('text'), null, 422, 'file_missing'],
  [
    'a file of an unsupported type',
    () => form('%', 'a.exe', 'application/x-dosexec'),
    null,
    415,
    'feed_content_type',
  ],
  ['no boundary', () => 'x', 'multipart/form-data', 422, 'multipart_invalid'],
  [
    'a boundary that is not in the body',
    () => 'seller_sku\nA',
    'multipart/form-data; boundary=zz',
    422,
    'multipart_invalid',
  ],
  [
    'a body that ends inside the file',
    () => '--zz\r\ncontent-disposition: form-data; name="f"; filename="a.csv"\r\n\r\nseller_sku,ti',
    'multipart/form-data; boundary=zz',
    422,
    'multipart_invalid',
  ],
  ['a file that is not gzip', () => form('plain', 'a.csv.gz'), null, 422, 'gzip_invalid'],
])('multipart with %s is rejected', async (_what, body, type, status, code) => {
  const answer = await failure(body(), type);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({ retryable: false, row_results: [] });
});

test('header names may have any case and blanks for underscores; notes are ignored', async () => {
  const name = sku();
  const file = `Seller SKU,TITLE,Price,exempt-reason,_why\n${name},T,1,handmade,because\n`;
  const run = await applied(seller, file);
  expect(run.counts).toMatchObject({ created: 1, warnings: 0 });
});

test('a warning about an unknown column suggests the similar column', async () => {
  const run = await applied(seller, csv([{ ...goods(sku()), colour: 'Blue', gtin: '' }]));
  expect(run.detection).toMatchObject({
    messages: [
      { code: 'unknown_column', column: 'colour' },
      { code: 'unknown_column', column: 'gtin', expected: 'global_id' },
    ],
  });
});

test('rows of several batches keep their order and their line numbers', async () => {
  const run = await applied(seller, goodsFile(2_500, 'BATCH'));
  expect(run.counts).toMatchObject({ rows: 2_500, created: 2_500 });
  expect(run.progress).toEqual({ rows_done: 2_500, rows_total: 2_500 });
  const rows = await rowsOf(seller, run.run_id);
  expect(rows.map(({ row_number }) => row_number)).toEqual(range(1, 2_500));
  expect(rows.at(-1)).toMatchObject({ seller_sku: 'BATCH-2500', line_start: 2_501 });
});
