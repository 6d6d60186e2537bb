/**
 * A file with other columns than an earlier one: what it lacks stays, what it gives completes a draft
 * (docs/design/feeds-and-imports.md#import-profiles).
 */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  type CatalogueProduct,
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const IMPORT = { path: '/products/import-profiles' };

type Cells = Readonly<Record<string, string | number>>;
const store = (seller: TestSeller, ...rows: Cells[]) => applied(seller, csv(rows), IMPORT);
const listings = (seller: TestSeller, ...rows: Cells[]) =>
  applied(seller, csv(rows, '\t'), { ...IMPORT, type: 'text/tab-separated-values' });
const without = (row: Cells, pattern: RegExp): Cells =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !pattern.test(column)));
const onlyProduct = async (seller: TestSeller): Promise<CatalogueProduct> => {
  const [product, ...others] = (await catalogueOf(seller)).values();
  if (product === undefined || others.length > 0) throw new Error('not one product');
  return product;
};

const TEE: Cells = {
  Handle: 'tee',
  Title: 'Tee',
  Vendor: 'Wattle',
  'Option1 Name': 'Size',
  'Option1 Value': 'S',
  'Option2 Name': 'Colour',
  'Option2 Value': 'Red',
  'Variant SKU': 'TEE-S',
  'Variant Price': '25.00',
  'Variant Barcode': '9312345678907',
  Status: 'active',
};
const BOWL: Cells = {
  TITLE: 'Bowl',
  DESCRIPTION: '',
  PRICE: '30.00',
  CURRENCY_CODE: 'AUD',
  QUANTITY: 6,
  TAGS: '',
  MATERIALS: 'clay',
  IMAGE1: 'https://cdn.example.com/bowl.jpg',
  'VARIATION 1 TYPE': 'Custom Property',
  'VARIATION 1 NAME': 'Glaze',
  'VARIATION 1 VALUES': 'Blue,Red',
  'VARIATION 2 TYPE': '',
  'VARIATION 2 NAME': '',
  'VARIATION 2 VALUES': '',
  SKU: 'BOWL',
};
const KETTLE: Cells = {
  'seller-sku': 'AM',
  'item-name': 'Kettle',
  'listing-id': 'L1',
  price: '40.00',
  quantity: '',
  'product-id': '9312345678907',
  'product-id-type': 4,
  'open-date': '',
  'fulfillment-channel': 'AMAZON_NA',
};

test.each(['Option1 Name', 'Option2 Name', 'Option'])(
  'options without %s keep their names',
  async (column) => {
    const seller = await app.seller({ plan: 'Big' });
    await store(seller, TEE);
    const before = await onlyProduct(seller);
    await store(seller, without(TEE, column === 'Option' ? /Name$/ : new RegExp(column)));
    expect(await onlyProduct(seller)).toEqual(before);
  },
);

test('the count of a file without the channel is not that of goods which another marketplace holds', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await listings(seller, KETTLE);
  await listings(seller, without({ ...KETTLE, quantity: 4 }, /channel/));
  expect(await onlyProduct(seller)).toMatchObject({ quantity_on_hand: null });
  await listings(seller, { ...KETTLE, quantity: 4, 'fulfillment-channel': 'DEFAULT' });
  expect(await onlyProduct(seller)).toMatchObject({ quantity_on_hand: 4 });
  await listings(seller, without({ ...KETTLE, quantity: 5 }, /channel/));
  expect(await onlyProduct(seller)).toMatchObject({ quantity_on_hand: 5 });
});

test('a file without the variations makes no product of one of them', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await store(seller, BOWL);
  const before = await onlyProduct(seller);
  expect(before).toMatchObject({ status: 'draft', seller_sku: null, quantity_on_hand: null });
  for (const pattern of [/VARIATION/, /VALUES/, /NAME/]) {
    await store(seller, without(BOWL, pattern));
    expect(await onlyProduct(seller)).toEqual(before);
  }
});

test('a listing that no file gives variations is found by its SKU, whatever columns the files have', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const single = { ...BOWL, 'VARIATION 1 TYPE': '', 'VARIATION 1 NAME': '', 'VARIATION 1 VALUES': '' };
  for (const row of [without(single, /VARIATION/), single, without(single, /VARIATION/)])
    await store(seller, row);
  expect(await onlyProduct(seller)).toMatchObject({
    status: 'active',
    seller_sku: 'BOWL',
    quantity_on_hand: 6,
  });
});

test('a file that has what a draft lacks puts it on sale, if it says so', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await store(seller, without(TEE, /Price/));
  expect(await onlyProduct(seller)).toMatchObject({ status: 'draft' });
  await store(seller, without(TEE, /SKU|Barcode|Vendor|Status/));
  expect(await onlyProduct(seller)).toMatchObject({ status: 'draft', price_minor: 2_500 });
  await store(seller, without(TEE, /SKU|Barcode|Vendor/));
  expect(await onlyProduct(seller)).toMatchObject({ status: 'active', issues: [] });
});

test('a draft waits for its variants, and for a price above 0, even if it lacks nothing', async () => {
  for (const row of [BOWL, { ...TEE, 'Variant Price': '0.00' }]) {
    const seller = await app.seller({ plan: 'Big' });
    await store(seller, row);
    const { product_id } = await onlyProduct(seller);
    const json = { seller_sku: 'OWN', price_minor: 900 };
    expect((await seller.call('PATCH', `/products/${product_id}`, { json })).status).toBe(200);
    await store(seller, row);
    expect(await onlyProduct(seller)).toMatchObject({ status: 'draft' });
  }
});

test('an export of archived products and of a parent without options is unchanged', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await applied(
    seller,
    csv([
      {
        seller_sku: 'A',
        title: 'A',
        price: '5.00',
        exempt_reason: 'handmade',
        parent_sku: 'P',
        status: 'active',
      },
      {
        seller_sku: 'B',
        title: 'B',
        price: '5.00',
        exempt_reason: 'handmade',
        parent_sku: '',
        status: 'archived',
      },
    ]),
  );
  const before = await catalogueOf(seller);
  const { text } = await seller.call('GET', '/products/export?shape=store-platform&include=archived');
  expect((await applied(seller, text, IMPORT)).counts).toMatchObject({ unchanged: 2, updated: 0 });
  expect(await catalogueOf(seller)).toEqual(before);
});

test('a product without a SKU cannot be inactive, and an archived one stays so', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await store(seller, { ...TEE, 'Variant SKU': '' });
  const { product_id } = await onlyProduct(seller);
  const patch = (status: string) =>
    seller.call<{ detail: { type: string }[] }>('PATCH', `/products/${product_id}`, { json: { status } });
  const answer = await patch('inactive');
  expect(answer.status).toBe(422);
  expect(answer.body.detail.map(({ type }) => type)).toEqual(['sku_required']);
  expect((await patch('archived')).status).toBe(200);
  await store(seller, { ...TEE, 'Variant SKU': '', Status: 'archived' });
  const { body } = await seller.call('GET', `/products/${product_id}`);
  expect(body).toMatchObject({ status: 'archived' });
});

test('an exemption beside MPN and brand is a conflict, unless the strategy is exempt', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const row = {
    seller_sku: 'N',
    title: 'N',
    price: '5.00',
    mpn: 'M-1',
    brand: 'Wattle',
    exempt_reason: 'part',
  };
  for (const identity_strategy of ['', 'mpn_brand']) {
    const { status, text } = await feed(seller, csv([{ ...row, identity_strategy }]));
    expect(status).toBe(422);
    expect(text).toContain('identity_conflict');
  }
  const identity = { strategy: 'mpn_brand', mpn: 'M-1', brand: 'Wattle', reason: 'part' };
  const json = { seller_sku: 'J', title: 'J', price_minor: 500, identity };
  const created = await seller.call('POST', '/products', { json });
  expect([created.status, created.text]).toEqual([422, expect.stringContaining('identity_conflict')]);
  await applied(seller, csv([{ ...row, identity_strategy: 'exempt' }]));
  expect(await onlyProduct(seller)).toMatchObject({
    brand: 'Wattle',
    identity: { strategy: 'exempt', reason: 'part', mpn: 'M-1' },
  });
  // The exemption of a product that its MPN and brand identify needs the strategy, too.
  await applied(seller, csv([{ ...without(row, /exempt/), identity_strategy: 'mpn_brand' }]));
  expect((await feed(seller, csv([{ seller_sku: 'N', exempt_reason: 'part' }]))).status).toBe(422);
});

test('the only picture of a rejected row comes back with the text of the first record that has it', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const picture = { 'Image Src': 'https://cdn.example.com/tee.jpg', 'Image Alt Text': 'Front' };
  const second = { ...TEE, ...picture, 'Option1 Value': 'M', 'Variant SKU': 'TEE-M', 'Variant Barcode': '' };
  const wrong = {
    ...second,
    'Image Alt Text': 'Another',
    'Variant Price': 'WRONG',
    'Google Shopping / MPN': 'M1',
  };
  const run = await store(seller, { ...TEE, ...picture, 'Google Shopping / MPN': '' }, wrong);
  const path = `/products/feed-runs/${run.run_id}/row-results?format=csv&outcome=rejected`;
  const { text } = await seller.call('GET', path);
  await applied(seller, text.replace(',WRONG,', ',9.00,'), IMPORT);
  const images = (await catalogueOf(seller)).get('TEE-M')?.['images'];
  expect(images).toMatchObject([{ alt: 'Front' }]);
});

test('an export of a product that is exempt beside its MPN and brand is unchanged', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const identity = { identity_strategy: 'exempt', exempt_reason: 'part', mpn: 'M-1', brand: 'Wattle' };
  await applied(seller, csv([{ seller_sku: 'X', title: 'X', price: '5.00', ...identity }]));
  const before = await onlyProduct(seller);
  const { text } = await seller.call('GET', '/products/export?shape=store-platform');
  expect(text).toContain('M-1');
  expect((await applied(seller, text, IMPORT)).counts).toMatchObject({ unchanged: 1 });
  expect(await onlyProduct(seller)).toEqual(before);
});

test('a SKU whose zeros a spreadsheet has removed does not replace the right one; the rest of its row counts', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await store(seller, { ...TEE, 'Variant SKU': '00740' });
  const file = csv([{ ...TEE, 'Variant SKU': '740', 'Variant Price': '9.00' }]);
  const { row_results } = await applied(seller, file, IMPORT);
  expect(row_results[0]?.messages[0]).toMatchObject({ code: 'sku_damaged', severity: 'warning' });
  expect(await onlyProduct(seller)).toMatchObject({ seller_sku: '00740', price_minor: 900 });
  const counted = { Handle: 'tee', 'Option1 Name': 'Size', 'Option1 Value': 'S', 'Option2 Name': 'Colour' };
  const stock = { ...counted, 'Option2 Value': 'Red', SKU: '740', Location: 'Perth', Available: 7 };
  await applied(seller, csv([stock]), { path: '/products/inventory/import' });
  expect(await onlyProduct(seller)).toMatchObject({ seller_sku: '00740', quantity_on_hand: 7 });
  // Another SKU counts.
  await store(seller, { ...TEE, 'Variant SKU': '741' });
  expect(await onlyProduct(seller)).toMatchObject({ seller_sku: '741' });
});

test('prices of variants without the columns of their options make no draft', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const second = { 'Option1 Value': 'M', 'Variant SKU': 'TEE-M', 'Variant Barcode': '9312345678914' };
  const rows = [TEE, { ...TEE, ...second }].map((row): Cells => ({ ...row, 'Variant Price': '30.00' }));
  await store(seller, ...rows);
  const before = await catalogueOf(seller);
  const file = csv(rows.map((row) => without({ ...row, 'Variant Price': '31.00' }, /Option|Barcode|Vendor/)));
  const { status, body } = await feed<FeedFailure>(seller, file, IMPORT);
  expect(status).toBe(422);
  expect(body.row_results.map(({ messages }) => messages[0]?.code)).toEqual([
    'sku_duplicate',
    'sku_duplicate',
  ]);
  expect(await catalogueOf(seller)).toEqual(before);
  // A product that has the handle as its key takes its price from such a file.
  const mug = { Handle: 'mug', Title: 'Mug', 'Variant SKU': 'MUG', 'Variant Price': '8.00' };
  await store(seller, mug);
  await store(seller, { ...mug, 'Variant Price': '9.00' });
  expect((await catalogueOf(seller)).get('MUG')).toMatchObject({ price_minor: 900 });
});

test('a listings file with its own stock does not say that the store counts the stock', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const uncounted = { ...TEE, 'Variant Inventory Tracker': '', 'Variant Inventory Qty': '5' };
  await store(seller, uncounted);
  expect((await onlyProduct(seller)).attributes).toMatchObject({ stock_tracking: 'none' });
  await listings(seller, { ...KETTLE, 'seller-sku': 'TEE-S', 'fulfillment-channel': 'DEFAULT', quantity: 4 });
  expect((await catalogueOf(seller)).get('TEE-S')).toMatchObject({
    ...{ title: KETTLE['item-name'], attributes: { stock_tracking: 'none' } },
  });
});
