import { expect, test } from 'vitest';
import { connectStore, startStores } from '../../../../test/support/store-platform.ts';
import { acting } from '../../../platform/acting.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import { levels } from './levels.ts';
import { type LinkRow, links } from './links.ts';

const stores = await startStores();
const AT = '2026-07-01T00:00:00.000Z';

test('a variant, an item and a product have one link for each store, and other sellers do not see it', async () => {
  const { services } = stores.app;
  const seller = await stores.seller();
  const { channel_id } = await connectStore(stores, seller);
  const linkOf = (number: number, more: Partial<LinkRow> = {}): LinkRow => ({
    ...{ link_id: services.ids.next('lnk_'), channel_id, external_product_id: '1' },
    ...{ external_variant_id: `10${number}`, inventory_item_id: `20${number}`, external_sku: null },
    ...{ title: 'Mug', product_id: null, state: 'unlinked', linked_by: null, base: { title: 'Mug' } },
    ...{ base_level: null, shortfall: 0n, external_updated_at: AT, content_sha256: '' },
    ...firstVersion(AT),
    ...more,
  });
  const level = {
    channel_id,
    inventory_item_id: '201',
    location_id: '5',
    available: null,
    active: true,
    delivery_id: null,
  };
  await services.withSeller(seller.seller_id, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id: seller.seller_id });
    const insert = (row: LinkRow) => links.insert(ctx, row);
    const first = linkOf(1, { product_id: 'prd_1', state: 'linked', linked_by: 'identity' });
    expect(await insert(first)).toBe(true);
    expect(await insert(linkOf(1, { inventory_item_id: '202' }))).toBe(false);
    expect(await insert(linkOf(2, { inventory_item_id: '201' }))).toBe(false);
    expect(await insert(linkOf(2, { product_id: 'prd_1', state: 'gone' }))).toBe(false);
    expect([await insert(linkOf(2)), await insert(linkOf(3, { inventory_item_id: null }))]).toEqual([
      true,
      true,
    ]);
    expect(await links.find(ctx, first)).toEqual(first);
    await levels.upsertMany(ctx, [{ ...level, updated_at: AT }]);
    expect(await levels.find(ctx, level)).toEqual({ ...level, updated_at: AT });
  });
  const other = await stores.seller();
  await services.withSeller(other.seller_id, 'read', async (db) => {
    expect(await links.page({ db, seller_id: seller.seller_id }, { order: ['link_id'], limit: 5 })).toEqual(
      [],
    );
  });
});
