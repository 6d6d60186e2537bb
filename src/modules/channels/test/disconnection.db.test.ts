/** The products of a store that is disconnected, and connected again. */
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { beginImport, followed, storeWith } from '../../../../test/support/store-imports.ts';
import {
  Browser,
  begin,
  connectStore,
  readChannel,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { barcode, createBody, linksOf, productsOf, shopOf } from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const query = (sql: string, values: unknown[]) =>
  runOn(stores.database.adminUrl, (client) => client.query(sql, values));

/** A store with two products on sale. */
async function selling() {
  const own = await shopOf(stores);
  const { seller, channel_id, shop } = own;
  for (const sku of ['ONE', 'TWO']) {
    const made = own.stock({ title: sku, variants: [{ sku, barcode: barcode() }] });
    await own.send('products/create', createBody(made), 0);
  }
  const disconnect = async (products: 'keep' | 'deactivate') => {
    await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: { products } });
    await eventually(
      () => readChannel(seller, channel_id),
      ({ removal }) => removal?.status === 'done',
    );
  };
  const statuses = async () => (await productsOf(seller)).map(({ status }) => status);
  const until = (status: string) => eventually(statuses, (all) => all.every((one) => one === status));
  return { ...own, shop, disconnect, statuses, until };
}

/** The job that takes products off sale waits, as if another worker had it. */
const holdJob = ({ channel_id, seller }: Awaited<ReturnType<typeof selling>>) =>
  query(
    `insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at, lease_until, lease_owner)
     values ('job_' || right($1, 26), 'channels.deactivate', $2, json_build_object('channel_id', $1::text), $1,
             now(), now(), 'infinity', 'another')`,
    [channel_id, seller.seller_id],
  );
const releaseJob = async ({ channel_id }: Awaited<ReturnType<typeof selling>>) => {
  const job = [channel_id];
  await query(
    "update job set lease_until = now() - interval '1 s' where unique_key = $1 and kind = 'channels.deactivate'",
    job,
  );
  await eventually(
    () => query("select from job where unique_key = $1 and kind = 'channels.deactivate'", job),
    ({ rowCount }) => rowCount === 0,
  );
};

test('the links of an ended channel are frozen until its store is connected again', async () => {
  const own = await selling();
  const { seller, channel_id } = own;
  await own.disconnect('keep');
  const [link] = await linksOf(seller, channel_id);
  const path = `/channels/links/${link?.link_id}`;
  const ended = { status: 409, body: { code: 'channel_ended', status_reason: 'disconnected' } };
  expect(await seller.call('PATCH', path, { json: { state: 'ignored' } })).toMatchObject(ended);
  expect(await seller.call('POST', `${path}/stock-sync`, { json: {} })).toMatchObject(ended);
  await connectStore(stores, seller, { shop: own.domain });
  expect((await seller.call('PATCH', path, { json: { state: 'ignored' } })).status).toBe(200);
});

test('products are taken off sale also while the next authorisation is open', async () => {
  const own = await selling();
  await holdJob(own);
  await own.disconnect('deactivate');
  expect((await begin(own.seller, own.domain)).status).toBe(201);
  await releaseJob(own);
  expect(await own.statuses()).toEqual(['inactive', 'inactive']);
});

test('a new connection ends that, also for a later disconnection that keeps the products', async () => {
  const own = await selling();
  await holdJob(own);
  await own.disconnect('deactivate');
  const { body } = await begin(own.seller, own.domain);
  expect((await new Browser(stores).install(body.start_url)).status).toBe(200);
  await own.disconnect('keep');
  await releaseJob(own);
  expect(await own.statuses()).toEqual(['active', 'active']);
});

test('a new connection puts the products on sale again, except those that the seller had taken off', async () => {
  const own = await selling();
  const { seller, channel_id } = own;
  const [one, two] = await productsOf(seller);
  await seller.call('PATCH', `/products/${one?.product_id}`, { json: { status: 'inactive' } });
  await own.disconnect('deactivate');
  await own.until('inactive');
  await connectStore(stores, seller, { shop: own.domain });
  expect(await own.statuses()).toEqual(['inactive', 'inactive']);
  // Lets the whole store be compared.
  for (const inbound of ['paused', 'active'])
    await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound } });
  const woken = await eventually(
    () => productsOf(seller),
    (all) => all.some(({ status }) => status === 'active'),
  );
  expect(woken.map(({ product_id, status }) => [product_id, status])).toEqual([
    [one?.product_id, 'inactive'],
    [two?.product_id, 'active'],
  ]);
  expect((await linksOf(seller, channel_id)).map(({ state }) => state)).toEqual(['linked', 'linked']);
});

test('the products of an import that is applied meanwhile are taken off sale, too', async () => {
  const seller = await stores.seller();
  const { channel_id } = await storeWith(
    stores,
    seller,
    ['ONE', 'TWO'].map((sku) => ({ title: sku, variants: [{ sku, barcode: barcode() }] })),
  );
  const waiting = (due: string, runId: string) =>
    query(`update job set due_at = ${due} where kind = 'feed.finish' and payload ->> 'run_id' = $1`, [runId]);
  await query(
    `create function hold_runs() returns trigger language plpgsql as
       $$ begin new.due_at = 'infinity'; return new; end $$`,
    [],
  );
  await query(
    `create trigger hold_runs before insert on job for each row
       when (new.kind = 'feed.finish') execute function hold_runs()`,
    [],
  );
  const { body: run } = await beginImport(seller, channel_id, false);
  await eventually(
    () => waiting('due_at', run.run_id),
    ({ rowCount }) => rowCount === 1,
  );
  await query('drop function hold_runs() cascade', []);
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: { products: 'deactivate' } });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ removal }) => removal?.status === 'done',
  );
  await waiting('now()', run.run_id);
  await followed(stores, run.run_id);
  const products = await eventually(
    () => productsOf(seller),
    (all) => all.every(({ status }) => status === 'inactive'),
  );
  expect(products).toHaveLength(2);
});

test('a product that cannot be taken off sale keeps no other one on sale', async () => {
  const own = await selling();
  const [held, other] = (await linksOf(own.seller, own.channel_id)).map(({ product_id }) =>
    String(product_id),
  );
  await query(
    `create function refuse_one() returns trigger language plpgsql as
       $$ begin if new.product_id = '${held}' then raise 'refused'; end if; return new; end $$`,
    [],
  );
  await query(
    'create trigger refuse_one before update on product for each row execute function refuse_one()',
    [],
  );
  await own.disconnect('deactivate');
  const statusOf = async (id: string | undefined) =>
    (await productsOf(own.seller)).find(({ product_id }) => product_id === id)?.status;
  await eventually(
    () => statusOf(other),
    (status) => status === 'inactive',
  );
  expect(await statusOf(held)).toBe('active');
  await query('drop function refuse_one() cascade', []);
  await eventually(
    async () => {
      await query("update job set due_at = now() where unique_key = $1 and kind = 'channels.deactivate'", [
        own.channel_id,
      ]);
      return own.statuses();
    },
    (all) => all.every((status) => status === 'inactive'),
  );
});
