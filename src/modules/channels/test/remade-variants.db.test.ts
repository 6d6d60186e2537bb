/** Variants of a connected store that are made again, and decisions about many of them. */
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../demo/store-platform/catalogue.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { barcode, createBody, linksOf, productsOf, shopOf } from '../../../../test/support/store-products.ts';
import { storeWith } from '../../../../test/support/store-stock.ts';

const stores = await startStores();
const mug = (more: object = {}) => ({
  title: 'Blue mug',
  variants: [{ sku: 'MUG-BLU', barcode: barcode(), price: '26.99' }],
  ...more,
});

describe('a variant that is made again in the store', () => {
  const again = (made: Product): Partial<Product> => ({
    variants: made.variants.map((variant) => ({
      ...variant,
      ...{ id: variant.id + 1_000_000n, inventory_item_id: variant.inventory_item_id + 1_000_000n },
    })),
  });

  test('keeps its product on sale, also if the old one is gone in the same delivery', async () => {
    const { seller, stock, send, update } = await shopOf(stores);
    const made = stock(mug());
    await send('products/create', createBody(made), 0);
    const [first] = await productsOf(seller);
    const decision = await update(made, again(made), 5);
    expect(decision).toMatchObject({ status: expect.stringMatching(/applied|no_effect/), issue_id: null });
    expect(await productsOf(seller)).toMatchObject([
      { product_id: first?.product_id, status: 'active', version: first?.version },
    ]);
    await update(made, { title: 'New mug' }, 9);
    expect(await productsOf(seller)).toMatchObject([{ title: 'New mug' }]);
  });

  test('wakes the product that was taken off sale with the old one', async () => {
    const { seller, stock, send, update, remove } = await shopOf(stores);
    const made = stock(mug());
    await send('products/create', createBody(made), 0);
    const [first] = await productsOf(seller);
    await remove(made, 5);
    expect(await productsOf(seller)).toMatchObject([{ status: 'inactive' }]);
    const other = stock({ ...mug(), variants: made.variants.map(({ id: _, ...one }) => one) }, 9);
    await send('products/create', createBody(other), 9);
    expect(await productsOf(seller)).toMatchObject([{ product_id: first?.product_id, status: 'active' }]);
    await update(other, { title: 'Other mug' }, 12);
    expect(await productsOf(seller)).toMatchObject([{ title: 'Other mug' }]);
  });
});

test('the stock of a variant that is made again counts on, so that units sold here do not come back', async () => {
  const store = await storeWith(stores, ['L1', 'L2']);
  const { shop, seller, channel_id } = store;
  const itemOf = ({ variants }: Product): bigint => variants[0]?.inventory_item_id ?? 0n;
  const made = shop.createProduct(mug());
  await store.decided();
  const [goods] = await productsOf(seller);
  if (goods === undefined) throw new Error('no product');
  store.set(itemOf(made), 8);
  store.set(itemOf(made), 4, 1);
  await store.reaches(goods, 12);
  await store.adjust(goods, -3);
  const counted = async () => {
    await store.decided();
    const [link] = await linksOf(seller, channel_id, 'state=linked');
    return store.row({ link_id: link?.link_id ?? '', product_id: goods.product_id });
  };
  // The store has sold two of the old item.
  const variants = made.variants.map((variant) => ({
    ...{ ...variant, id: shop.catalogue.nextId(), inventory_item_id: shop.catalogue.nextId() },
  }));
  const [item = 0n] = variants.map((variant) => variant.inventory_item_id);
  store.keep(item, 6);
  store.keep(item, 4, undefined, 1);
  shop.updateProduct(made.id, { variants });
  await store.reaches(goods, 7);
  expect(await counted()).toEqual([10, 10, 7, 0, 0, 7]);
  // The whole product is made again after its end.
  shop.deleteProduct(made.id);
  await store.decided();
  const other = shop.catalogue.addProduct({
    ...{
      title: made.title,
      variants: made.variants.map(({ sku, barcode: code }) => ({ sku, barcode: code })),
    },
  });
  store.keep(itemOf(other), 6);
  store.keep(itemOf(other), 3, undefined, 1);
  shop.deliveries.publish('products/create', createBody(other));
  await store.reaches(goods, 6);
  expect(await counted()).toEqual([9, 9, 6, 0, 0, 6]);
});

test('a decision names 100 changes at most, and cuts long texts', async () => {
  const { seller, stock, send, update } = await shopOf(stores);
  const variants = Array.from({ length: 60 }, (_, at) => ({
    sku: `V${at}`,
    barcode: barcode(),
    price: '9.00',
    title: `S${at}`,
  }));
  const made = stock(mug({ variants }));
  await send('products/create', createBody(made), 0);
  const decision = await update(made, { title: 'Other', body_html: `<p>${'long '.repeat(2_000)}</p>` }, 5);
  expect(decision.changes).toHaveLength(100);
  expect(decision).toMatchObject({ decision: { changes_total: 120 } });
  for (const { after } of decision.changes) expect(after.length).toBeLessThanOrEqual(501);
  expect(await productsOf(seller)).toHaveLength(60);
});
