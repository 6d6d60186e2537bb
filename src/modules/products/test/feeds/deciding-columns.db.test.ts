/**
 * A column that says how another one counts: a file without it keeps what an earlier file has decided
 * (docs/design/feeds-and-imports.md#import-profiles).
 */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import { catalogueOf, csv, feed, type Run } from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

type Cells = Readonly<Record<string, string | number>>;
const STORE: Cells = {
  Handle: 'tee',
  Title: 'Tee',
  Vendor: 'Wattle',
  Published: 'TRUE',
  'Variant SKU': 'TEE',
  'Variant Inventory Tracker': 'shopify',
  'Variant Inventory Qty': 7,
  'Variant Price': '25.00',
  'Variant Barcode': '9312345678907',
  Status: 'active',
};
const AUCTION: Cells = {
  Action: 'Add',
  CustomLabel: 'EB',
  Category: 123,
  Title: 'Lamp',
  ConditionID: 1000,
  Format: 'FixedPrice',
  StartPrice: '20.00',
  BuyItNowPrice: '',
  Quantity: 5,
  'Product:EAN': '9312345678907',
};

const send = async (seller: TestSeller, row: Cells): Promise<void> => {
  const { status, text } = await feed<Run>(seller, csv([row]), { path: '/products/import-profiles' });
  if (status !== 201) throw new Error(text);
};
const productOf = async (seller: TestSeller) => [...(await catalogueOf(seller)).values()][0];
const less = (row: Cells, columns: readonly string[]): Cells =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));

const TRACKER = 'Variant Inventory Tracker';
/** A file without a status takes the product off sale. */
const UNPUBLISHED = less({ ...STORE, Published: 'FALSE' }, ['Status']);
test.each<[string, Cells, Cells, string[], object, Cells]>([
  ['archived in the store', STORE, { Status: 'archived' }, ['Status'], { status: 'inactive' }, UNPUBLISHED],
  ['unlisted', STORE, { Status: 'unlisted' }, ['Status'], { status: 'inactive' }, UNPUBLISHED],
  ['a draft', STORE, { Status: 'draft' }, ['Status'], { status: 'draft' }, UNPUBLISHED],
  [
    'active but not published',
    STORE,
    { Published: 'false' },
    ['Status'],
    { status: 'active', attributes: { store_status: 'active' } },
    STORE,
  ],
  [
    'stock that the store does not count',
    STORE,
    { [TRACKER]: '', 'Variant Inventory Qty': 0 },
    [TRACKER],
    { quantity_on_hand: null },
    less(STORE, [TRACKER, 'Variant Inventory Qty']),
  ],
  [
    'an auction',
    AUCTION,
    { Format: 'Auction', StartPrice: '0.99', BuyItNowPrice: '25.00' },
    ['Format', 'BuyItNowPrice'],
    { price_minor: 2_500 },
    { ...AUCTION, StartPrice: '25.00' },
  ],
])('%s', async (_name, plain, cells, columns, expected, first) => {
  const row = { ...plain, ...cells };
  // The product may be new, or have the same value from elsewhere.
  for (const earlier of [[], [first]]) {
    const seller = await app.seller({ plan: 'Big' });
    for (const file of [...earlier, row]) await send(seller, file);
    const before = await productOf(seller);
    expect(before).toMatchObject(expected);
    for (const without of [columns, columns.slice(0, 1)]) {
      await send(seller, less(row, without));
      expect(await productOf(seller), without.join()).toEqual(before);
    }
    // The column itself still decides.
    await send(seller, plain);
    expect(await productOf(seller)).not.toMatchObject(expected);
  }
});

test('a file says that the store has archived what the seller has taken off sale already', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, STORE);
  const { product_id } = (await productOf(seller)) ?? {};
  await seller.call('PATCH', `/products/${product_id}`, { json: { status: 'inactive' } });
  await send(seller, { ...STORE, Status: 'archived' });
  await send(seller, less(STORE, ['Status']));
  expect(await productOf(seller)).toMatchObject({ status: 'inactive' });
});

test('the start price of an auction without a format is not its selling price', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, less({ ...AUCTION, StartPrice: '0.99', BuyItNowPrice: '25.00' }, ['Format']));
  expect(await productOf(seller)).toMatchObject({ price_minor: 2_500 });
});

test('without the column of the status, Published puts a product on sale that it has taken off', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, less({ ...STORE, Published: 'false' }, ['Status']));
  expect(await productOf(seller)).toMatchObject({ status: 'inactive' });
  await send(seller, less(STORE, ['Status']));
  expect(await productOf(seller)).toMatchObject({ status: 'active' });
});

test('an export of products that the seller has taken off sale, or does not count, is unchanged', async () => {
  for (const Status of ['', 'unlisted']) {
    const seller = await app.seller({ plan: 'Big' });
    const stated = Status === '' ? STORE : { ...STORE, Status };
    await send(
      seller,
      less(stated, ['Variant Inventory Qty', TRACKER, ...(Status === '' ? ['Status'] : [])]),
    );
    const product = await productOf(seller);
    await seller.call('PATCH', `/products/${product?.product_id}`, { json: { status: 'inactive' } });
    const before = await productOf(seller);
    const { text } = await seller.call('GET', '/products/export?shape=store-platform');
    const { body } = await feed<Run>(seller, text, { path: '/products/import-profiles' });
    expect(body.counts).toMatchObject({ unchanged: 1, updated: 0 });
    expect(await productOf(seller)).toEqual(before);
  }
});

test('a status that the seller edits in an export counts like that of a store', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, { ...STORE, Status: 'unlisted' });
  const { text } = await seller.call('GET', '/products/export?shape=store-platform');
  expect(text).toContain(',archived,');
  const edited = text.replace(',archived,', ',active,').replace(',false,', ',true,');
  await feed<Run>(seller, edited, { path: '/products/import-profiles' });
  const product = await productOf(seller);
  expect(product).toMatchObject({ status: 'active' });
  expect(product?.attributes).not.toHaveProperty('store_status');
  await send(seller, UNPUBLISHED);
  expect(await productOf(seller)).toMatchObject({ status: 'inactive' });
});

test('a rejected row whose product has no description gets none of the first row', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const facts = 'Variant facts (variant.metafields.seller_partner.variant)';
  const size = { 'Option1 Name': 'Size', 'Option1 Value': 'S' };
  const first = { ...STORE, ...size, 'Body (HTML)': '<p>Of the first</p>', [facts]: '' };
  const without = { 'Body (HTML)': '', [facts]: '{"none":["Body (HTML)"]}', 'Variant Price': 'WRONG' };
  const second = {
    ...first,
    ...without,
    'Option1 Value': 'M',
    'Variant SKU': 'TEE-M',
    'Variant Barcode': '',
  };
  const { body } = await feed<Run>(seller, csv([first, second]), { path: '/products/import-profiles' });
  const path = `/products/feed-runs/${body.run_id}/row-results?format=csv&outcome=rejected`;
  const { text } = await seller.call('GET', path);
  expect(text).toContain('WRONG');
  expect(text).not.toContain('Of the first');
});
