/** Variants of a connected store that are made again, and decisions about many of them. */
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../demo/store-platform/catalogue.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import { barcode, createBody, productsOf, shopOf } from '../../../../test/support/store-products.ts';

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
