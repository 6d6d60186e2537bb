/**
 * A file that says less than an earlier one takes nothing away that it cannot say
 * (docs/design/feeds-and-imports.md#import-profiles).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  catalogueOf,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  type Sending,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const IMPORT = { path: '/products/import-profiles' };
const TSV = { ...IMPORT, type: 'text/tab-separated-values' };

type Cells = Readonly<Record<string, string | number>>;
interface File {
  readonly sending: Sending;
  /** Without one of these columns the file is another file, or its rows are about other products. */
  readonly needed: readonly string[];
  readonly rows: readonly Cells[];
  /** Columns whose empty cells clear the field. */
  readonly cleared: readonly string[];
}
const picture = (name: string): string => `https://cdn.example.com/${name}.jpg`;
const numbered = (name: string, count: number, value: (number: number) => string): Cells =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index + 1}`, value(index + 1)]));

const FILES: Readonly<Record<string, File>> = {
  store_platform_products: {
    sending: IMPORT,
    needed: ['Handle', 'Title', 'Option1 Value', 'Variant Price'],
    cleared: ['Body (HTML)', 'Variant Compare At Price', 'Variant Inventory Tracker'],
    rows: ['S', 'M'].map((size, index) => ({
      Handle: 'tee',
      Title: 'Tee',
      'Body (HTML)': '<p>Soft</p>',
      Vendor: 'Wattle',
      'Product Category': 'Apparel > Shirts',
      Type: 'T-Shirt',
      Tags: 'red',
      Published: 'TRUE',
      'Option1 Name': 'Size',
      'Option1 Value': size,
      'Variant SKU': `TEE-${size}`,
      'Variant Grams': 200,
      'Variant Inventory Tracker': 'shopify',
      'Variant Inventory Qty': 7,
      'Variant Inventory Policy': 'deny',
      'Variant Price': '25.00',
      'Variant Compare At Price': '30.00',
      'Variant Barcode': ['9312345678907', '9312345678914'][index] ?? '',
      'Image Src': picture(`tee-${size}`),
      'Image Position': index + 1,
      'Image Alt Text': 'A tee',
      'Google Shopping / MPN': `M-${size}`,
      'Google Shopping / Condition': 'new',
      'Variant Image': picture(`tee-${size}`),
      Status: 'active',
    })),
  },
  marketplace_listings: {
    sending: TSV,
    needed: ['item_sku', 'item_name', 'standard_price'],
    cleared: [],
    rows: ['A', 'B'].map((name, index) => ({
      item_sku: `AM-${name}`,
      item_name: `Kettle ${name}`,
      external_product_id: ['9312345678907', '9312345678914'][index] ?? '',
      external_product_id_type: 'EAN',
      brand_name: 'Wattle',
      part_number: `K-${name}`,
      feed_product_type: 'kettle',
      product_description: 'Boils water',
      condition_type: 'New',
      standard_price: '49.00',
      quantity: 4,
      main_image_url: picture(`kettle-${name}`),
      ...numbered('other_image_url', 3, (number) => picture(`kettle-${name}-${number}`)),
    })),
  },
  auction_file_exchange: {
    sending: IMPORT,
    needed: ['Action', 'CustomLabel', 'Title', 'Format', 'StartPrice'],
    cleared: [],
    rows: ['A', 'B'].map((name, index) => ({
      Action: 'Add',
      CustomLabel: `EB-${name}`,
      Category: 123,
      'Category name': 'Lamps',
      Title: `Lamp ${name}`,
      Subtitle: 'Bright',
      ConditionID: 1000,
      Description: '<p>Bright</p>',
      Format: 'FixedPrice',
      StartPrice: '20.00',
      Quantity: 5,
      PicURL: `${picture(`lamp-${name}`)}|${picture(`lamp-${name}-2`)}`,
      'Product:EAN': ['9312345678907', '9312345678914'][index] ?? '',
      'Product:UPC': 'Does not apply',
      'Product:Brand': 'Wattle',
      'C:Manufacturer': 'Foundry',
      'Product:MPN': `L-${name}`,
      'C:Colour': 'Red',
    })),
  },
  handmade_listings: {
    sending: IMPORT,
    needed: ['TITLE', 'PRICE', 'CURRENCY_CODE', 'IMAGE1', 'SKU', 'MATERIALS'],
    cleared: [],
    rows: ['A', 'B'].map((name) => ({
      TITLE: `Bowl ${name}`,
      DESCRIPTION: 'Thrown by hand',
      PRICE: '35.00',
      CURRENCY_CODE: 'AUD',
      QUANTITY: 2,
      TAGS: 'bowl_blue',
      MATERIALS: 'clay',
      ...numbered('IMAGE', 10, (number) => (number < 5 ? picture(`bowl-${name}-${number}`) : '')),
      ...Object.fromEntries(
        [1, 2].flatMap((index) =>
          ['TYPE', 'NAME', 'VALUES'].map((part) => [`VARIATION ${index} ${part}`, '']),
        ),
      ),
      SKU: `ET-${name}`,
    })),
  },
  'the native feed': {
    sending: {},
    needed: ['seller_sku'],
    cleared: [],
    rows: [
      goods('N-1', {
        ...{ quantity: 3, image_urls: picture('n'), mpn: 'N1', category: 'Lamps' },
        ...{ parent_sku: 'N', 'variation.Size': 'L', 'variation.Colour': 'Red' },
      }) as Cells,
    ],
  },
};

const send = (seller: TestSeller, { sending }: File, rows: readonly Cells[]) =>
  feed<Run & FeedFailure>(seller, csv(rows, sending.type === TSV.type ? '\t' : ','), sending);
const imported = async (file: File) => {
  const seller = await app.seller({ plan: 'Big' });
  const { status, text } = await send(seller, file, file.rows);
  if (status !== 201) throw new Error(text);
  return { seller, before: await catalogueOf(seller) };
};
const mapped = (rows: readonly Cells[], keeps: (column: string) => boolean, value?: string): Cells[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([column, cell]) =>
        keeps(column) ? [[column, cell]] : value === undefined ? [] : [[column, value]],
      ),
    ),
  );

test.each(Object.entries(FILES))(
  'a file without some of its columns changes nothing: %s',
  async (_name, file) => {
    const { seller, before } = await imported(file);
    const columns = Object.keys(file.rows[0] ?? {}).filter((column) => !file.needed.includes(column));
    let read = 0;
    const check = async (without: readonly string[]) => {
      const answer = await send(
        seller,
        file,
        mapped(file.rows, (column) => !without.includes(column)),
      );
      // A file that no profile recognises changes nothing either.
      if (answer.status === 201) read += 1;
      expect(await catalogueOf(seller), without.join()).toEqual(before);
    };
    for (const column of columns) await check([column]);
    await fc.assert(fc.asyncProperty(fc.subarray(columns), check), { numRuns: 12 });
    expect(read).toBeGreaterThan(columns.length / 2);
  },
  120_000,
);

test.each(Object.entries(FILES).filter(([name]) => name !== 'the native feed'))(
  'a file with empty cells changes nothing but what they clear: %s',
  async (_name, file) => {
    const { seller, before } = await imported(file);
    const kept = [...file.needed, ...file.cleared];
    const columns = Object.keys(file.rows[0] ?? {}).filter((column) => !kept.includes(column));
    for (const column of columns) {
      if (/image/i.test(column)) continue;
      await send(
        seller,
        file,
        mapped(file.rows, (name) => name !== column, ''),
      );
      expect(await catalogueOf(seller), column).toEqual(before);
    }
  },
  120_000,
);

test.each<[string, string[]]>([
  ['WAHR', []],
  ['maybe', ['enum_invalid']],
])('Published: %s takes no product off sale', async (Published, codes) => {
  const file = FILES['store_platform_products'] as File;
  const { seller, before } = await imported(file);
  const rows = file.rows.map((row) => ({ ...row, Published, Status: '' }));
  const { body } = await send(seller, file, rows);
  expect(body.row_results.map(({ messages }) => messages.map(({ code }) => code))).toEqual([codes, codes]);
  expect(await catalogueOf(seller)).toEqual(before);
});

test('a corrected row of a store, sent alone, keeps the pictures of its product', async () => {
  const file = FILES['store_platform_products'];
  if (file === undefined) throw new Error('no file');
  const { seller, before } = await imported(file);
  const wrong = file.rows.map((row, index) => (index === 1 ? { ...row, 'Variant Price': 'WRONG' } : row));
  const { body } = await send(seller, file, wrong);
  const path = `/products/feed-runs/${body.run_id}/row-results?format=csv&outcome=rejected`;
  const { text } = await seller.call('GET', path);
  expect(text).toContain('WRONG');
  const corrected = await feed<Run>(seller, text.replace('WRONG', '26.00'), file.sending);
  expect(corrected.body.row_results.map(({ outcome }) => outcome)).toEqual(['updated']);
  const after = await catalogueOf(seller);
  expect(after.get('TEE-S')).toEqual(before.get('TEE-S'));
  expect(after.get('TEE-M')).toMatchObject({ price_minor: 2_600, images: before.get('TEE-M')?.images });
});

test('corrected rows of new products of a store get what other rows of their file say', async () => {
  const file = FILES['store_platform_products'] as File;
  const picture = { Handle: 'tee', 'Image Src': 'https://cdn.example.com/back.jpg', 'Image Position': 3 };
  const shown = async (seller: TestSeller) =>
    [...(await catalogueOf(seller)).values()].map(({ seller_sku, attributes, images }) => [
      ...[seller_sku, attributes],
      (images as { url: string; alt: string | null }[]).map(({ url, alt }) => [url, alt]),
    ]);
  const shared = { 'SEO Title': 'A tee', 'Fabric (product.metafields.custom.fabric)': 'Cotton' };
  const none = Object.fromEntries(Object.keys(shared).map((name) => [name, '']));
  const rows = file.rows.map((row, index) => ({ ...row, ...(index === 0 ? shared : none) }));
  const whole = await app.seller({ plan: 'Big' });
  await send(whole, file, [...rows, picture]);
  const seller = await app.seller({ plan: 'Big' });
  let text = csv([...rows.map((row) => ({ ...row, 'Variant Price': 'WRONG' })), picture]);
  // The second file has a fault, too.
  for (const price of ['WRONG-2', '25.00']) {
    const { body } = await feed<Run & FeedFailure>(seller, text, file.sending);
    const path = `/products/feed-runs/${body.run?.run_id}/row-results?format=csv&outcome=rejected`;
    text = (await seller.call('GET', path)).text.replaceAll(/WRONG(-2)?/g, price);
  }
  expect((await feed<Run>(seller, text, file.sending)).body.counts).toMatchObject({ rows: 2, created: 2 });
  expect(await shown(seller)).toEqual(await shown(whole));
});

test('rows of a store without the first row of their product change nothing', async () => {
  const file = FILES['store_platform_products'];
  if (file === undefined) throw new Error('no file');
  const { seller, before } = await imported(file);
  const second = file.rows.slice(1).map((row) => ({ ...row, Title: '', 'Option1 Name': '' }));
  const { body } = await send(seller, file, second);
  expect(body.row_results.map(({ outcome }) => outcome)).toEqual(['unchanged']);
  expect(await catalogueOf(seller)).toEqual(before);
});

test('a listing whose stock of variants the file cannot say keeps the stock that the seller has set', async () => {
  const file = FILES['handmade_listings'];
  if (file === undefined) throw new Error('no file');
  const rows = file.rows.map((row) => ({ ...row, 'VARIATION 1 VALUES': 'S,M', SKU: '' }));
  const seller = await app.seller({ plan: 'Big' });
  await send(seller, file, rows);
  const [draft] = (await catalogueOf(seller)).values();
  expect(draft?.quantity_on_hand).toBe(null);
  await seller.call('PUT', `/products/${draft?.product_id}/inventory`, { json: { quantity: 5 } });
  const { body } = await send(seller, file, rows);
  expect(body.row_results.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
});

test('a record of a store with a title alone says nothing about price and stock', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const row = {
    Handle: 'cup',
    Title: 'Cup',
    'Body (HTML)': 'Old',
    Vendor: 'Wattle',
    'Variant SKU': 'CUP',
    'Variant Inventory Tracker': 'shopify',
    'Variant Inventory Qty': 7,
    'Variant Price': '25.00',
    'Variant Compare At Price': '30.00',
    'Variant Barcode': '9312345678907',
  };
  await feed(seller, csv([row]), IMPORT);
  const before = (await catalogueOf(seller)).get('CUP');
  expect(before).toMatchObject({ description: 'Old', quantity_on_hand: 7, compare_at_minor: 3_000 });
  const empty = Object.fromEntries(Object.keys(row).map((name) => [name, '']));
  const texts = { ...empty, Handle: 'cup', Title: 'Cup', 'Body (HTML)': 'New' };
  const { body } = await feed<Run>(seller, csv([texts]), IMPORT);
  expect(body.row_results.map(({ changes }) => changes.map(({ field }) => field))).toEqual([['description']]);
});

test('an empty quantity of an own listing keeps the stock; that of a listing held elsewhere does not', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const rows = ['DEFAULT', 'AMAZON_NA'].map((channel, index) => ({
    'seller-sku': `L-${index}`,
    'item-name': `Kettle ${index}`,
    price: '5.00',
    quantity: 4,
    'product-id-type': 4,
    'product-id': ['9312345678907', '9312345678914'][index] ?? '',
    'open-date': '',
    'listing-id': `0${index}`,
    'fulfillment-channel': 'DEFAULT',
    channel,
  }));
  const file = (quantity: string, channelOf: (channel: string) => string) =>
    csv(
      rows.map(({ channel, ...row }) => ({
        ...row,
        quantity,
        'fulfillment-channel': channelOf(channel),
      })),
      '\t',
    );
  await feed(
    seller,
    file('4', () => 'DEFAULT'),
    TSV,
  );
  const { body } = await feed<Run>(
    seller,
    file('', (channel) => channel),
    TSV,
  );
  expect(body.counts).toMatchObject({ unchanged: 1, updated: 1 });
  const after = await catalogueOf(seller);
  expect(['L-0', 'L-1'].map((sku) => after.get(sku)?.quantity_on_hand)).toEqual([4, null]);
});

test.each<[string, Cells, object]>([
  ['the same parent alone', { parent_sku: 'N' }, { parent_sku: 'N', values: { Size: 'L', Colour: 'Red' } }],
  ['another parent alone', { parent_sku: 'M' }, { parent_sku: 'M', values: { Size: 'L', Colour: 'Red' } }],
  ['one option', { parent_sku: 'N', 'variation.Size': 'M' }, { values: { Size: 'M', Colour: 'Red' } }],
  [
    'an empty option',
    { parent_sku: 'N', 'variation.Size': '' },
    { theme: 'Colour', values: { Colour: 'Red' } },
  ],
  [
    'a theme with all options',
    { parent_sku: 'N', 'variation.Size': 'M', 'variation.theme': 'Size' },
    { theme: 'Size', values: { Size: 'M' } },
  ],
])('options without a column of the native feed stay: %s', async (_name, cells, variation) => {
  const { seller } = await imported(FILES['the native feed'] as File);
  const { status } = await feed(seller, csv([{ seller_sku: 'N-1', ...cells }]), {
    query: 'mode=update_only',
  });
  expect(status).toBe(201);
  expect((await catalogueOf(seller)).get('N-1')?.['variation']).toMatchObject(variation);
});

test.each(['marketplace_listings', 'handmade_listings'])(
  'a file without a status puts nothing on sale that the seller has taken off: %s',
  async (name) => {
    const file = FILES[name] as File;
    const listed = file.rows.map((row, index) =>
      name === 'marketplace_listings'
        ? {
            'seller-sku': row['item_sku'] ?? '',
            'item-name': row['item_name'] ?? '',
            ...{ 'listing-id': index, 'open-date': '', price: '49.00', quantity: 4 },
            ...{ 'product-id-type': 4, 'product-id': row['external_product_id'] ?? '' },
          }
        : row,
    );
    const seller = await app.seller({ plan: 'Big' });
    await send(seller, file, listed);
    const [first, second] = [...(await catalogueOf(seller)).values()];
    for (const [product, status] of [
      [first, 'inactive'],
      [second, 'archived'],
      [first, 'draft'],
    ] as const) {
      await seller.call('PATCH', `/products/${product?.product_id}`, { json: { status } });
      const before = await catalogueOf(seller);
      expect((await send(seller, file, listed)).body.counts).toMatchObject({ rows: 2, unchanged: 2 });
      expect(await catalogueOf(seller)).toEqual(before);
    }
  },
);
