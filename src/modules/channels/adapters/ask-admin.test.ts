/** Whatever a store answers, a question ends with an answer or an error that says why there is none. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { StorePlatform } from '../settings.ts';
import { askAdmin } from './ask-admin.ts';
import { exchangeCode } from './ask-tokens.ts';
import { readLevels } from './read-levels.ts';
import { readProduct, readProducts } from './read-products.ts';

let answer: RequestListener = (_request, response) => response.end('{}');
/** The requests, each with its headers and its body. */
const taken: string[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    taken.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
    answer(request, response);
  });
});
const elsewhere = createServer((request, response) => {
  taken.push(`elsewhere ${request.url} ${JSON.stringify(request.headers)}`);
  response.end('{"data":{"shop":{}}}');
});
for (const one of [server, elsewhere]) {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    one.closeAllConnections();
    one.close();
  });
}
const portOf = (one: typeof server): number => (one.address() as AddressInfo).port;
const platform: StorePlatform = {
  ...{ clientId: 'app', secrets: ['secret'], apiVersion: '2026-10', formTargets: '', callbackUrl: '' },
  ...{ receiverUrl: '', addressOf: (shop) => `http://127.0.0.1:${portOf(server)}/${shop}` },
};
const SHOP = 'a-shop.myshopify.com';
const ask = <Data>(): Promise<Data> =>
  askAdmin<Data>(platform, SHOP, 'shpat_1', { query: '{ shop { id } }' });
const say = (text: string | Buffer, status = 200, headers: Record<string, string> = {}): void => {
  answer = (_request, response) => response.writeHead(status, headers).end(text);
};
/** The names of the errors by which the callers tell what to do. */
const EXPECTED = /^(StoreUnreachable|StoreRefused|QuestionRefused)$/;

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) leads nowhere, and no token goes there',
  async (status) => {
    taken.length = 0;
    for (const host of [
      `http://127.0.0.1:${portOf(elsewhere)}/`,
      `/b-shop.myshopify.com/admin/oauth/access_token`,
    ]) {
      say('', status, { location: host });
      await expect(ask()).rejects.toMatchObject({ name: 'StoreUnreachable' });
      await expect(exchangeCode(platform, SHOP, 'code')).rejects.toMatchObject({ name: 'StoreUnreachable' });
    }
    expect(taken.map((one) => one.split(' ', 1)[0])).toEqual(
      Array.from(
        { length: 4 },
        (_, index) => `/${SHOP}/admin/${index % 2 ? 'oauth/access_token' : 'api/2026-10/graphql.json'}`,
      ),
    );
  },
);

const LONE = '{"data":{"shop":{"name":"\\ud800 \\u0000","__proto__":{"id":"x"}}}}';
test.each<[string, string | Buffer, number?, Record<string, string>?]>([
  ['nothing', ''],
  ['null', 'null'],
  ['a text', '"data"'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['no data', '{"data":null}'],
  ['a list of data', '{"data":[]}'],
  ['an error that is a text', '{"errors":"[API] Invalid API key or access token"}'],
  ['an error that is an object', '{"errors":{"shop":["is closed"]}}'],
  ['errors that are none', '{"errors":[null,1,"x"]}'],
  ['an error beside data', '{"data":{"shop":{}},"errors":[{"message":"Internal error"}]}'],
  ['an error with a code that is no text', '{"errors":[{"message":"x","extensions":{"code":{}}}]}'],
  ['a page of HTML', '<!doctype html><p>Enter the password', 200, { 'content-type': 'text/html' }],
  ['a bomb', gzipSync(Buffer.alloc(50 * 1024 * 1024)), 200, { 'content-encoding': 'gzip' }],
  ['brackets without end', '['.repeat(1_000_000)],
  ['a long text', `{"data":"${'x'.repeat(1024 * 1024)}"}`],
  ['a status without a time to wait', '', 429],
  ['a status with a year to wait', '', 429, { 'retry-after': '31536000' }],
  ['a status that is no answer', '{"data":{"shop":{}}}', 206],
])('%s is no answer of the admin API', async (_what, text, status, headers) => {
  say(text, status, headers);
  await expect(ask()).rejects.toMatchObject({ name: expect.stringMatching(EXPECTED) });
});

test('halves of characters and the name of a prototype do no harm', async () => {
  say(LONE);
  const { shop } = await ask<{ shop: { name: string; id?: string } }>();
  expect([shop.name, shop.id, ({} as { id?: string }).id]).toEqual(['\ufffd \ufffd', undefined, undefined]);
});

test.each<[string, string]>([
  ['nothing', ''],
  ['null', 'null'],
  ['a text', '"x"'],
  ['no token', '{"access_token":""}'],
  ['a token that is no text', '{"access_token":{"a":1}}'],
])('%s gives no tokens', async (_what, text) => {
  say(text);
  await expect(exchangeCode(platform, SHOP, 'code')).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test('a token that lives longer than a date can say lives for a hundred years', async () => {
  say('{"access_token":"a","refresh_token":"b","expires_in":1e300,"refresh_token_expires_in":1e15}');
  expect(await exchangeCode(platform, SHOP, 'code')).toMatchObject({
    ...{ access: 'a', accessSeconds: 3_155_760_000, refreshSeconds: 3_155_760_000 },
  });
});

const variants = (page: object) => ({ nodes: [{ id: 'gid://shopify/ProductVariant/1' }], pageInfo: page });
test.each<[string, object]>([
  ['the same place', { hasNextPage: true, endCursor: 'a' }],
  ['no place', { hasNextPage: true, endCursor: null }],
  ['a place that is no text', { hasNextPage: true, endCursor: 7 }],
])('pages that lead on to %s end with an error', async (_where, pageInfo) => {
  let questions = 0;
  const endless = async <Data>(): Promise<Data> => {
    questions += 1;
    if (questions > 1_000) throw new Error('it asks without end');
    const product = { id: 'gid://shopify/Product/1', variants: variants(pageInfo) };
    return { product, products: { nodes: [], pageInfo } } as Data;
  };
  await expect(readProduct(endless, '1')).rejects.toMatchObject({ name: 'StoreUnreachable' });
  const pages = async () => {
    for await (const page of readProducts(endless)) expect(page).toEqual([]);
  };
  await expect(pages()).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test('a product whose variants never end is not read for ever', async () => {
  let place = 0;
  const endless = async <Data>(): Promise<Data> => {
    place += 1;
    if (place > 10_000) throw new Error('it asks without end');
    const pageInfo = { hasNextPage: true, endCursor: `${place}` };
    return { product: { id: 'gid://shopify/Product/1', variants: variants(pageInfo) } } as Data;
  };
  await expect(readProduct(endless, '1')).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test.each<[string, unknown]>([
  ['no products', {}],
  [
    'products without nodes',
    { products: { pageInfo: { hasNextPage: false, endCursor: null } }, product: {}, nodes: null },
  ],
  [
    'products without a page',
    { products: { nodes: [] }, product: { id: 'gid://shopify/Product/1' }, nodes: [1] },
  ],
  [
    'products that are null',
    { products: { nodes: [null], pageInfo: { hasNextPage: false } }, product: 1, nodes: [{}] },
  ],
])('%s are an answer that cannot be read', async (_what, data) => {
  const wrong = async <Data>(): Promise<Data> => data as Data;
  const all = async () => {
    for await (const page of readProducts(wrong)) expect(page).toEqual([]);
  };
  for (const read of [() => readProduct(wrong, '1'), all, () => readLevels(wrong, ['1'], 1)])
    await expect(read()).rejects.toThrow();
});
