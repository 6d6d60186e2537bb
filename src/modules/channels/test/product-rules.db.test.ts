/** What the marketplace's rules say about products of stores: its review, its terms; and items that are linked late. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  createBody,
  issuesOf,
  linksOf,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();
const mug = () => ({ title: 'Mug', variants: [{ sku: 'MUG', barcode: barcode(), price: '20.00' }] });

test('an approval is about the version that the marketplace has seen', async () => {
  const { seller, stock, send, update } = await shopOf(stores);
  const made = stock(mug());
  await send('products/create', createBody(made), 0);
  const [{ product_id = '', version = 0 } = {}] = await productsOf(seller);
  await update(made, { title: 'Not seen' }, 1);
  const [result] = await stores.events({
    ...{ specversion: '1.0', id: randomUUID(), source: '/test', subject: product_id },
    ...{ type: 'marketplace.product.curation_decided', sellerid: seller.seller_id },
    time: new Date(stores.app.services.now()).toISOString(),
    data: { decision: 'approved', reasons: [], reviewed_version: version },
  });
  expect(result).toMatchObject({ status: 'applied' });
  expect(await productsOf(seller)).toMatchObject([
    { title: 'Not seen', curation: { state: 'pending' }, live: { title: 'Mug' } },
  ]);
});

test('overdue terms stop new products and sales, with an issue; the rest of the content is taken', async () => {
  const { seller, stock, send, update } = await shopOf(stores);
  const known = stock({ ...mug(), status: 'draft' });
  await send('products/create', createBody(known), 0);
  await runOn(stores.database.adminUrl, (client) =>
    client.query(
      "update seller set agreement_version = '9', agreement_due_at = '2020-01-01' where seller_id = $1",
      [seller.seller_id],
    ),
  );
  const added = stock({ title: 'New', variants: [{ sku: 'NEW', barcode: barcode() }] });
  expect(await send('products/create', createBody(added), 1)).toMatchObject({ status: 'needs_action' });
  expect(await update(known, { status: 'active', title: 'Better mug' }, 2)).toMatchObject({
    status: 'needs_action',
    changes: [{ field: 'title' }],
  });
  const [product, ...more] = await productsOf(seller);
  expect([product?.title, product?.status === 'active', more]).toEqual(['Better mug', false, []]);
  const issues = await issuesOf(seller);
  expect(issues.map(({ kind, facts }) => [kind, facts['code']])).toEqual(
    Array(2).fill(['not_applied', 'agreement_required']),
  );
  await runOn(stores.database.adminUrl, (client) =>
    client.query('update seller set agreement_due_at = null where seller_id = $1', [seller.seller_id]),
  );
  for (const { issue_id } of issues)
    await seller.call('POST', `/channels/issues/${issue_id}/resolve`, { json: { action: 'retry' } });
  await eventually(
    () => productsOf(seller),
    (all) => all.length === 2 && all.every(({ status }) => status === 'active'),
  );
  expect(await issuesOf(seller)).toEqual([]);
});

test('without `create_products` a variant stays unlinked, and gets its levels when it is linked', async () => {
  const { seller, shop, stock, send, channel_id } = await shopOf(stores);
  await seller.call('PATCH', `/channels/${channel_id}`, { json: { create_products: false } });
  const location = shop.addLocation('Sydney');
  const made = stock(mug());
  expect(await send('products/create', createBody(made), 0)).toMatchObject({
    ...{ status: 'no_effect', reason: 'variants_unlinked' },
  });
  const [variant] = made.variants;
  await shop.deliveries.idle();
  shop.setLevel(variant?.inventory_item_id ?? 0n, location.id, 7);
  const [issue] = await eventually(
    () => issuesOf(seller, 'kind=unknown_inventory_item'),
    ({ length }) => length === 1,
  );
  const { product_id } = await create(seller, { seller_sku: 'HERE' });
  const resolved = await seller.call('POST', `/channels/issues/${issue?.issue_id}/resolve`, {
    json: { action: 'link', product_id },
  });
  expect(resolved.body).toMatchObject({ state: 'resolved', product_id });
  await eventually(
    async () => (await productsOf(seller))[0]?.['quantity_on_hand'],
    (units) => units === 7,
  );
  expect(await linksOf(seller, channel_id)).toMatchObject([
    { product_id, state: 'linked', linked_by: 'member' },
  ]);
});
