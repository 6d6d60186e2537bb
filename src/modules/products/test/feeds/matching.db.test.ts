/** Which product a row of a file names (docs/design/feeds-and-imports.md#matching). */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  codes,
  csv,
  type FeedFailure,
  feed,
  goods,
  outcomes,
  type Run,
} from '../../../../../test/support/feeds.ts';

const app = await startTestApp();
const IMPORT = { path: '/products/import-profiles' };
const STOCK = { path: '/products/inventory/import' };

const HEADER =
  'Handle,Title,Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Barcode';
const variant = (handle: string, size: string, sku: string, price = '10.00', code = ''): string =>
  `${handle},Title ${handle} ${size},V,Size,${size},${sku},shopify,5,${price},${code}`;
const storeFile = (...rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;

const send = (seller: TestSeller, file: string, sending: object = IMPORT) =>
  feed<Run & FeedFailure>(seller, file, sending);
const messagesOf = ({ row_results }: Pick<Run, 'row_results'>) => row_results.map(({ messages }) => messages);

async function rename(seller: TestSeller, productId: string, seller_sku: string): Promise<void> {
  const { status } = await seller.call('PATCH', `/products/${productId}`, { json: { seller_sku } });
  expect(status).toBe(200);
}

test('a variant with a repeated SKU is found by its key, alone and in any order', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const small = variant('tee', 'S', 'TEE', '10.00', '9312345678907');
  const large = variant('tee', 'L', 'TEE', '12.00', '9312345678914');
  const whole = await applied(seller, storeFile(small, large), IMPORT);
  expect(outcomes(whole.row_results)).toEqual(['created', 'staged']);
  expect(messagesOf(whole)[1]).toContainEqual(
    expect.objectContaining({
      code: 'sku_duplicate_in_file',
      severity: 'warning',
      message: 'The SKU is already in row 1 of this file.',
    }),
  );
  const products = await catalogueOf(seller);
  for (const file of [storeFile(large), storeFile(large, small), storeFile(small)]) {
    const again = await applied(seller, file, IMPORT);
    expect(again.counts.unchanged).toBe(again.counts.rows);
    expect(await catalogueOf(seller)).toEqual(products);
  }
  const [holder] = [...products.values()].filter(({ seller_sku }) => seller_sku === 'TEE');
  const alone = await applied(seller, storeFile(large), IMPORT);
  expect(messagesOf(alone)[0]).toContainEqual(
    expect.objectContaining({
      code: 'sku_duplicate',
      severity: 'warning',
      message: expect.stringContaining(`${holder?.['product_id']}`),
      hint: expect.stringContaining('import again'),
    }),
  );
});

test('a corrected row whose SKU another variant has taken changes no other product', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const first = await applied(
    seller,
    storeFile(variant('tee', 'S', 'TEE', 'WRONG'), variant('tee', 'L', 'TEE')),
    IMPORT,
  );
  expect(outcomes(first.row_results)).toEqual(['rejected', 'staged']);
  const before = await catalogueOf(seller);
  expect([...before.keys()]).toHaveLength(1);
  const file = await seller.call(
    'GET',
    `/products/feed-runs/${first.run_id}/row-results?outcome=rejected&format=csv`,
  );
  const mended = await applied(seller, file.text.replace('WRONG', '9.00'), IMPORT);
  expect(outcomes(mended.row_results)).toEqual(['staged']);
  expect(codes(mended.row_results)[0]).toContain('sku_duplicate');
  const after = await catalogueOf(seller);
  expect(after.size).toBe(2);
  for (const [name, product] of before) expect(after.get(name)).toEqual(product);
});

test('a SKU finds a product that files have not named yet; the next variant with it is staged', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, csv([goods('TEE')]));
  const run = await applied(
    seller,
    storeFile(variant('tee', 'S', 'TEE', '10.00', '9312345678907'), variant('tee', 'L', 'TEE')),
    IMPORT,
  );
  expect(outcomes(run.row_results)).toEqual(['updated', 'staged']);
  const products = await catalogueOf(seller);
  expect((await applied(seller, storeFile(variant('tee', 'L', 'TEE')), IMPORT)).counts.unchanged).toBe(1);
  expect(await catalogueOf(seller)).toEqual(products);
});

test('a renamed handle makes a draft beside the product that holds its SKU', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, storeFile(variant('old', 'S', 'TEE', '10.00', '9312345678907')), IMPORT);
  const before = await catalogueOf(seller);
  const run = await applied(seller, storeFile(variant('new', 'S', 'TEE', '99.00')), IMPORT);
  expect(outcomes(run.row_results)).toEqual(['staged']);
  const after = await catalogueOf(seller);
  for (const [name, product] of before) expect(after.get(name)).toEqual(product);
  const id = String([...before.values()][0]?.['product_id']);
  await rename(seller, id, 'OLD');
  const free = await applied(seller, storeFile(variant('new', 'S', 'TEE', '99.00')), IMPORT);
  expect(outcomes(free.row_results)).toEqual(['updated']);
});

const INVENTORY = 'Handle,Title,Option1 Name,Option1 Value,SKU,Location,Available,On hand';
const units = (handle: string, size: string, sku: string, count: number, location = 'Perth'): string =>
  `${handle},T,Size,${size},${sku},${location},${count},${count}`;
const inventoryFile = (...rows: readonly string[]): string => `${[INVENTORY, ...rows].join('\n')}\n`;
const stockOf = async (seller: TestSeller): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    [...(await catalogueOf(seller)).values()].map((product) => [
      product['external_key'] ?? product['seller_sku'],
      product['quantity_on_hand'],
    ]),
  );

test('stock of a store: the row of a variant never sets the stock of another product', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const file = storeFile(variant('tee', 'S', 'TEE', '10.00', '9312345678907'), variant('tee', 'L', 'TEE'));
  await applied(seller, file, IMPORT);
  const run = await applied(seller, inventoryFile(units('tee', 'L', 'TEE', 9)), STOCK);
  expect(run.counts).toMatchObject({ rows: 1, updated: 1 });
  expect(await stockOf(seller)).toEqual({ 'tee#S': 5, 'tee#L': 9 });
  const unknown = await send(seller, inventoryFile(units('tee', 'XL', 'TEE', 70)), STOCK);
  expect(outcomes(unknown.body.row_results)).toEqual(['rejected']);
  expect(codes(unknown.body.row_results)[0]).toContain('sku_duplicate');
  expect(await stockOf(seller)).toEqual({ 'tee#S': 5, 'tee#L': 9 });
  const both = await applied(
    seller,
    inventoryFile(units('tee', 'S', 'TEE', 1), units('tee', 'L', 'TEE', 2)),
    STOCK,
  );
  expect(both.counts).toMatchObject({ rows: 2, updated: 2 });
  expect(await stockOf(seller)).toEqual({ 'tee#S': 1, 'tee#L': 2 });
});

test('stock of a store: a SKU names a product without a key only if the file has it under one key', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, csv([goods('TEE')]));
  const two = await send(
    seller,
    inventoryFile(units('tee', 'S', 'TEE', 1), units('tee', 'L', 'TEE', 2)),
    STOCK,
  );
  expect(codes(two.body.row_results)).toEqual([['sku_not_found'], ['sku_not_found']]);
  expect(await stockOf(seller)).toEqual({ TEE: 5 });
  const one = await applied(
    seller,
    inventoryFile(units('tee', 'S', 'TEE', 1), units('tee', 'S', 'TEE', 3, 'Sydney')),
    STOCK,
  );
  expect(one.counts).toMatchObject({ updated: 1, merged: 1 });
  expect(await stockOf(seller)).toEqual({ TEE: 4 });
});

const EXPORT = '/products/export?shape=store-platform';

test('an export of variants whose options have changed since is imported as the same products', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, storeFile(variant('tee', 'S', 'TEE-S'), variant('tee', 'L', '')), IMPORT);
  for (const { product_id, external_key } of (await catalogueOf(seller)).values()) {
    const variation = { parent_sku: 'tee', theme: 'Size', values: { Size: `New ${String(external_key)}` } };
    const { status } = await seller.call('PATCH', `/products/${product_id}`, { json: { variation } });
    expect(status).toBe(200);
  }
  const before = await catalogueOf(seller);
  const { text } = await seller.call('GET', EXPORT);
  const again = await applied(seller, text, IMPORT);
  expect(again.counts).toMatchObject({ rows: 2, unchanged: 2 });
  expect(await catalogueOf(seller)).toEqual(before);
});

test('an export in which two products have one handle and one option is imported as the same products', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, storeFile(variant('tee', 'S', 'TEE-S', '10.00', '9312345678907')), IMPORT);
  const own = { parent_sku: 'tee', 'variation.theme': 'Size', 'variation.Size': 'S' };
  const native = await applied(seller, csv([goods('OWN', { ...own, price: '77.00' })]));
  expect(native.counts).toMatchObject({ created: 1, warnings: 0 });
  const before = await catalogueOf(seller);
  const { text } = await seller.call('GET', EXPORT);
  const again = await send(seller, text);
  expect(again.body.row_results.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
  expect(await catalogueOf(seller)).toEqual(before);
});

const LISTINGS =
  'item-name\tlisting-id\tseller-sku\tprice\tquantity\topen-date\tproduct-id-type\tproduct-id\tasin1';
const listing = (name: string, id: string, sku: string, price = '5.00'): string =>
  `${name}\t${id}\t${sku}\t${price}\t3\t\t\t\tB0${id}`;
const TABS = { ...IMPORT, type: 'text/tab-separated-values' };
const listings = (...rows: readonly string[]): string => `${[LISTINGS, ...rows].join('\n')}\n`;

test('a marketplace listing does not take the product of another listing that was given its SKU', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, listings(listing('Cup', '1', '')), TABS);
  const [draft] = [...(await catalogueOf(seller)).values()];
  await rename(seller, `${draft?.product_id}`, 'CUP');
  const before = await catalogueOf(seller);
  const other = await send(seller, listings(listing('Saucer', '2', 'CUP', '9.00')), TABS);
  expect(codes(other.body.row_results)[0]?.[0]).toBe('sku_duplicate');
  expect(await catalogueOf(seller)).toEqual(before);
  // The listing itself now has the SKU in the marketplace too.
  const own = await applied(seller, listings(listing('Cup', '1', 'CUP')), TABS);
  expect([...(await catalogueOf(seller)).keys()]).toHaveLength(1);
  expect(own.counts.rejected).toBe(0);
});

test('a listing does not take the product of another listing whose key comes from another platform', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const auction = 'Action,Item number,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity';
  await applied(seller, `${auction}\nAdd,77,CUP,123,Cup,1000,FixedPrice,5.00,3\n`, IMPORT);
  await applied(seller, listings(listing('Cup', '1', 'CUP')), TABS);
  const before = await catalogueOf(seller);
  expect(before.get('CUP')).toMatchObject({ attributes: { ebay_item_number: '77', asin: 'B01' } });
  const other = await send(seller, listings(listing('Saucer', '2', 'CUP', '9.00')), TABS);
  expect(codes(other.body.row_results)[0]?.[0]).toBe('sku_duplicate');
  const auctioned = await send(seller, `${auction}\nAdd,78,CUP,123,Mug,1000,FixedPrice,9.00,3\n`, IMPORT);
  expect(codes(auctioned.body.row_results)[0]?.[0]).toBe('sku_duplicate');
  expect(await catalogueOf(seller)).toEqual(before);
});

test('a listing takes the key of one variant of a store, and no later variant with its SKU overwrites it', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const cups = listings(listing('Cup', '1', 'CUP'));
  await applied(seller, cups, TABS);
  const small = storeFile(variant('cup', 'S', 'CUP', '10.00', '9312345678907'));
  const first = await applied(seller, small, IMPORT);
  expect(outcomes(first.row_results)).toEqual(['updated']);
  const before = await catalogueOf(seller);
  const later = await applied(seller, storeFile(variant('mug', 'L', 'CUP', '99.00')), IMPORT);
  expect(outcomes(later.row_results)).toEqual(['staged']);
  expect(codes(later.row_results)[0]).toContain('sku_duplicate');
  const after = await catalogueOf(seller);
  for (const [name, product] of before) expect(after.get(name)).toEqual(product);
  const stock = await send(seller, inventoryFile(units('mug', 'XL', 'CUP', 77)), STOCK);
  expect(codes(stock.body.row_results)[0]?.[0]).toBe('sku_duplicate');
  expect((await applied(seller, small, IMPORT)).counts.unchanged).toBe(1);
  expect((await applied(seller, cups, TABS)).counts.created).toBe(0);
  expect((await catalogueOf(seller)).size).toBe(after.size);
  expect((await applied(seller, small, IMPORT)).counts.created).toBe(0);
});

test('a listing that has a key beside its SKU is not overwritten by a store', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, listings(listing('Cup', '1', '')), TABS);
  const [draft] = [...(await catalogueOf(seller)).values()];
  await rename(seller, `${draft?.product_id}`, 'CUP');
  const before = await catalogueOf(seller);
  const run = await applied(seller, storeFile(variant('mug', 'L', 'CUP', '99.00')), IMPORT);
  expect(codes(run.row_results)[0]).toContain('sku_duplicate');
  const after = await catalogueOf(seller);
  for (const [name, product] of before) expect(after.get(name)).toEqual(product);
});

test('a complete listing is a product; a stray variation behind it is rejected', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const header =
    'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity,Relationship,RelationshipDetails\n';
  const run = await applied(
    seller,
    `${header}Add,CUP,1,Cup,1000,FixedPrice,5,1,,\n,TEE-S,,,,,9,2,Variation,Size=S\n,TEE-L,,,,,9,2,Variation,Size=L\n`,
    IMPORT,
  );
  expect(outcomes(run.row_results)).toEqual(['staged', 'rejected', 'rejected']);
  expect(codes(run.row_results).slice(1)).toEqual([
    ['variation_without_parent'],
    ['variation_without_parent'],
  ]);
  expect([...(await catalogueOf(seller)).keys()]).toEqual(['CUP']);
});

test('rejected variations of an auction come back with their parent, and can be sent again', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const whole =
    'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity,Product:UPC,Relationship,RelationshipDetails\n' +
    'Add,,1,Tee,1000,FixedPrice,,,,,Size=S;M;L\n' +
    ['S', 'M', 'L'].map((size) => `,T-${size},,,,,9,2,Does not apply,Variation,Size=${size}\n`).join('');
  const run = await applied(seller, whole.replaceAll(/(T-[SL],,,,,)9/g, '$1WRONG'), IMPORT);
  expect(run.counts).toMatchObject({ created: 1, rejected: 2 });
  const path = `/products/feed-runs/${run.run_id}/row-results?format=csv&outcome=rejected`;
  const { text } = await seller.call('GET', path);
  const again = await applied(seller, text.replaceAll('WRONG', '9'), IMPORT);
  expect(again.counts).toMatchObject({ created: 2, merged: 2, rejected: 0 });
  expect((await applied(seller, whole, IMPORT)).counts).toMatchObject({ unchanged: 3, merged: 1 });
});

test('an exemption alone does not replace the global id of a product without a word', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const coded = { identity_strategy: 'global_id', exempt_reason: '' };
  await applied(seller, csv([goods('CUP', { ...coded, global_id: '9312345678907' })]));
  const row = { seller_sku: 'CUP', exempt_reason: 'handmade' };
  const { body } = await feed<FeedFailure>(seller, csv([row]), { query: 'mode=update_only' });
  expect(body.row_results[0]?.messages).toMatchObject([
    { code: 'identity_conflict', severity: 'error', column: 'global_id', value_excerpt: '9312345678907' },
  ]);
  for (const [index, mended] of [{ global_id: '' }, { identity_strategy: 'exempt' }].entries()) {
    const run = await applied(seller, csv([{ ...row, ...mended }]), { query: 'mode=update_only' });
    expect(run.counts).toMatchObject(index === 0 ? { updated: 1 } : { unchanged: 1 });
  }
});

test('an exemption beside a global id is rejected by feeds and requests', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const both = { identity_strategy: 'exempt', exempt_reason: 'handmade', global_id: '9312345678907' };
  const { body } = await feed<FeedFailure>(seller, csv([goods('BOTH', both), goods('NONE')]));
  expect(outcomes(body.row_results)).toEqual(['rejected', 'created']);
  expect(body.row_results[0]?.messages).toMatchObject([
    { code: 'identity_conflict', severity: 'error', column: 'global_id' },
  ]);
  const absent = await applied(seller, csv([goods('NONE', { ...both, global_id: 'Does not apply' })]));
  expect(absent.counts.rejected).toBe(0);
  const { seller_sku: _, identity_strategy, exempt_reason, price, quantity, ...rest } = goods('API');
  const identity = { strategy: 'exempt', reason: 'handmade', value: '9312345678907' };
  const request = await seller.call('POST', '/products', {
    json: { ...rest, seller_sku: 'API', price_minor: 500, quantity_on_hand: 1, identity },
  });
  expect([request.status, request.text]).toEqual([422, expect.stringContaining('identity_conflict')]);
});

test.each(['', 'global_id'])('the same with the strategy "%s"', async (strategy) => {
  const seller = await app.seller({ plan: 'Small' });
  const both = { exempt_reason: 'handmade', global_id: '9312345678907' };
  const rows = [goods('BOTH', { ...both, identity_strategy: strategy }), goods('NONE')];
  const { body } = await feed<FeedFailure>(seller, csv(rows));
  expect(outcomes(body.row_results)).toEqual(['rejected', 'created']);
  expect(codes(body.row_results)[0]).toEqual(['identity_conflict']);
  const identity = { strategy: 'global_id', reason: 'handmade', value: '9312345678907' };
  const json = { seller_sku: 'API', title: 'Mug', price_minor: 500, identity };
  const { status, text } = await seller.call('POST', '/products', { json });
  expect([status, text]).toEqual([422, expect.stringContaining('identity_conflict')]);
});

test('in a file with two action columns, the column with a known action counts', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const header =
    '*Action,CustomLabel,*Category,*Title,*ConditionID,*Format,*StartPrice,*Quantity,*Action(SiteID=AU)';
  const run = await applied(
    seller,
    `${header}\n#,CUP,1,Cup,1000,FixedPrice,5,1,Add\nDraft,JUG,1,Jug,1000,FixedPrice,5,1,x\n`,
    IMPORT,
  );
  expect(outcomes(run.row_results)).toEqual(['staged', 'staged']);
});

test('a variant that the store sells for nothing is staged with an issue', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const file = storeFile(variant('gift', 'S', 'GIFT', '0.00', '9312345678907'));
  const run = await applied(seller, file, IMPORT);
  expect(outcomes(run.row_results)).toEqual(['staged']);
  const [product] = [...(await catalogueOf(seller)).values()];
  expect(product).toMatchObject({ status: 'draft', price_minor: null });
  const issues = product?.['issues'] as { readonly code: string }[];
  expect(issues.map(({ code }) => code)).toEqual(['required_missing']);
  expect((await applied(seller, file, IMPORT)).counts.unchanged).toBe(1);
});

test('rejected rows of an import carry reasons and guards, which the next import removes', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const title = "'=Cup";
  const row = `${title}\t7\t=CUP\tWRONG\t3\t\t\t\tB07`;
  const { body } = await send(seller, `${LISTINGS}\n${row}\n`, TABS);
  const path = `/products/feed-runs/${body.run?.run_id}/row-results?outcome=rejected&format=csv`;
  const { text } = await seller.call('GET', path);
  const [header, line] = text.split('\r\n');
  expect(header).toBe(`_codes\t_messages\t${LISTINGS}`);
  expect(line).toMatch(/^price_invalid\tprice: .+\t''=Cup\t7\t'=CUP\tWRONG\t/);
  const mended = await applied(seller, text.replace('WRONG', '5.00'), TABS);
  expect(mended.counts).toMatchObject({ rows: 1, rejected: 0 });
  const [product] = [...(await catalogueOf(seller)).values()];
  expect(product).toMatchObject({ seller_sku: '=CUP', title });
});
