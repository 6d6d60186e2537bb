import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, eventually, goodsFile } from '../../../../test/support/feeds.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();

interface NotificationView {
  readonly notification_id: string;
  readonly sequence: number;
  readonly type: string;
  readonly object_id: string;
  readonly title: string;
  readonly times: number;
  readonly acknowledged_at: string | null;
}
interface List {
  readonly data: readonly NotificationView[];
  readonly page: { readonly next_cursor: string | null };
  readonly unread_count: number;
  readonly last_sequence: number;
}

const list = async (seller: TestSeller, query = ''): Promise<List> =>
  (await seller.call<List>('GET', `/notifications${query}`)).body;
const unread = (seller: TestSeller, count: number): Promise<List> =>
  eventually(
    () => list(seller),
    ({ unread_count }) => unread_count === count,
  );
/** A product whose stock has just run out. */
async function sellOut(seller: TestSeller, sku: string): Promise<string> {
  const { product_id: id } = await create(seller, {
    seller_sku: sku,
    title: 'Blue mug',
    quantity_on_hand: 2,
  });
  await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand: 0 } });
  return id;
}

test('an event whose declaration says so becomes a notification, and others do not', async () => {
  const seller = await app.seller();
  const id = await sellOut(seller, 'MUG-1');
  const { data } = await unread(seller, 1);
  expect(data).toMatchObject([
    {
      type: 'inventory.out_of_stock',
      severity: 'warning',
      title: 'Blue mug (MUG-1) is sold out',
      object_id: id,
      times: 1,
      acknowledged_at: null,
    },
  ]);
});

test('an open notification is updated instead of repeated', async () => {
  const seller = await app.seller();
  const id = await sellOut(seller, 'MUG-1');
  const [first] = (await unread(seller, 1)).data;
  for (const quantity_on_hand of [5, 0])
    await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand } });
  const { data } = await eventually(
    () => list(seller, `?after=${first?.sequence}`),
    (page) => page.data.length > 0,
  );
  expect(data).toMatchObject([{ notification_id: first?.notification_id, times: 2 }]);
});

test('notifications are acknowledged by id or up to a number; later ones are new', async () => {
  const seller = await app.seller();
  const id = await sellOut(seller, 'MUG-1');
  await sellOut(seller, 'MUG-2');
  const { data, last_sequence } = await unread(seller, 2);
  const ack = (json: object) => seller.call('POST', '/notifications/ack', { json });
  const one = data[0]?.notification_id;
  expect((await ack({ ids: [one] })).body).toEqual({ acknowledged: 1, unread_count: 1 });
  expect((await ack({ ids: [one] })).body).toEqual({ acknowledged: 0, unread_count: 1 });
  expect((await ack({ up_to: last_sequence })).body).toEqual({ acknowledged: 1, unread_count: 0 });
  for (const quantity_on_hand of [5, 0])
    await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand } });
  const again = await unread(seller, 1);
  expect(again.data).toHaveLength(3);
  expect((await list(seller, '?unread=true')).data).toMatchObject([{ times: 1, acknowledged_at: null }]);
  expect((await list(seller, '?unread=false')).data).toHaveLength(2);
});

/** Open notifications of a seller, as many as after a whole catalogue has run out. */
async function soldOut({ seller_id }: TestSeller, count: number): Promise<void> {
  await runOn(app.database.adminUrl, (client) =>
    client.query(
      'insert into notification (seller_id, notification_id, sequence, event_id, type, severity, title, object_id, occurred_at, expires_at) ' +
        "select $1::text, 'ntf_' || n, n, 'evt_' || n, 'inventory.out_of_stock', 'warning', 'Sold out', 'prd_' || n, $2::timestamptz, $2::timestamptz + '90 days' " +
        'from generate_series(1, $3::int) n',
      [seller_id, new Date(app.app.services.now()).toISOString(), count],
    ),
  );
}

test('a large acknowledgement locks few notifications at a time, so the numbering never waits for long', async () => {
  const seller = await app.seller();
  await soldOut(seller, 4_500);
  await runOn(app.database.adminUrl, async (client) => {
    // Another transaction locks the last one. Those before it are acknowledged and unlocked while the request waits.
    await client.query('begin');
    await client.query("select from notification where seller_id = $1 and object_id = 'prd_999' for update", [
      seller.seller_id,
    ]);
    const waiting = seller.call('POST', '/notifications/ack', { json: { up_to: 4_400 } });
    await eventually(
      () => list(seller),
      ({ unread_count }) => unread_count <= 1_500,
    );
    await client.query('commit');
    expect((await waiting).body).toEqual({ acknowledged: 4_400, unread_count: 100 });
  });
  expect((await list(seller, '?unread=true&limit=1')).data).toMatchObject([{ sequence: 4_500 }]);
});

test('a repeated acknowledgement with the same key is answered as the first', async () => {
  const seller = await app.seller();
  await soldOut(seller, 3);
  const ack = () =>
    seller.call('POST', '/notifications/ack', {
      json: { up_to: 2 },
      headers: { 'idempotency-key': 'ack-1' },
    });
  const [first, second] = [await ack(), await ack()];
  expect(first.body).toEqual({ acknowledged: 2, unread_count: 1 });
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test.each([{}, { ids: [], up_to: 1 }, { ids: ['x'] }, { up_to: -1 }, { ids: ['ntf_0'], up_to: 1 }])(
  'POST /ack refuses %j',
  async (json) => {
    const seller = await app.seller();
    expect((await seller.call('POST', '/notifications/ack', { json })).status).toBe(422);
  },
);

test('another seller neither sees nor acknowledges them', async () => {
  const [seller, stranger] = [await app.seller(), await app.seller()];
  await sellOut(seller, 'MUG-1');
  const { data, last_sequence } = await unread(seller, 1);
  expect(await list(stranger)).toMatchObject({ data: [], unread_count: 0, last_sequence: 0 });
  const ids = data.map(({ notification_id }) => notification_id);
  for (const json of [{ ids }, { up_to: last_sequence }])
    expect((await stranger.call('POST', '/notifications/ack', { json })).body).toMatchObject({
      acknowledged: 0,
    });
  expect((await list(seller)).unread_count).toBe(1);
});

test('a request that waits with after is answered by the next notification', async () => {
  const seller = await app.seller();
  const waiting = list(seller, '?after=0&wait=25');
  await sellOut(seller, 'MUG-1');
  expect((await waiting).data).toMatchObject([{ type: 'inventory.out_of_stock' }]);
  expect((await list(seller, '?after=1000&wait=1')).data).toEqual([]);
});

test('a request that waits for the newest is answered by the first notification', async () => {
  const seller = await app.seller();
  await sellOut(seller, 'MUG-1');
  const { last_sequence } = await unread(seller, 1);
  await seller.call('POST', '/notifications/ack', { json: { up_to: last_sequence } });
  const waiting = list(seller, '?unread=true&wait=25');
  await sellOut(seller, 'MUG-2');
  expect((await waiting).data).toMatchObject([{ title: 'Blue mug (MUG-2) is sold out' }]);
  expect((await list(seller, '?wait=25')).data).toHaveLength(2);
});

test('the newest come first, page by page', async () => {
  const seller = await app.seller();
  for (const number of [1, 2, 3]) await sellOut(seller, `MUG-${number}`);
  await unread(seller, 3);
  const first = await list(seller, '?limit=2');
  const second = await list(seller, `?limit=2&cursor=${first.page.next_cursor}`);
  const titles = [...first.data, ...second.data].map(({ title }) => title);
  expect(titles).toEqual([3, 2, 1].map((number) => `Blue mug (MUG-${number}) is sold out`));
});

test('muted types stay events and make no notification', async () => {
  const seller = await app.seller();
  const put = (muted: readonly string[]) =>
    seller.call('PUT', '/notifications/preferences', { json: { muted } });
  const { body } = await put(['inventory.out_of_stock']);
  expect(body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ type: 'inventory.out_of_stock', muted: true })]),
  });
  const id = await sellOut(seller, 'MUG-1');
  // The setting at the instant of the numbering counts.
  await eventually(
    () => list(seller),
    ({ last_sequence }) => last_sequence === 4,
  );
  await put([]);
  for (const quantity_on_hand of [5, 0])
    await seller.call('PATCH', `/products/${id}`, { json: { quantity_on_hand } });
  expect((await unread(seller, 1)).data).toMatchObject([{ times: 1 }]);
  expect((await put(['product.created'])).status).toBe(422);
});

test('a type that never becomes a notification is refused instead of giving an empty list', async () => {
  const seller = await app.seller();
  await sellOut(seller, 'MUG-1');
  await unread(seller, 1);
  expect((await list(seller, '?type=inventory.out_of_stock')).data).toHaveLength(1);
  expect((await list(seller, '?type=inventory.oversold')).data).toEqual([]);
  const refused = await seller.call('GET', '/notifications?type=product.created');
  expect([refused.status, refused.body]).toMatchObject([422, { detail: [{ loc: ['query', 'type'] }] }]);
});

test('a suspension and its end are notifications with the reason', async () => {
  const seller = await app.seller();
  const standing = (status: string, reason: string) =>
    app.events(orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, { status, reason }));
  await standing('suspended', 'identity_review');
  await standing('active', 'identity_confirmed');
  expect((await unread(seller, 2)).data).toMatchObject([
    { type: 'account.reinstated', severity: 'info', title: 'Your account is active again' },
    {
      type: 'account.suspended',
      severity: 'critical',
      title: 'Your account is suspended. Reason of the marketplace: identity review',
    },
  ]);
});

test('a change of what the account may do is a notification', async () => {
  const seller = await app.seller();
  await app.events(
    orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, {
      hold_days: 9,
      reason: 'new_seller',
    }),
  );
  expect((await unread(seller, 1)).data).toMatchObject([
    {
      ...{ type: 'account.health_changed', severity: 'info', object_id: seller.seller_id },
      title: expect.stringMatching(
        /^The marketplace has changed your account; its plan is (?:Free|Small|Big)$/,
      ),
    },
  ]);
});

const decided = (seller: TestSeller, productId: string, data: object) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/test',
  type: 'marketplace.product.curation_decided',
  subject: productId,
  sellerid: seller.seller_id,
  time: new Date(app.app.services.now()).toISOString(),
  data,
});

test('approvals of one feed run are one notification, in parts too; a rejection has its own', async () => {
  const seller = await app.seller();
  const form = new FormData();
  form.append('file', new Blob([goodsFile(4, 'RUN')], { type: 'text/csv' }), 'autumn range.csv');
  const { run_id } = await applied(seller, form, { type: null });
  const products = await seller.call<{ data: { product_id: string }[] }>('GET', '/products');
  const ids = products.body.data.map(({ product_id }) => product_id);
  const [rejected = '', ...approved] = ids;
  const file = await unread(seller, 1);
  expect(file.data[0]?.title).toBe('autumn range.csv: 4 rows, 0 rejected');
  await app.events(...approved.slice(0, 2).map((id) => decided(seller, id, { decision: 'approved' })));
  const approvals = async () =>
    (await list(seller, '?type=product.curation_changed')).data.filter(({ times }) => times > 0);
  const first = await eventually(approvals, (found) => found[0]?.times === 2);
  const title = 'Products of autumn range.csv that were approved: 2';
  expect(first).toMatchObject([{ object_id: run_id, title }]);
  const reasons = [{ code: 'image_quality', detail: 'Blurred' }];
  await app.events(
    ...approved.slice(2).map((id) => decided(seller, id, { decision: 'approved' })),
    decided(seller, rejected, { decision: 'rejected', reasons }),
  );
  const all = await eventually(approvals, (found) => found.reduce((sum, { times }) => sum + times, 0) === 4);
  expect(all.map(({ title }) => title).sort()).toEqual([
    expect.stringMatching(/^Goods RUN-\d \(RUN-\d\) was rejected by the marketplace$/),
    'Products of autumn range.csv that were approved: 3',
  ]);
});

test('a review that begins is no notification; its outcome is', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, { seller_sku: 'ONE', title: 'Blue mug', quantity_on_hand: 1 });
  await app.events(decided(seller, product_id, { decision: 'approved' }));
  await unread(seller, 1);
  const change = { json: { title: 'Red mug' } };
  expect((await seller.call('PATCH', `/products/${product_id}`, change)).status).toBe(200);
  const suspended = { decision: 'suspended', reasons: [{ code: 'safety', detail: 'It breaks' }] };
  await app.events(decided(seller, product_id, suspended));
  const found = await eventually(
    async () => (await list(seller, '?type=product.curation_changed')).data,
    ([first]) => first?.title.includes('suspended') === true,
  );
  expect(found.map(({ title, times }) => [title, times])).toEqual([
    [expect.stringMatching(/^(?:Blue|Red) mug \(ONE\) was suspended by the marketplace$/), 2],
  ]);
});

test('an approval of a product that no file wrote names the product', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller, { seller_sku: 'ONE', title: 'Blue mug', quantity_on_hand: 1 });
  await app.events(decided(seller, product_id, { decision: 'approved' }));
  expect((await unread(seller, 1)).data[0]).toMatchObject({
    object_id: product_id,
    title: 'Blue mug (ONE) was approved by the marketplace',
  });
});
