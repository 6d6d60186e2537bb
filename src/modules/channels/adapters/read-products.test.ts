import { afterAll, expect, test } from 'vitest';
import type { NewProduct } from '../../../../demo/store-platform/catalogue.ts';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { productPayload } from '../../../../demo/store-platform/payloads.ts';
import type { Shop } from '../../../../demo/store-platform/shop.ts';
import { startStorePlatform } from '../../../../demo/store-platform/start-store-platform.ts';
import { parseJsonExact } from '../../../kernel/readers/text/parse-json-exact.ts';
import type { Fields } from '../domain/read-values.ts';
import { productOfPayload, type StoreProduct } from '../domain/store-product.ts';
import type { StorePlatform } from '../settings.ts';
import { askAdmin, type Question, QuestionRefused } from './ask-admin.ts';
import { readProducts } from './read-products.ts';

let now = Date.parse('2026-07-01T00:00:00Z');
const local = await startStorePlatform({
  ...{ port: 0, now: () => now, clientId: 'app', secret: 'secret', redirectUris: () => [] },
});
afterAll(() => local.stop());
const platform: StorePlatform = {
  ...{ clientId: 'app', secrets: ['secret'], apiVersion: '2026-10', formTargets: '', callbackUrl: '' },
  ...{ receiverUrl: '', addressOf: (shop) => local.baseUrl.replace('{shop}', shop) },
};
let shops = 0;
/** A store with an access token, and what was asked of it. */
function newStore() {
  shops += 1;
  const shop = local.shop(`shop-${shops}.myshopify.com`);
  const access = shop.tokens.exchange(shop.tokens.code('read_products'), true)?.access_token ?? '';
  shop.bucket.drain(1_000_000, 1_000_000);
  now += 1_000;
  const asked: Question[] = [];
  const read = async (since?: string, firstMax = Number.POSITIVE_INFINITY): Promise<StoreProduct[]> => {
    const ask = async <Data>(question: Question): Promise<Data> => {
      asked.push(question);
      if (Number(question.variables?.['first'] ?? 0) > firstMax)
        throw new QuestionRefused('MAX_COST_EXCEEDED');
      return askAdmin<Data>(platform, shop.domain, access, question);
    };
    return (await Array.fromAsync(readProducts(ask, since))).flat();
  };
  return { shop, asked, read };
}
const add = (shop: Shop, product: NewProduct) => {
  now += 1_000;
  return shop.createProduct(product);
};
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ title: `V${index}`, sku: `S-${index}` }));

test('all products with all their variants, the longest unchanged first; pages shrink until they are cheap enough', async () => {
  const { shop, asked, read } = newStore();
  for (let index = 0; index < 12; index += 1) add(shop, { title: `Mug ${index}` });
  add(shop, { title: 'Large', variants: many(250) });
  const products = await read(undefined, 3);
  expect(products.map(({ title }) => title)).toEqual([
    ...Array.from({ length: 12 }, (_, index) => `Mug ${index}`),
    'Large',
  ]);
  expect(products.at(-1)?.variants.map(({ sku }) => sku)).toEqual(many(250).map(({ sku }) => sku));
  expect(
    new Set(products.flatMap(({ variants }) => variants.map((one) => one.external_variant_id))).size,
  ).toBe(262);
  const sizes = asked.map(({ variables }) => variables?.['first']).filter((first) => first !== undefined);
  expect(sizes.slice(0, 4)).toEqual([8, 4, 2, 2]);
});

test('a page costs less than the platform allows', async () => {
  const { shop, asked, read } = newStore();
  for (let index = 0; index < 16; index += 1) add(shop, { title: `Mug ${index}` });
  expect(await read()).toHaveLength(16);
  expect(asked).toHaveLength(2);
});

test('a delivery and the admin API give the same product, with exact ids', async () => {
  const { shop, read } = newStore();
  const made = add(shop, {
    ...{ title: 'Blue mug', body_html: '<p>Holds 350&nbsp;ml</p>', tags: ['tea', 'blue'], status: 'draft' },
    ...{ images: ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg'] },
    variants: [
      {
        title: '350 ml',
        sku: 'MUG-BLU',
        barcode: '9312345678907',
        price: '26.99',
        compare_at_price: '30.00',
      },
      { title: '500 ml', sku: null, tracked: false },
    ],
  });
  const [read1] = await read();
  const delivered = productOfPayload(parseJsonExact(exactJson(productPayload(made))) as Fields);
  expect(read1).toEqual(delivered);
  expect(read1?.external_product_id).toBe(String(made.id));
  expect(read1?.variants[1]).toMatchObject({
    ...{ external_variant_id: String(made.variants[1]?.id), sku: null, price: '24.90', options: ['500 ml'] },
    inventory_item_id: String(made.variants[1]?.inventory_item_id),
  });
});

test('only what changed since an instant', async () => {
  const { shop, read } = newStore();
  add(shop, { title: 'Old' });
  now += 60_000;
  const since = new Date(now).toISOString();
  add(shop, { title: 'New' });
  expect((await read(since)).map(({ title }) => title)).toEqual(['New']);
});

test('an answer beyond 1 MiB is asked for in smaller pages', async () => {
  const { shop, asked, read } = newStore();
  const body_html = 'x'.repeat(400_000);
  for (let index = 0; index < 4; index += 1) add(shop, { title: `Mug ${index}`, body_html });
  expect((await read()).map(({ description }) => description.length)).toEqual(Array(4).fill(400_000));
  expect(asked.map(({ variables }) => variables?.['first'])).toEqual([8, 4, 2, 2]);
});

test('what is no product is none', () => {
  for (const body of [{}, { id: 1 }, { id: -1, title: 'x' }, { id: '1', title: 5 }])
    expect(productOfPayload(body)).toBeUndefined();
});
