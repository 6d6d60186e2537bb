/** Deliveries about one product in any order, in parts, and beside a file of the same store. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../demo/store-platform/catalogue.ts';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import { type CatalogueProduct, eventually, feed, type Run } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  at,
  barcode,
  change,
  createBody,
  issuesOf,
  linksOf,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { parseJsonExact } from '../../../kernel/readers/text/parse-json-exact.ts';
import { EXPORT_HEADER, exportRecords } from '../domain/export-records.ts';
import { productOfPayload } from '../domain/store-product.ts';

const stores = await startStores();
const storeProduct = (product: Product) =>
  productOfPayload(parseJsonExact(exactJson(createBody(product))) as Record<string, unknown>);

describe('deliveries of one product', () => {
  test('end the same in any order', async () => {
    const steps = ['create', 'update', 'second update', 'delete', 'delete again'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...steps], { minLength: steps.length, maxLength: steps.length }),
        fc.boolean(),
        async (order, deleted) => {
          const { seller, shop, channel_id, stock, send } = await shopOf(stores);
          const first = stock({ title: 'One', variants: [{ sku: 'MUG', barcode: barcode() }] }, 0);
          const second = { ...first, title: 'Two', updated_at: at(1) };
          const third = { ...second, title: 'Three', updated_at: at(2) };
          if (deleted) shop.catalogue.products.delete(first.id);
          else shop.catalogue.products.set(first.id, third);
          const sending = {
            create: () => send('products/create', createBody(first), 0),
            update: () => send('products/update', createBody(second), 1),
            'second update': () => send('products/update', createBody(third), 2),
            delete: () => (deleted ? send('products/delete', { id: first.id }, 3) : undefined),
            'delete again': () => (deleted ? send('products/delete', { id: first.id }, 4) : undefined),
          };
          for (const step of order) await sending[step]();
          const onSale = (await productsOf(seller)).filter(({ status }) => status === 'active');
          expect(onSale.map(({ title }) => title)).toEqual(deleted ? [] : ['Three']);
          const live = (await linksOf(seller, channel_id)).filter(({ state }) => state !== 'gone');
          expect(live.map(({ state }) => state)).toEqual(deleted ? [] : ['linked']);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('that are older, equal or late change nothing, and say why', async () => {
    const { seller, shop, stock, send, update, remove, channel_id } = await shopOf(stores);
    const made = stock({ title: 'One', variants: [{ sku: 'MUG', barcode: barcode() }] }, 10);
    const first = await send('products/create', createBody(made), 10);
    const older = { ...createBody(made), title: 'Old', updated_at: at(5) };
    expect(await send('products/update', older, 5)).toMatchObject({
      ...{ status: 'stale', reason: 'newer_product_applied' },
      decision: { newer_delivery_id: first.delivery_id },
    });
    const same = { ...createBody(made), created_at: at(1) };
    expect(await send('products/update', same, 11)).toMatchObject({
      ...{ status: 'duplicate', reason: 'same_state', decision: { repeats_delivery_id: first.delivery_id } },
    });
    // Of the same second with other content: the store says which is right.
    change(shop, made.id, { title: 'Right' }, 10);
    await send('products/update', { ...createBody(made), title: 'Wrong' }, 10);
    expect(await productsOf(seller)).toMatchObject([{ title: 'Right' }]);
    expect(await remove(made, 20)).toMatchObject({ status: 'applied' });
    expect(await productsOf(seller)).toMatchObject([{ status: 'inactive' }]);
    expect(await send('products/update', { ...createBody(made), updated_at: at(19) }, 19)).toMatchObject({
      ...{ status: 'stale', reason: 'deleted_in_store' },
    });
    // Later than the deletion, but the store does not have it.
    expect(await send('products/update', { ...createBody(made), updated_at: at(25) }, 25)).toMatchObject({
      ...{ status: 'no_effect', reason: 'product_gone' },
    });
    shop.catalogue.products.set(made.id, made);
    await update(made, { title: 'Back' }, 30);
    expect(await productsOf(seller)).toMatchObject([{ status: 'active', title: 'Back' }]);
    expect(await linksOf(seller, channel_id)).toMatchObject([{ state: 'linked' }]);
  });

  test('that change back within a second are asked for, although their body came before', async () => {
    const { seller, shop, stock, send } = await shopOf(stores);
    const made = stock({ title: 'One', variants: [{ sku: 'MUG', barcode: barcode() }] }, 10);
    await send('products/create', createBody(made), 10);
    await send('products/update', createBody(change(shop, made.id, { title: 'Two' }, 10)), 10);
    expect(await productsOf(seller)).toMatchObject([{ title: 'Two' }]);
    const back = createBody(change(shop, made.id, { title: 'One' }, 10));
    expect(await send('products/update', back, 10)).toMatchObject({ status: 'applied' });
    expect(await productsOf(seller)).toMatchObject([{ title: 'One' }]);
    expect(await send('products/update', back, 10)).toMatchObject({
      ...{ status: 'duplicate', reason: 'same_body' },
    });
  });

  test('take no variant for gone that a shortened body leaves out', async () => {
    const { seller, stock, send, update } = await shopOf(stores, { plan: 'Big' });
    const variants = Array.from({ length: 230 }, (_, index) => ({
      ...{ title: `V${index}`, sku: `S-${index}`, price: '5.00', barcode: barcode() },
    }));
    const made = stock({ title: 'Large', variants });
    expect(await send('products/create', createBody(made), 0)).toMatchObject({ status: 'applied' });
    const count = async () =>
      (
        await runOn(stores.database.adminUrl, (client) =>
          client.query<{ status: string; count: number }>(
            'select status, count(*)::int as count from product where seller_id = $1 group by 1 order by 1',
            [seller.seller_id],
          ),
        )
      ).rows;
    expect(await count()).toEqual([{ status: 'active', count: 230 }]);
    await update(made, { title: 'Larger' }, 1);
    expect(await count()).toEqual([{ status: 'active', count: 230 }]);
    await update(made, { variants: made.variants.slice(0, 228) }, 2);
    expect(await count()).toEqual([
      { status: 'active', count: 228 },
      { status: 'inactive', count: 2 },
    ]);
  });

  test('of a product that is linked in another channel are foreign', async () => {
    const owner = await shopOf(stores);
    const made = owner.stock({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode() }] });
    await owner.send('products/create', createBody(made), 0);
    const other = await shopOf(stores);
    const decision = await other.send('products/update', { ...createBody(made), title: 'Mine' }, 1);
    expect(decision).toMatchObject({ status: 'foreign', reason: 'linked_elsewhere' });
    expect(await productsOf(other.seller)).toEqual([]);
  });
});

test('a product that is deleted while a delivery waits for its lock is made anew', async () => {
  const { seller, stock, send } = await shopOf(stores);
  const before = await create(seller, { seller_sku: 'MUG', status: 'draft' });
  const made = stock({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode() }] });
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('delete from product where product_id = $1', [before.product_id]);
    const decision = send('products/create', createBody(made), 0);
    // The delivery has found the product, and waits until the deletion is committed.
    await eventually(
      () =>
        client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ rowCount }) => rowCount === 1,
    );
    await client.query('commit');
    expect(await decision).toMatchObject({ status: 'applied', issue_id: null });
  });
  expect(await productsOf(seller)).toMatchObject([{ seller_sku: 'MUG', title: 'Mug', status: 'active' }]);
  expect(await issuesOf(seller)).toEqual([]);
});

describe('what cannot be applied', () => {
  test('waits for a retry: a full plan, content that is refused', async () => {
    const { seller, stock, send } = await shopOf(stores);
    const long = stock({ title: 'x'.repeat(300), variants: [{ sku: 'LONG', barcode: barcode() }] });
    const decision = await send('products/create', createBody(long), 0);
    expect(decision).toMatchObject({ status: 'needs_action' });
    expect(await issuesOf(seller)).toMatchObject([
      { kind: 'not_applied', facts: { code: 'length_exceeded' }, allowed: ['retry', 'ignore'] },
    ]);
    const many = stock({
      title: 'Many',
      variants: Array.from({ length: 110 }, (_, index) => ({
        title: `V${index}`,
        sku: `M-${index}`,
        barcode: barcode(),
      })),
    });
    await send('products/create', createBody(many), 0);
    const full = (await issuesOf(seller)).find(
      ({ facts }) => facts['external_product_id'] === String(many.id),
    );
    expect(full).toMatchObject({ kind: 'not_applied', facts: { code: 'plan_limit_reached' } });
  });

  test('a gift card is no product', async () => {
    const { seller, stock, send, channel_id } = await shopOf(stores);
    const card = stock({ title: 'Gift card', gift_card: true });
    expect(await send('products/create', createBody(card), 0)).toMatchObject({
      status: 'no_effect',
      messages: expect.arrayContaining([expect.objectContaining({ code: 'gift_card' })]),
    });
    expect([await productsOf(seller), await linksOf(seller, channel_id), await issuesOf(seller)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('prices in another currency are not taken, the content is', async () => {
    const { seller, stock, send, channel_id } = await shopOf(stores);
    await runOn(stores.database.adminUrl, (client) =>
      client.query("update channel set currency = 'USD' where channel_id = $1", [channel_id]),
    );
    const made = stock({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode() }] });
    expect(await send('products/create', createBody(made), 0)).toMatchObject({ status: 'needs_action' });
    expect(await productsOf(seller)).toMatchObject([{ title: 'Mug', price_minor: null, status: 'draft' }]);
    expect(await issuesOf(seller)).toMatchObject([
      { kind: 'not_applied', facts: { code: 'currency_mismatch' } },
    ]);
  });
});

const word = fc.stringMatching(/^[A-Za-z=+@'"äß][A-Za-z0-9 ,;"'äß-]{0,20}[A-Za-z0-9]$/);
const anyProduct = fc.record({
  title: word,
  body_html: fc.oneof(
    fc.constant(''),
    word.map((text) => `<p>${text}</p>\n<p>=1</p>`),
  ),
  vendor: fc.oneof(fc.constant(''), word),
  product_type: fc.oneof(fc.constant(''), word),
  status: fc.constantFrom('active' as const, 'draft' as const, 'archived' as const),
  tags: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
  images: fc.uniqueArray(fc.stringMatching(/^https:\/\/cdn\.example\/[a-z]{3,8}\.jpg$/), { maxLength: 4 }),
  variants: fc.uniqueArray(
    fc.record({
      title: fc.stringMatching(/^[A-Z][a-z0-9/#%]{1,8}$/),
      coded: fc.boolean(),
      price: fc.constantFrom('0.00', '5.00', '1999.95'),
      compare_at_price: fc.constantFrom(null, '2500.00'),
    }),
    { minLength: 1, maxLength: 3, selector: ({ title }) => title.toLowerCase() },
  ),
});

test('a store as a file and the same store by deliveries give the same products; each after the other is unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyProduct, {
        minLength: 1,
        maxLength: 3,
        selector: ({ title }) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      }),
      async (goods) => {
        const wired = await shopOf(stores, { plan: 'Small' });
        const filed = await shopOf(stores, { plan: 'Small' });
        let serial = 0;
        const made = goods.map(({ variants, ...product }) => {
          const given = variants.map(({ coded, ...variant }) => {
            serial += 1;
            return { ...variant, ...(coded && { sku: `S-${serial}`, barcode: barcode() }) };
          });
          return [
            wired.stock({ ...product, variants: given }),
            filed.stock({ ...product, variants: given }),
          ] as const;
        });
        const csvOf = (products: readonly Product[]): string => {
          const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
          const records = products.flatMap((product) => {
            const read = storeProduct(product);
            return read === undefined ? [] : exportRecords(read);
          });
          return [EXPORT_HEADER, ...records].map((cells) => cells.map(cell).join(',')).join('\n');
        };
        const importFile = async (seller: typeof wired.seller, products: readonly Product[]) => {
          const { body, status, text } = await feed<Run>(seller, csvOf(products), {
            path: '/products/import-profiles',
            query: 'profile=store_platform_products',
          });
          if (status !== 201) throw new Error(text);
          return body.counts;
        };
        for (const [product] of made) await wired.send('products/create', createBody(product), 0);
        const file = made.map(([, product]) => product);
        await importFile(filed.seller, file);
        const shown = async (seller: typeof wired.seller) =>
          (await productsOf(seller)).map(
            ({ seller_sku, title, status, price_minor, attributes, issues, external_key, ...more }) => ({
              ...{ seller_sku, title, status, price_minor, attributes, issues, external_key },
              ...{ description: more['description'], brand: more['brand'], category: more['category'] },
              ...{ compare_at_minor: more['compare_at_minor'], variation: more['variation'] },
              images: (more['images'] as { url: string }[]).map(({ url }) => url),
              code: (more['identity'] as CatalogueProduct | null)?.['gtin14'],
            }),
          );
        expect(await shown(wired.seller)).toEqual(await shown(filed.seller));
        const versions = async (seller: typeof wired.seller) =>
          (await productsOf(seller)).map(({ version }) => version);
        const before = [await versions(wired.seller), await versions(filed.seller)];
        const again = await importFile(
          wired.seller,
          made.map(([product]) => product),
        );
        expect([again.updated, again.created, again.staged, again.rejected]).toEqual([0, 0, 0, 0]);
        for (const product of file) await filed.send('products/create', createBody(product), 0);
        expect([await versions(wired.seller), await versions(filed.seller)]).toEqual(before);
      },
    ),
    { numRuns: 6 },
  );
});
