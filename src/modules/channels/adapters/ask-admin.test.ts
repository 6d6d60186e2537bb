/** Whatever a store answers, a question ends with an answer or an error that says why there is none. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { StorePlatform } from '../settings.ts';
import { type Ask, askAdmin } from './ask-admin.ts';
import { exchangeCode } from './ask-tokens.ts';
import { askItem, readLevels } from './read-levels.ts';
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

test('data beside errors that are null are an answer', async () => {
  say('{"data":{"shop":{"id":"7"}},"errors":null}');
  expect(await ask()).toEqual({ shop: { id: '7' } });
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

/** Answers with pages of products, one after another. */
const storeOf = (pages: (question: number) => object) => {
  let questions = 0;
  const ask = async <Data>(): Promise<Data> => {
    questions += 1;
    if (questions > 10_000) throw new Error('it asks without end');
    return { products: pages(questions) } as Data;
  };
  return { ask, questions: () => questions };
};
const someProducts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `gid://shopify/Product/${index + 1}`, variants: variants({ hasNextPage: false }) },
  }));
/** Nodes without an id are skipped, which is fast. */
const NO_PRODUCTS = Array.from({ length: 1_000 }, () => ({ variants: variants({ hasNextPage: false }) }));
const readAll = async (ask: Ask): Promise<number> => {
  let found = 0;
  for await (const page of readProducts(ask)) found += page.length;
  return found;
};
const nextPage = (endCursor: string) => ({ hasNextPage: true, endCursor });

test.each<[string, (question: number) => object]>([
  ['are empty', (n) => ({ nodes: [], pageInfo: nextPage(`${n}`) })],
  ['are empty and lead in a circle', (n) => ({ nodes: [], pageInfo: nextPage(n % 2 ? 'a' : 'b') })],
  ['lead in a circle', (n) => ({ nodes: NO_PRODUCTS, pageInfo: nextPage(n % 2 ? 'a' : 'b') })],
])('pages of products that %s without end are an error of the store', async (_what, pages) => {
  await expect(readAll(storeOf(pages).ask)).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test('a large store is read whole, also with an empty page here and there', async () => {
  const store = storeOf((n) =>
    n === 1_200
      ? { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
      : { nodes: n % 5 === 0 ? someProducts(500) : [], pageInfo: nextPage(`${n}`) },
  );
  expect([await readAll(store.ask), store.questions()]).toEqual([119_500, 1_200]);
});

const LAST = { hasNextPage: false, endCursor: null };
const wrongAnswers: [string, object][] = [
  ['nothing', {}],
  ['pages without nodes', { products: { pageInfo: LAST }, product: {}, nodes: null }],
  [
    'pages without their end',
    { products: { nodes: [] }, product: { id: 'gid://shopify/Product/1' }, nodes: [1] },
  ],
  ['nodes that are null', { products: { nodes: [null], pageInfo: LAST }, product: 1, nodes: [{}] }],
  [
    'wrong variants and instants',
    {
      products: { nodes: [{ variants: { nodes: [null], pageInfo: LAST } }], pageInfo: LAST },
      product: { variants: { nodes: [null], pageInfo: LAST } },
      nodes: [
        { id: '1', inventoryLevels: { nodes: [{ location: { id: '1' }, quantities: [], updatedAt: 'x' }] } },
      ],
    },
  ],
];
test.each(wrongAnswers)('%s instead of what was asked for are an error of the store', async (_what, data) => {
  const wrong = async <Data>(): Promise<Data> => data as Data;
  for (const read of [() => readProduct(wrong, '1'), () => readAll(wrong), () => readLevels(wrong, ['1'], 1)])
    await expect(read()).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test.each<[string, object]>([
  ['fields', {}],
  ['variants', { inventoryItem: { tracked: true } }],
  ['an instant', { inventoryItem: { variants: { nodes: [] }, inventoryLevel: { quantities: [] } } }],
])('an item without %s is an error of the store', async (_what, data) => {
  const wrong = async <Data>(): Promise<Data> => data as Data;
  await expect(askItem(wrong, '1', '2')).rejects.toMatchObject({ name: 'StoreUnreachable' });
});

test('errors of the service are not said as those of the store', async () => {
  const broken = async (): Promise<never> => {
    throw new TypeError('a fault of the service');
  };
  for (const read of [
    () => readProduct(broken, '1'),
    () => readAll(broken),
    () => readLevels(broken, ['1'], 1),
  ])
    await expect(read()).rejects.toMatchObject({ name: 'TypeError' });
});
