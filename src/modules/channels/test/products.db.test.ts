/** Products of connected stores: created, found, merged, taken off sale. */
import { describe, expect, test } from 'vitest';
import { decided, logOf } from '../../../../test/support/store-deliveries.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  createBody,
  firstVariant,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';

const stores = await startStores();
const mug = (more: object = {}) => ({
  title: 'Blue mug',
  body_html: '<p>Holds 350 ml</p>',
  images: ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg'],
  tags: ['tea'],
  variants: [{ sku: 'MUG-BLU', barcode: barcode(), price: '26.99', compare_at_price: '30.00' }],
  ...more,
});

describe('a product that the store creates', () => {
  test('becomes a product by the import profile, once, even if it is sent twenty times', async () => {
    const { seller, shop } = await shopOf(stores);
    const stranger = await stores.seller();
    shop.deliveries.hold();
    const made = shop.createProduct(mug());
    shop.deliveries.release({ copies: 20 });
    await shop.deliveries.idle();
    expect(shop.deliveries.made.at(-1)?.statuses).toEqual(Array(20).fill(200));
    const [decision] = await decided(seller, 1);
    expect(decision).toMatchObject({ status: 'applied', object_key: `product:${made.id}` });
    expect(await logOf(seller)).toHaveLength(1);
    const products = await productsOf(seller);
    expect(products).toMatchObject([
      {
        ...{ title: 'Blue mug', seller_sku: 'MUG-BLU', price_minor: 2699, compare_at_minor: 3000 },
        ...{ status: 'active', brand: 'Mia Ceramics', category: 'Mug', description: '<p>Holds 350 ml</p>' },
      },
    ]);
    expect(await productsOf(stranger)).toEqual([]);
    const { body } = await seller.call<{ data: unknown[] }>(
      'GET',
      `/products/${products[0]?.product_id}/history`,
    );
    expect(body.data).toMatchObject([
      { action: 'created', actor: { kind: 'channel' }, delivery_id: decision?.delivery_id },
    ]);
  });

  test('without a usable identity or SKU waits as a draft, and is sold once the store completes it', async () => {
    const { seller, stock, send, update } = await shopOf(stores);
    const made = stock(mug({ variants: [{ price: '26.99' }] }));
    expect(await send('products/create', createBody(made), 0)).toMatchObject({ status: 'applied' });
    expect(await productsOf(seller)).toMatchObject([{ status: 'draft', seller_sku: null }]);
    await update(made, firstVariant(made, { sku: 'LATE', barcode: barcode() }), 5);
    expect(await productsOf(seller)).toMatchObject([{ status: 'active', seller_sku: 'LATE' }]);
  });
});

describe('an update', () => {
  test('that puts a draft on sale leaves no word of the draft behind, which a file would keep', async () => {
    const { seller, stock, send, update } = await shopOf(stores);
    const made = stock(mug({ status: 'draft' }));
    await send('products/create', createBody(made), 0);
    const marks = async () =>
      (await productsOf(seller)).map(({ status, attributes }) => [status, attributes]);
    expect(await marks()).toMatchObject([['draft', { store_status: 'draft' }]]);
    await update(made, { status: 'active' }, 1);
    expect(await marks()).toEqual([['active', expect.not.objectContaining({ store_status: 'draft' })]]);
    await update(made, { status: 'archived' }, 2);
    expect(await marks()).toMatchObject([['inactive', { store_status: 'archived' }]]);
  });

  test('changes what the store changed; an edit here survives updates of other fields', async () => {
    const { seller, stock, send, update } = await shopOf(stores);
    let made = stock(mug());
    await send('products/create', createBody(made), 0);
    const [{ product_id = '' } = {}] = await productsOf(seller);
    await seller.call('PATCH', `/products/${product_id}`, { json: { title: 'My mug' } });
    for (let second = 1; second <= 10; second += 1) {
      made = { ...made, ...firstVariant(made, { price: `${second + 30}.50` }) };
      const decision = await update(made, firstVariant(made, { price: `${second + 30}.50` }), second);
      expect(decision).toMatchObject({ status: 'applied', changes: [{ field: 'price_minor' }] });
    }
    expect(await productsOf(seller)).toMatchObject([{ title: 'My mug', price_minor: 4050 }]);
  });
});
