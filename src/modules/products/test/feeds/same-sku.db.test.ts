/** Two listings with one SKU, in files whose key is the SKU: docs/design/feeds-and-imports.md#matching. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  type CatalogueProduct,
  catalogueOf,
  codes,
  csv,
  type FeedFailure,
  feed,
  type Run,
  rowsOf,
  type Sending,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const make = () => app.seller({ plan: 'Big' });
const IMPORT: Sending = { path: '/products/import-profiles' };

type Cells = Readonly<Record<string, string | number>>;
const picture = (name: string) => `https://cdn.example.com/${name}.jpg`;

const auction = (item: string, title: string, more: Cells = {}): Cells => ({
  Action: 'Add',
  'Item number': item,
  CustomLabel: 'X-1',
  Category: 123,
  Title: title,
  ConditionID: 1000,
  PicURL: picture(title),
  Format: 'FixedPrice',
  StartPrice: '5.00',
  Quantity: 3,
  'Product:EAN': '9312345678907',
  ...more,
});

const ETSY = Array.from({ length: 10 }, (_, index) => `IMAGE${index + 1}`).concat(
  [1, 2].flatMap((index) => ['TYPE', 'NAME', 'VALUES'].map((part) => `VARIATION ${index} ${part}`)),
);
const handmade = (title: string, image: string): Cells => ({
  TITLE: title,
  DESCRIPTION: '',
  PRICE: '5.00',
  CURRENCY_CODE: 'AUD',
  QUANTITY: 3,
  TAGS: '',
  MATERIALS: '',
  ...Object.fromEntries(ETSY.map((column) => [column, ''])),
  IMAGE1: picture(image),
  SKU: 'X-1',
});

async function send(seller: TestSeller, row: Cells): Promise<Run & FeedFailure> {
  return (await feed<Run & FeedFailure>(seller, csv([row]), IMPORT)).body;
}
const productOf = async (seller: TestSeller): Promise<CatalogueProduct | undefined> =>
  (await catalogueOf(seller)).get('X-1');

/** The row is rejected, and the product stays as it is. */
async function expectRefused(seller: TestSeller, row: Cells): Promise<void> {
  const before = await catalogueOf(seller);
  const { row_results } = await send(seller, row);
  const message = expect.stringContaining(String(before.get('X-1')?.product_id));
  const finding = { code: 'sku_duplicate', severity: 'error', message };
  expect(row_results).toMatchObject([{ outcome: 'rejected', messages: [finding] }]);
  expect(await catalogueOf(seller)).toEqual(before);
}

test('a listing with another item number neither changes nor ends the product with its SKU', async () => {
  const seller = await make();
  await applied(seller, csv([auction('100', 'Mug')]), IMPORT);
  await expectRefused(seller, auction('200', 'Mug', { StartPrice: '9.00' }));
  await expectRefused(seller, auction('200', 'Mug', { Action: 'End' }));
  expect(await send(seller, auction('100', 'Jug', { PicURL: picture('jug') }))).toMatchObject({
    counts: { updated: 1 },
  });
  expect(await send(seller, auction('', 'Jug', { StartPrice: '9.00' }))).toMatchObject({
    counts: { updated: 1 },
  });
  await expectRefused(seller, auction('', 'Vase', { PicURL: picture('vase') }));
  expect(await productOf(seller)).toMatchObject({ title: 'Jug', price_minor: 900 });
});

test('the seller relists a product by stating its new item number', async () => {
  const seller = await make();
  await applied(seller, csv([auction('100', 'Mug')]), IMPORT);
  const { product_id } = (await productOf(seller)) ?? {};
  const json = { attributes: { ebay_item_number: '200' } };
  expect((await seller.call('PATCH', `/products/${product_id}`, { json })).status).toBe(200);
  expect(await send(seller, auction('200', 'Mug', { StartPrice: '9.00' }))).toMatchObject({
    counts: { updated: 1 },
  });
});

test('a handmade listing with another title and other pictures is not the product with its SKU', async () => {
  const seller = await make();
  await applied(seller, csv([handmade('Mug', 'mug')]), IMPORT);
  await expectRefused(seller, handmade('Jug', 'jug'));
  expect(await send(seller, handmade('Big mug', 'mug'))).toMatchObject({ counts: { updated: 1 } });
  expect(await send(seller, handmade('Big mug', 'new'))).toMatchObject({ counts: { updated: 1 } });
  // A change by the seller does not change the key of the file.
  const { product_id } = (await productOf(seller)) ?? {};
  const json = { title: 'By hand', images: [{ url: picture('by-hand') }] };
  expect((await seller.call('PATCH', `/products/${product_id}`, { json })).status).toBe(200);
  expect(await send(seller, handmade('Big mug', 'new'))).toMatchObject({ counts: { updated: 1 } });
});

test('a product of another platform is found by its SKU, whatever it is called there', async () => {
  const seller = await make();
  await applied(seller, csv([handmade('Mug', 'mug')]), IMPORT);
  expect(await send(seller, auction('100', 'Cup'))).toMatchObject({ counts: { updated: 1 } });
  expect(await productOf(seller)).toMatchObject({ title: 'Cup' });
});

test('a row with another title and another global id is not the product of another platform with its SKU', async () => {
  const seller = await make();
  await applied(seller, csv([auction('100', 'Mug')]), IMPORT);
  const store = {
    ...{ Handle: 'vase', Title: 'Vase', Vendor: 'Wattle', 'Variant SKU': 'X-1' },
    ...{ 'Variant Price': '80.00', 'Variant Inventory Qty': 9, 'Variant Barcode': '9312345678914' },
  };
  const before = await productOf(seller);
  const { row_results } = await send(seller, store);
  expect(row_results).toMatchObject([{ outcome: 'staged', messages: [{ code: 'sku_duplicate' }] }]);
  expect(await productOf(seller)).toEqual(before);
  expect(await send(seller, store)).toMatchObject({ counts: { unchanged: 1 } });
  // The same product may have a wrong code, or another title, on one of the platforms.
  expect(await send(seller, { ...store, Handle: 'mug', Title: 'Mug' })).toMatchObject({
    counts: { updated: 1 },
  });
  await expectRefused(seller, auction('', 'Jug'));
});

test('a row with another title and another global id is not a product that no file has made', async () => {
  const seller = await make();
  const identity = { strategy: 'global_id', value: '9312345678914' };
  const json = { seller_sku: 'X-1', title: 'Vase', price_minor: 8_000, identity };
  expect((await seller.call('POST', '/products', { json })).status).toBe(201);
  await expectRefused(seller, auction('100', 'Mug'));
});

test('of two listings in one file the later is refused, in this file and alone', async () => {
  const seller = await make();
  const rows = [auction('100', 'Mug'), auction('200', 'Mug', { 'Product:EAN': '9312345678914' })];
  const run = await applied(seller, csv(rows), IMPORT);
  expect(codes(await rowsOf(seller, run.run_id))[1]).toContain('sku_duplicate_in_file');
  await expectRefused(seller, rows[1] ?? {});
});
