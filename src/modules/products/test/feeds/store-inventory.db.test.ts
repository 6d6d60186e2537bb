import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';

const app = await startTestApp();

interface Run {
  readonly run_id: string;
  readonly kind: string;
  readonly code: string;
  readonly counts: Record<string, number>;
  readonly source: { readonly profile: string | null };
  readonly locations?: readonly string[];
  readonly row_results: {
    readonly outcome: string;
    readonly seller_sku: string | null;
    readonly messages: { readonly code: string; readonly value_excerpt?: string }[];
  }[];
}
interface Stock {
  readonly data: { readonly title: string; readonly quantity_on_hand: number | null }[];
}

const PRODUCTS = `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Barcode
tee,Tee,Size,S,TEE-S,shopify,1,10.00,9312345678907
tee,,,M,,shopify,1,10.00,
`;
const HEADER =
  'Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand';
const INVENTORY = `${HEADER}
tee,Tee,Size,S,TEE-S,,,Perth,0,0,0,3,3
tee,Tee,Size,S,TEE-S,,,Sydney,0,0,0,4,4
tee,Tee,Size,M,,,,Perth,0,0,0,8,8
tee,Tee,Size,XL,,,,Perth,0,0,0,9,9
`;

const headers = { 'content-type': 'text/csv' };

async function stocked() {
  const seller = await app.seller({ plan: 'Small' });
  await seller.call('POST', '/products/import-profiles', { body: PRODUCTS, headers });
  const send = (body: string | Buffer, query = '') =>
    seller.call<Run>('POST', `/products/inventory/import${query}`, { body, headers });
  const stock = async () =>
    (await seller.call<Stock>('GET', '/products/inventory')).body.data
      .map((row) => row.quantity_on_hand)
      .toSorted();
  return { seller, send, stock };
}

test('a store platform’s inventory export sets the stock of variants, with and without a SKU', async () => {
  const { send, stock } = await stocked();
  const { status, body } = await send(INVENTORY);
  expect(status).toBe(201);
  expect(body).toMatchObject({ kind: 'inventory', source: { profile: 'store_platform_products' } });
  expect(body.counts).toMatchObject({ rows: 4, updated: 2, merged: 1, rejected: 1, created: 0, staged: 0 });
  expect(body.row_results[3]?.messages).toMatchObject([{ code: 'sku_not_found', value_excerpt: 'tee#XL' }]);
  expect(await stock()).toEqual([7, 8]);
  expect((await send(INVENTORY)).body.counts).toMatchObject({ unchanged: 2, merged: 1, rejected: 1 });
});

test('the seller chooses the locations that count; 422 for a location that is not in the file', async () => {
  const { send, stock } = await stocked();
  const { body } = await send(INVENTORY, '?locations=Sydney');
  expect(body.counts).toMatchObject({ rows: 4, updated: 1, ignored: 3 });
  expect(await stock()).toEqual([1, 4]);
  const refused = await send(INVENTORY, '?locations=Sydney|Hobart');
  expect([refused.status, refused.body.code, refused.body.locations]).toEqual([
    422,
    'location_unknown',
    ['Perth', 'Sydney'],
  ]);
});

test.each<[string, string, string[]]>([
  [
    'a location twice',
    INVENTORY.replace('Sydney', 'Perth'),
    ['duplicate_in_file', 'duplicate_in_file', '', 'sku_not_found'],
  ],
  [
    'a count that may be a thousand or one',
    INVENTORY.replace('Sydney,0,0,0,4', 'Sydney,0,0,0,"1,000"'),
    ['type_invalid', 'type_invalid', '', 'sku_not_found'],
  ],
  [
    'a row with a cell too many',
    INVENTORY.replace('Sydney,0', 'Sydney,0,0'),
    ['type_invalid', 'column_count_mismatch', 'type_invalid', 'type_invalid'],
  ],
])('the stock of a variant with %s is unknown, and stays as it was', async (_name, file, codes) => {
  const { seller, send, stock } = await stocked();
  const { body } = await send(file);
  expect(body.row_results.map(({ messages }) => messages[0]?.code ?? '')).toEqual(codes);
  const kept = (await seller.call<{ data: object[] }>('GET', '/products?sku=TEE-S')).body.data[0];
  expect(kept).toMatchObject({ quantity_on_hand: 1 });
  expect(await stock()).toEqual(codes[2] === '' ? [1, 8] : [1, 1]);
});

test('a file without options gives each SKU its own stock', async () => {
  const { seller, send } = await stocked();
  const bare = ['BARE-S', 'BARE-M'].map((seller_sku) => ({
    ...{ seller_sku, title: seller_sku, price_minor: 100, quantity_on_hand: 1 },
    identity: { strategy: 'exempt', reason: 'handmade' },
  }));
  for (const json of bare) expect((await seller.call('POST', '/products', { json })).status).toBe(201);
  const row = (sku: string, location: string, units: number) => `bare,,${sku},,,${location},${units}\n`;
  const { body } = await send(
    `Handle,Title,SKU,HS Code,COO,Location,Available\n${row('BARE-S', 'Perth', 5)}${row('BARE-M', 'Perth', 7)}${row('BARE-S', 'Sydney', 2)}`,
  );
  expect(body.row_results.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'merged']);
  interface Units {
    readonly seller_sku: string;
    readonly quantity_on_hand: number;
  }
  const { data } = (await seller.call<{ data: Units[] }>('GET', '/products/inventory')).body;
  const units = new Map(data.map(({ seller_sku, quantity_on_hand }) => [seller_sku, quantity_on_hand]));
  expect([units.get('BARE-S'), units.get('BARE-M')]).toEqual([7, 7]);
});

test('rejected rows come back in the columns of the file and can be corrected and sent again', async () => {
  const { seller, send, stock } = await stocked();
  const wrong = INVENTORY.replaceAll('Size,S,TEE-S', 'Size,s,TEE-S');
  const { body } = await send(wrong);
  expect(body.counts).toMatchObject({ rejected: 2, updated: 1, merged: 1 });
  const path = `/products/feed-runs/${body.run_id}/row-results?outcome=rejected&format=csv`;
  const { text } = await seller.call('GET', path);
  expect(text.split('\r\n')[0]).toBe(`_codes,_messages,${HEADER}`);
  const again = await send(text.replaceAll('Size,s', 'Size,S'));
  expect(again.body.counts).toMatchObject({ updated: 1, rejected: 1 });
  expect(await stock()).toEqual([7, 8]);
});

const SAMPLE = '../shared/samples/store-platform-shopify/inventory/shopify-inventory-export-small.csv';
describe.skipIf(!existsSync(SAMPLE))('a real inventory export', () => {
  test('is read completely; each unknown variant is rejected', async () => {
    const { send } = await stocked();
    const { status, body } = await send(readFileSync(SAMPLE));
    expect([status, body.code]).toEqual([422, 'feed_rejected']);
    expect(body.row_results).toHaveLength(67);
    for (const { messages } of body.row_results) expect(messages[0]?.code).toBe('sku_not_found');
    expect(body.row_results[0]?.messages[0]?.value_excerpt).toBe('puff-large#Latte');
  });
});

const aVariant = fc.record({
  handle: fc.constantFrom('tee', 'TEE', 'cap', 'ghost'),
  option: fc.constantFrom('S', 's', 'M', 'XL'),
  sku: fc.constantFrom('', 'TEE-S', 'tee-s', 'DUP', '740', '0740', '00740'),
  location: fc.constantFrom('Perth', 'Sydney'),
});

/** Products of the store with and without a SKU, two of them with one SKU, and products of the seller beside it. */
async function mixed() {
  const seller = await app.seller({ plan: 'Big' });
  const caps = 'cap,Cap,Size,S,DUP,shopify,1,10.00,\ncap,,,M,DUP,shopify,1,10.00,\n';
  await seller.call('POST', '/products/import-profiles', { body: PRODUCTS + caps, headers });
  for (const seller_sku of ['740', '00740', 'tee-s'])
    await seller.call('POST', '/products', {
      json: {
        ...{ seller_sku, title: seller_sku, price_minor: 100, quantity_on_hand: 1 },
        identity: { strategy: 'exempt', reason: 'handmade' },
      },
    });
  return seller;
}

test('any inventory file sets only the stock of products that its rows name', async () => {
  interface Product {
    readonly external_key: string | null;
    readonly seller_sku: string | null;
    readonly quantity_on_hand: number | null;
  }
  const seller = await mixed();
  const catalogue = async () => (await seller.call<{ data: Product[] }>('GET', '/products')).body.data;
  const units = (products: Product[]) => products.map(({ quantity_on_hand }) => quantity_on_hand);
  const before = await catalogue();
  let set = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(aVariant, { minLength: 1, maxLength: 8 }), async (rows) => {
      const lines = rows.map(({ handle, option, sku, location }, index) => {
        const units = 100 + index;
        return `${handle},T,Size,${option},${sku},,,${location},0,0,0,${units},${units}\n`;
      });
      const body = `${HEADER}\n${lines.join('')}`;
      await seller.call('POST', '/products/inventory/import?dry_run=true', { body, headers });
      expect(units(await catalogue())).toEqual(units(before));
      const run = await seller.call<Run>('POST', '/products/inventory/import', { body, headers });
      const named = (key: string | null) => rows.filter((row) => `${row.handle}#${row.option}` === key);
      for (const [index, { external_key, seller_sku, quantity_on_hand }] of (await catalogue()).entries()) {
        if (quantity_on_hand === before[index]?.quantity_on_hand) continue;
        set += 1;
        const bySku = rows.filter(({ sku }) => sku === seller_sku);
        const variants = new Set(bySku.map(({ handle, option }) => `${handle}#${option}`));
        // The SKU names a product only if it has no key, and if one variant of the file has this SKU.
        const mine = external_key === null ? (variants.size === 1 ? bySku : []) : named(external_key);
        const sum = mine.reduce((total, row) => total + 100 + rows.indexOf(row), 0);
        expect([external_key, seller_sku, quantity_on_hand]).toEqual([external_key, seller_sku, sum]);
      }
      if (run.status === 201)
        await seller.call('POST', `/products/feed-runs/${run.body.run_id}/revert`, { headers: {} });
      expect(units(await catalogue())).toEqual(units(before));
    }),
    { numRuns: 25 },
  );
  expect(set).toBeGreaterThan(0);
});
