/** Where each product stands on the marketplace and on connected stores. */
import { expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { create } from '../../../../test/support/products.ts';
import { startStores } from '../../../../test/support/store-platform.ts';
import {
  barcode,
  createBody,
  firstVariant,
  issuesOf,
  productsOf,
  shopOf,
} from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { DONE } from '../../../kernel/waiting.ts';
import { LISTING_STATES } from '../domain/listing-state.ts';
import { listedProducts } from '../store/listings.ts';

const stores = await startStores();

interface Listings {
  readonly product_id: string;
  readonly title: string;
  readonly listings: readonly {
    channel_id: string;
    state: string;
    fields: string[];
    waiting_on: string;
    action: { href: string | null } | null;
  }[];
}
const listingsOf = async ({ call }: TestSeller, query = '') =>
  (await call<{ data: Listings[] }>('GET', `/channels/listings?limit=50&${query}`)).body.data;
const statesOf = async (seller: TestSeller, query = '') =>
  (await listingsOf(seller, query)).map(({ title, listings }) => [
    title,
    ...listings.map(({ state }) => state),
  ]);

test('a product has a state for each channel, and every state can be asked for', async () => {
  const { seller, stock, send, update, remove, channel_id } = await shopOf(stores);
  const add = async (title: string) => {
    const made = stock({ title, variants: [{ sku: title, barcode: barcode(), price: '5.00' }] });
    await send('products/create', createBody(made), 0);
    return made;
  };
  await add('Same');
  const conflict = await add('Conflict');
  const gone = await add('Gone');
  const edited = await add('Edited');
  await create(seller, { title: 'Only here' });
  const idOf = async (title: string) =>
    (await productsOf(seller)).find((one) => one.title === title)?.product_id ?? '';
  await seller.call('PATCH', `/products/${await idOf('Conflict')}`, { json: { price_minor: 600 } });
  await update(conflict, firstVariant(conflict, { price: '7.00' }), 1);
  await remove(gone, 2);
  await seller.call('PATCH', `/products/${await idOf('Edited')}`, { json: { title: 'Mine' } });
  expect(await statesOf(seller)).toEqual([
    ['Only here', 'in_review', 'not_listed'],
    ['Mine', 'in_review', 'differs'],
    ['Gone', 'inactive', 'gone'],
    ['Conflict', 'in_review', 'conflict'],
    ['Same', 'in_review', 'in_step'],
  ]);
  const [, mine] = await listingsOf(seller, `channel_id=${channel_id}`);
  expect(mine?.listings).toEqual([{ channel_id, state: 'differs', fields: ['title'], ...DONE }]);
  const counted = () =>
    seller.call<{
      data: { channel_id: string; listings: object | null; listings_counted_at: string | null }[];
    }>('GET', '/channels');
  const { body: channels } = await eventually(
    counted,
    ({ body }) => body.data[0]?.listings_counted_at !== null,
  );
  expect(channels.data.map(({ channel_id: id, listings }) => [id, listings])).toEqual([
    ['marketplace', { in_review: 4, inactive: 1 }],
    [channel_id, { not_listed: 1, differs: 1, gone: 1, conflict: 1, in_step: 1 }],
  ]);
  // The filter and the shown state agree for every state.
  const all = await listingsOf(seller);
  const waits = all.flatMap(({ listings }) => listings.map((one) => [one.state, one.waiting_on]));
  expect(Object.fromEntries(waits)).toEqual({
    ...{ in_review: 'marketplace', conflict: 'seller', inactive: 'nobody', not_listed: 'nobody' },
    ...{ differs: 'nobody', gone: 'nobody', in_step: 'nobody' },
  });
  const { action } = all.flatMap(({ listings }) => listings).find((one) => one.state === 'conflict') ?? {};
  const [issue] = await issuesOf(seller);
  expect(action?.href).toBe(`/api/v1/channels/issues/${issue?.issue_id}`);
  for (const state of LISTING_STATES)
    expect([state, (await listingsOf(seller, `state=${state}`)).map(({ product_id }) => product_id)]).toEqual(
      [
        state,
        all
          .filter(({ listings }) => listings.some((one) => one.state === state))
          .map(({ product_id }) => product_id),
      ],
    );
  const { body } = await seller.call<{ data: { external: { title: string } }[] }>(
    'GET',
    `/channels/${channel_id}/links?differs=true`,
  );
  expect(body.data.map(({ external }) => external.title).sort()).toEqual(['Conflict', 'Edited']);
  await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound: 'paused' } });
  expect((await listingsOf(seller, 'state=paused')).length).toBe(3);
  await eventually(counted, ({ body }) => JSON.stringify(body.data[1]?.listings).includes('"paused":3'));
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: { products: 'deactivate' } });
  await eventually(
    () => productsOf(seller),
    (products) => products.filter(({ status }) => status === 'active').length === 1,
  );
  expect(await statesOf(seller, 'state=disconnected')).toHaveLength(4);
  const [ended] = await listingsOf(seller, `state=disconnected&channel_id=${channel_id}`);
  expect(ended?.listings).toMatchObject([{ waiting_on: 'seller', action: { href: '/api/v1/channels' } }]);
  await create(seller, { title: 'Draft', status: 'draft' });
  expect((await listingsOf(seller, 'state=draft'))[0]?.listings[0]).toMatchObject({ waiting_on: 'seller' });
  const stranger = await stores.seller();
  expect(await listingsOf(stranger)).toEqual([]);
  expect(edited.title).toBe('Edited');
});

test('the list of channels only reads: it waits for no writer', async () => {
  const { seller, channel_id } = await shopOf(stores);
  const list = () =>
    seller.call<{ data: { channel_id: string; listings_counted_at: string | null }[] }>('GET', '/channels');
  await runOn(stores.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('lock table job in share mode');
    for (let asked = 0; asked < 30; asked += 1) {
      const { status, body } = await list();
      expect([status, body.data.map((one) => one.channel_id)]).toEqual([200, ['marketplace', channel_id]]);
    }
    await client.query('rollback');
  });
  await eventually(list, ({ body }) => body.data[0]?.listings_counted_at !== null);
});

test('a page reads its products by their index, however many there are', async () => {
  const { seller } = await shopOf(stores);
  const { text, values } = listedProducts(seller.seller_id, {}, 'prd_z', 50);
  const plan = await runOn(stores.database.adminUrl, async (client) => {
    await client.query('set enable_seqscan = off');
    await client.query('set enable_sort = off');
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(`explain ${text}`, [...values]);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toMatch(/Index (?:Only )?Scan Backward using product_pkey/);
  expect(plan).not.toMatch(/Sort/);
});
