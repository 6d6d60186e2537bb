import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { applied, goodsFile } from '../../../test/support/feeds.ts';
import { create } from '../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
await applied(seller, goodsFile(300, 'ZIP'));
const { product_id } = await create(seller, { seller_sku: 'LONG', description: 'A long text. '.repeat(200) });
const PRODUCT = `/api/v1/products/${product_id}`;
const LIST = '/api/v1/products?limit=200';
const EXPORT = '/api/v1/products/export?format=csv';

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request without decoding the answer, as `fetch` would. */
function raw(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  json?: unknown,
): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
  const authorization = `Bearer ${seller.token}`;
  const sent = request(`${app.url}${path}`, { method, headers: { authorization, ...type, ...headers } });
  sent.on('error', reject);
  sent.on('response', (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () =>
      resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }),
    );
  });
  sent.end(json === undefined ? undefined : JSON.stringify(json));
  return promise;
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
};
const decoded = ({ headers, bytes }: Raw): string =>
  (DECODERS[headers['content-encoding'] ?? ''] ?? ((one) => one))(bytes).toString();

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['*', 'br'],
  ['gzip;q=0, br;q=0', undefined],
  ['identity', undefined],
  ['gzip;q=0.5, identity', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['zstd', undefined],
  ['GZIP;Q=1', 'gzip'],
])('Accept-Encoding: %s is answered in %s', async (accepted, coding) => {
  const [plain, answer] = [await raw(LIST), await raw(LIST, { 'accept-encoding': accepted })];
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(answer.headers['content-encoding']).toBe(coding);
  for (const { headers } of [plain, answer]) expect(headers['vary']).toBe('Accept-Encoding');
  expect(decoded(answer)).toBe(plain.bytes.toString());
  if (coding !== undefined) expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 5);
});

test('a small answer, a picture and an error of few bytes stay as they are', async () => {
  for (const path of ['/api/v1/orders', '/api/v1/products/nothing']) {
    const { headers } = await raw(path, { 'accept-encoding': 'gzip' });
    expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, undefined]);
  }
});

test('a large error is compressed too', async () => {
  const json = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown_${index}`, index]));
  const answer = await raw('/api/v1/products', { 'accept-encoding': 'gzip' }, 'POST', json);
  expect([answer.status, answer.headers['content-encoding']]).toEqual([422, 'gzip']);
  expect(JSON.parse(decoded(answer))).toMatchObject({ code: 'validation_error' });
});

test('an export whose first rows cannot be read is a plain error', async () => {
  const path = '/api/v1/quality/seller-metrics/none/events?format=csv';
  const { status, headers, bytes } = await raw(path, { 'accept-encoding': 'br' });
  const names = ['content-encoding', 'content-disposition'].map((name) => headers[name]);
  expect([status, ...names]).toEqual([404, undefined, undefined]);
  expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'not_found' });
});

test('a streamed export is compressed', async () => {
  const [plain, gzip, br] = await Promise.all([
    raw(EXPORT),
    raw(EXPORT, { 'accept-encoding': 'gzip' }),
    raw(EXPORT, { 'accept-encoding': 'br' }),
  ]);
  expect([gzip.headers['content-encoding'], br.headers['content-encoding']]).toEqual(['gzip', 'br']);
  expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect([decoded(gzip), decoded(br)]).toEqual([plain.bytes.toString(), plain.bytes.toString()]);
});

test('the entity tag of a compressed answer is weak; it makes 304, and a change honours it', async () => {
  const plain = await raw(PRODUCT);
  const gzip = await raw(PRODUCT, { 'accept-encoding': 'gzip' });
  const tag = String(plain.headers.etag);
  expect(gzip.headers.etag).toBe(`W/${tag}`);
  const headers = { 'accept-encoding': 'gzip', 'if-none-match': `W/${tag}` };
  const same = await raw(PRODUCT, headers);
  expect([same.status, same.bytes.length, same.headers.etag, same.headers['vary']]).toEqual([
    304,
    0,
    `W/${tag}`,
    'Accept-Encoding',
  ]);
  expect((await raw(PRODUCT, { 'if-none-match': tag })).headers.etag).toBe(tag);
  const change = { 'if-match': `W/${tag}` };
  expect((await raw(PRODUCT, change, 'PATCH', { price_minor: 999 })).status).toBe(200);
  expect((await raw(PRODUCT, change, 'PATCH', { price_minor: 998 })).status).toBe(412);
});

test('HEAD has the headers of GET and no body', async () => {
  for (const path of [PRODUCT, LIST, EXPORT]) {
    const accepted = { 'accept-encoding': 'gzip' };
    const [get, head] = [await raw(path, accepted), await raw(path, accepted, 'HEAD')];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    const names = ['vary', 'etag', 'content-type'] as const;
    expect(names.map((name) => head.headers[name])).toEqual(names.map((name) => get.headers[name]));
  }
});

test('many large answers at once are all whole, whether they were compressed or not', async () => {
  const plain = (await raw(LIST)).bytes.toString();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => raw(LIST, { 'accept-encoding': 'gzip, br' })),
  );
  expect(answers.filter((answer) => decoded(answer) !== plain)).toEqual([]);
  expect(answers.some(({ headers }) => headers['content-encoding'] === 'br')).toBe(true);
});
