/** What a packer needs on an order: the goods, the address, and whether the money has arrived. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { apply, orderEvent, placeOrder, post, readOrder } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();

test('a line has GTIN, weight and picture of the product, as they were when the order was placed', async () => {
  const seller = await app.seller();
  const goods = {
    identity: { strategy: 'global_id', value: '9312345678907' },
    attributes: { weight_g: '380' },
    images: [{ url: 'https://cdn.example.com/a.jpg' }, { url: 'https://cdn.example.com/b.jpg' }],
  };
  const { product_id } = await create(seller, { seller_sku: 'GOODS', quantity_on_hand: 5, ...goods });
  const id = await placeOrder(app, seller, [{ sku: 'GOODS' }, { title: 'Unknown goods' }]);
  const change = { attributes: { weight_g: '900' }, images: [] };
  expect((await seller.call('PATCH', `/products/${product_id}`, { json: change })).status).toBe(200);
  const none = { gtin: null, weight_g: null, image_url: null };
  expect((await readOrder(seller, id)).lines).toMatchObject([
    { gtin: '09312345678907', weight_g: 380, image_url: 'https://cdn.example.com/a.jpg' },
    none,
  ]);
});

test('a weight that is no whole number of grams is not known', async () => {
  const seller = await app.seller();
  await create(seller, { seller_sku: 'ODD', quantity_on_hand: 5, attributes: { weight_g: '1.5 kg' } });
  const id = await placeOrder(app, seller, [{ sku: 'ODD' }]);
  expect((await readOrder(seller, id)).lines).toMatchObject([{ weight_g: null }]);
});

test('ship_to has its documented parts; one of another type is left out, other keys are passed on', async () => {
  const seller = await app.seller();
  await create(seller, { seller_sku: 'A', quantity_on_hand: 5 });
  const ship_to = {
    ...{ name: 'Mia Chen', company: 'Harbour Clay', line1: '1 George Street', line2: 'Unit 2' },
    ...{ city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
    ...{ phone: '+61 2 5550 0000', email: 'mia@example.com', delivery_note: 'Ring twice' },
    ...{ authority_to_leave: true, locker: { code: 7 } },
  };
  const id = await placeOrder(app, seller, [{ sku: 'A' }], { ship_to });
  expect((await readOrder(seller, id)).ship_to).toEqual(ship_to);
  const odd = { name: 'Mia', postcode: 2000, phone: null, authority_to_leave: 'yes' };
  const other = await placeOrder(app, seller, [{ sku: 'A' }], { ship_to: odd });
  expect((await readOrder(seller, other)).ship_to).toEqual({ name: 'Mia' });
});

test('an accepted order without its payment needs attention, and the list finds it', async () => {
  const seller = await app.seller();
  await create(seller, { seller_sku: 'A', quantity_on_hand: 5 });
  const [unpaid, paid, waiting] = [
    await placeOrder(app, seller, [{ sku: 'A' }]),
    await placeOrder(app, seller, [{ sku: 'A' }]),
    await placeOrder(app, seller, [{ sku: 'A' }]),
  ];
  for (const id of [unpaid, paid]) await post(seller, `${id}/accept`);
  const facts = { charge_id: `ch_${paid}`, captured_minor: 2_000, provider_fee_minor: 50 };
  await apply(app, orderEvent(app, seller, 'order.payment_captured', paid, facts));
  const attentionOf = async (id: string) => (await readOrder(seller, id)).attention;
  expect(await Promise.all([unpaid, paid, waiting].map(attentionOf))).toEqual([['payment_pending'], [], []]);
  const found = await seller.call<{ data: { order_id: string }[] }>(
    'GET',
    '/orders?attention=payment_pending',
  );
  expect(found.body.data.map(({ order_id }) => order_id)).toEqual([unpaid]);
});
