/**
 * A listing that an earlier file had without a SKU: a later file gives it one, and it stays one product
 * (docs/design/feeds-and-imports.md#matching).
 */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import { applied, catalogueOf, csv, feed, outcomes } from '../../../../../test/support/feeds.ts';

const app = await startTestApp();

type Cells = Readonly<Record<string, string | number>>;
const send = async (seller: TestSeller, ...rows: Cells[]): Promise<string[]> =>
  outcomes((await applied(seller, csv(rows), { path: '/products/import-profiles' })).row_results);

const BOWL: Cells = {
  ...{ TITLE: 'Bowl', DESCRIPTION: '', PRICE: '30.00', CURRENCY_CODE: 'AUD', QUANTITY: 6 },
  ...{ TAGS: '', MATERIALS: 'clay', IMAGE1: 'https://cdn.example.com/bowl.jpg' },
  ...{ 'VARIATION 1 TYPE': '', 'VARIATION 1 NAME': '', 'VARIATION 1 VALUES': '', SKU: '' },
};
const LAMP: Cells = {
  ...{ Action: 'Add', CustomLabel: '', Category: 1, Title: 'Lamp', ConditionID: 1000 },
  ...{ Format: 'FixedPrice', StartPrice: '10.00', Quantity: 3, PicURL: 'https://cdn.example.com/lamp.jpg' },
  'Product:EAN': '9312345678907',
};

test.each([
  ['handmade', BOWL, 'SKU', 'TITLE'],
  ['auction', LAMP, 'CustomLabel', 'Title'],
] as const)(
  '%s: the draft gets the SKU and goes on sale, and is found when it is renamed',
  async (_name, row, sku, title) => {
    const seller = await app.seller({ plan: 'Big' });
    expect(await send(seller, row)).toEqual(['staged']);
    expect(await send(seller, row)).toEqual(['unchanged']);
    const labelled = { ...row, [sku]: 'LATER' };
    expect(await send(seller, labelled)).toEqual(['updated']);
    expect(await send(seller, labelled)).toEqual(['unchanged']);
    const renamed = { ...labelled, [title]: 'Another name' };
    expect(await send(seller, renamed)).toEqual(['updated']);
    const products = [...(await catalogueOf(seller)).values()];
    expect(products).toMatchObject([
      { seller_sku: 'LATER', status: 'active', title: 'Another name', issues: [] },
    ]);
  },
);

test.each([
  ['handmade', BOWL, 'SKU'],
  ['auction', LAMP, 'CustomLabel'],
] as const)('%s: a draft that is archived does not take the SKU', async (_name, row, sku) => {
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, row);
  const [draft] = [...(await catalogueOf(seller)).values()];
  await seller.call('DELETE', `/products/${String(draft?.['product_id'])}`);
  expect(await send(seller, { ...row, [sku]: 'LATER' })).toEqual(['created']);
});

test('of two listings with one title and picture, the one with a SKU is another product', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const rows = [BOWL, { ...BOWL, SKU: 'COPY', PRICE: '9.00' }];
  expect(await send(seller, ...rows)).toEqual(['staged', 'created']);
  expect(await send(seller, ...rows)).toEqual(['unchanged', 'unchanged']);
  expect(await send(seller, ...rows.slice(1))).toEqual(['unchanged']);
  // The first listing is known, and the second is new.
  const other = await app.seller({ plan: 'Big' });
  await send(other, BOWL);
  expect(await send(other, ...rows)).toEqual(['unchanged', 'created']);
  expect((await catalogueOf(other)).get('COPY')).toMatchObject({ price_minor: 900 });
});

const narrow = (row: Cells): Cells =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('VARIATION')));
const MUG: Cells = { ...BOWL, SKU: 'MUG' };
const CHAIR: Cells = {
  ...{ ...MUG, TITLE: 'Oak chair', PRICE: '900.00', QUANTITY: 1 },
  IMAGE1: 'https://cdn.example.com/chair.jpg',
};

test('a listing with the SKU of another one is refused, with the columns of variants and without', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const path = { path: '/products/import-profiles' };
  expect(await send(seller, MUG)).toEqual(['created']);
  for (const row of [CHAIR, narrow(CHAIR)]) {
    const { status, text } = await feed(seller, csv([row]), path);
    expect([status, text]).toEqual([422, expect.stringContaining('"sku_duplicate"')]);
  }
  expect((await catalogueOf(seller)).get('MUG')).toMatchObject({ title: 'Bowl', price_minor: 3000 });
  // A rename, or another picture, is the same listing.
  expect(await send(seller, narrow({ ...MUG, TITLE: 'Deep bowl' }))).toEqual(['updated']);
});

test('a later SKU goes to no product that the seller has archived', async () => {
  const seller = await app.seller({ plan: 'Big' });
  expect(await send(seller, BOWL)).toEqual(['staged']);
  const [draft] = [...(await catalogueOf(seller)).values()];
  await seller.call('DELETE', `/products/${draft?.['product_id']}`);
  expect(await send(seller, { ...BOWL, SKU: 'LATER' })).toEqual(['created']);
  expect((await catalogueOf(seller)).get('LATER')).toMatchObject({ status: 'active' });
});
