/** Each setting, the profile and the closing have an effect, and the marketplace gets an event for each change. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { marketplaceEvents, type OutboxEvent } from '../../../../test/support/outbox.ts';
import { create } from '../../../../test/support/products.ts';
import { startOfDay, sydneyDate } from '../../../kernel/australia/sydney.ts';

// 00:30 on 31 December in Sydney.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-12-30T13:30:00Z' });

const patch = async (seller: TestSeller, path: string, json: object) => {
  const answer = await seller.call<Record<string, unknown>>('PATCH', `/sellers/me${path}`, { json });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};

const heard = async (seller: TestSeller, types: string, count: number) =>
  eventually(
    async () =>
      (await seller.call<{ data: OutboxEvent[] }>('GET', `/webhooks/events?types=${types}`)).body.data,
    ({ length }) => length >= count,
  );

test('low_stock_alerts switches the notification; the event is always sent', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await patch(seller, '/settings', { low_stock_alerts: false });
  const runLow = async () => {
    const { product_id } = await create(seller, { quantity_on_hand: 9, reorder_point: 3 });
    await seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 2 } });
    return product_id;
  };
  const notified = async () =>
    (
      await seller.call<{ data: { type: string; object_id: string }[] }>('GET', '/notifications')
    ).body.data.filter(({ type }) => type === 'inventory.low_stock');
  await runLow();
  await heard(seller, 'inventory.low_stock', 1);
  await patch(seller, '/settings', { low_stock_alerts: true });
  const second = await runLow();
  await heard(seller, 'inventory.low_stock', 2);
  const rows = await eventually(notified, ({ length }) => length > 0);
  expect(rows).toMatchObject([{ type: 'inventory.low_stock', object_id: second }]);
});

test('default_reorder_point is the reorder point of products that are created without one', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const before = await create(seller, { seller_sku: 'BEFORE' });
  await patch(seller, '/settings', { default_reorder_point: 7 });
  const pointOf = async (sku: string) =>
    (await seller.call<{ data: { reorder_point: number }[] }>('GET', `/products?sku=${sku}`)).body.data[0]
      ?.reorder_point;
  expect((await create(seller, { seller_sku: 'DEFAULT' }))['reorder_point']).toBe(7);
  expect((await create(seller, { seller_sku: 'OWN', reorder_point: 2 }))['reorder_point']).toBe(2);
  expect((await create(seller, { seller_sku: 'NONE', reorder_point: null }))['reorder_point']).toBeNull();
  const feed = await seller.call<{ counts: Record<string, number> }>('POST', '/products/feed-runs', {
    body: Buffer.from(
      'seller_sku,title,price,exempt_reason,reorder_point\nFED-1,Mug,5.00,handmade,\nFED-2,Mug,5.00,handmade,4\n',
    ),
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'points' },
  });
  expect(feed.body.counts).toMatchObject({ created: 2 });
  const bare = await seller.call<{ counts: Record<string, number> }>('POST', '/products/feed-runs', {
    body: Buffer.from(
      'seller_sku,title,price,exempt_reason\nFED-3,Mug,5.00,handmade\nBEFORE,Mug,6.00,handmade\n',
    ),
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'bare' },
  });
  expect(bare.body.counts).toMatchObject({ created: 1, updated: 1 });
  const skus = ['BEFORE', 'FED-1', 'FED-2', 'FED-3'];
  expect(await Promise.all(skus.map(pointOf))).toEqual([null, null, 4, 7]);
  expect(before['reorder_point']).toBeNull();
  const file = await seller.call('GET', '/products/export');
  const again = await seller.call<{ counts: Record<string, number> }>('POST', '/products/feed-runs', {
    body: Buffer.from(file.text),
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'again' },
  });
  expect(again.body.counts).toMatchObject({ rows: 7, unchanged: 7 });
});

test('default_lead_time_days is part of the reorder suggestions, which name it as missing without a value', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller({ plan: 'Small' })];
  await patch(other, '/settings', { default_lead_time_days: 99 });
  await create(seller, { quantity_on_hand: 1, reorder_point: 3 });
  const read = async () => {
    const { body } = await seller.call<{ data: object[]; missing_components: string[] }>(
      'GET',
      '/products/reorder-suggestions',
    );
    return body;
  };
  expect(await read()).toMatchObject({
    data: [{ suggested_quantity: 5, lead_time_days: null }],
    missing_components: ['sales_history', 'lead_time'],
  });
  await patch(seller, '/settings', { default_lead_time_days: 0 });
  expect(await read()).toMatchObject({
    data: [{ suggested_quantity: 5, lead_time_days: 0 }],
    missing_components: ['sales_history'],
  });
});

test('changes of profile, settings and closing send events to the marketplace and to the seller', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const profile = await patch(seller, '', { trading_name: 'Blue Mug' });
  const settings = await patch(seller, '/settings', { return_policy: 'Unused within 30 days.' });
  const closing = { closed_from: '2027-01-02', closed_to: '2027-01-05', mode: 'extend' };
  const holiday = await patch(seller, '/holiday', closing);
  await patch(seller, '/holiday', closing);
  await patch(seller, '', {});
  await patch(seller, '/business', { legal_name: 'Blue Mug Pty Ltd' });
  const events = await marketplaceEvents(app, seller, 'seller.', 4);
  expect(events.map(({ type }) => type)).toEqual([
    'seller.registered',
    'seller.profile_changed',
    'seller.settings_changed',
    'seller.holiday_changed',
  ]);
  const [, first, second, third] = events;
  expect(first?.data).toEqual({ object: profile, previous: { trading_name: null } });
  expect(second?.data).toEqual({ object: settings, previous: { return_policy: null } });
  expect(third?.data).toEqual({
    object: holiday,
    previous: { closed_from: null, closed_to: null, mode: 'hide' },
  });
  const versions = [first, second, third].map((event) => event?.object_version ?? 0);
  expect(versions).toEqual([versions[0], (versions[0] ?? 0) + 1, (versions[0] ?? 0) + 2]);
  expect((await heard(seller, 'seller.*', 3)).map(({ type }) => type)).toEqual([
    'seller.profile_changed',
    'seller.settings_changed',
    'seller.holiday_changed',
  ]);
  expect(await marketplaceEvents(app, other, 'seller.', 1)).toHaveLength(1);
});

test('each parallel change makes its event, and the last event shows the stored state', async () => {
  const seller = await app.seller();
  const changes = Array.from({ length: 24 }, (_, index) => {
    const path = ['', '/settings', '/holiday'][index % 3] ?? '';
    const bodies = [
      { trading_name: `N${index}` },
      { default_reorder_point: index },
      { message: `M${index}` },
    ];
    return patch(seller, path, bodies[index % 3] ?? {});
  });
  await Promise.all(changes);
  const events = (await marketplaceEvents(app, seller, 'seller.', 25)).slice(1);
  const versions = events.map(({ object_version }) => object_version);
  expect(versions).toEqual(Array.from({ length: 24 }, (_, index) => (versions[0] ?? 0) + index));
  for (const section of ['settings', 'holiday']) {
    const last = events.filter(({ type }) => type === `seller.${section}_changed`).at(-1);
    const { body } = await seller.call('GET', `/sellers/me/${section}`);
    expect(last?.data.object).toEqual(body);
  }
});

interface Shown {
  readonly visible: boolean;
  readonly hidden_reasons: readonly string[];
}

test('a closing that hides makes every product invisible from its first to its last day', async () => {
  let seller = await app.seller({ plan: 'Small' });
  const other = await app.seller({ plan: 'Small' });
  const approve = (owner: TestSeller, id: string) =>
    app.events({
      specversion: '1.0',
      id: `approve-${id}`,
      source: '/test',
      type: 'marketplace.product.curation_decided',
      subject: id,
      sellerid: owner.seller_id,
      time: new Date(app.app.services.now()).toISOString(),
      data: { decision: 'approved' },
    });
  const [{ product_id: id }, { product_id: foreign }] = [
    await create(seller, { seller_sku: 'OPEN' }),
    await create(other),
  ];
  const read = async (): Promise<[boolean, readonly string[]]> => {
    const { body } = await seller.call<Shown>('GET', `/products/${id}`);
    const list = await seller.call<{ data: Shown[] }>('GET', '/products');
    expect(list.body.data[0]).toEqual(body);
    return [body.visible, body.hidden_reasons];
  };
  expect(await read()).toEqual([false, ['not_approved']]);
  await approve(seller, id);
  await approve(other, foreign);
  expect(await read()).toEqual([true, []]);
  const tag = (await seller.call('GET', `/products/${id}`)).headers.get('etag') ?? '';
  await patch(seller, '/holiday', { closed_from: '2026-12-31', closed_to: '2027-01-01' });
  expect(await read()).toEqual([false, ['seller_closed']]);
  const cached = await seller.call('GET', `/products/${id}`, { headers: { 'if-none-match': tag } });
  expect(cached.status).toBe(200);
  // The product has not changed, so the tag that was read before still names its version.
  const changed = await seller.call<Shown>('PATCH', `/products/${id}`, {
    json: { price_minor: 1_999 },
    headers: { 'if-match': tag },
  });
  expect([changed.status, changed.body.hidden_reasons]).toEqual([200, ['seller_closed']]);
  const bulk = await seller.call<{ results: { product: Shown }[] }>('POST', '/products/bulk', {
    json: { items: [{ operation: 'update', seller_sku: 'OPEN', product: { price_minor: 2_099 } }] },
  });
  expect(bulk.body.results[0]?.product.hidden_reasons).toEqual(['seller_closed']);
  await seller.call('POST', '/products/feed-runs', {
    body: Buffer.from('seller_sku,price\nOPEN,22.00\n'),
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'closed' },
  });
  const updates = await heard(seller, 'product.updated', 3);
  expect(updates.map(({ data }) => data.object['hidden_reasons'])).toEqual(
    Array.from({ length: 3 }, () => ['seller_closed']),
  );
  expect((await other.call<Shown>('GET', `/products/${foreign}`)).body.visible).toBe(true);
  const move = async (now: string) => {
    await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
    seller = await seller.renew();
  };
  await move('2027-01-01T12:59:59Z');
  expect(await read()).toEqual([false, ['seller_closed']]);
  await move('2027-01-01T13:00:01Z');
  expect(await read()).toEqual([true, []]);
  // In the other mode the products stay visible.
  await patch(seller, '/holiday', { closed_from: '2027-01-01', closed_to: '2027-01-09', mode: 'extend' });
  expect(await read()).toEqual([true, []]);
  await patch(seller, '/holiday', { mode: 'hide', closed_to: null });
  expect(await read()).toEqual([false, ['seller_closed']]);
  await patch(seller, '/holiday', { closed_from: null });
  expect(await read()).toEqual([true, []]);
});

test('If-Match compares the section alone: neither a new day nor a change of another section refuses a change', async () => {
  let seller = await app.seller();
  const { next } = startOfDay(app.app.services.now());
  await patch(seller, '/holiday', { closed_from: sydneyDate(next), closed_to: sydneyDate(next) });
  const tagOf = async (path: string) =>
    (await seller.call('GET', `/sellers/me${path}`)).headers.get('etag') ?? '';
  const [holiday, profile] = [await tagOf('/holiday'), await tagOf('')];
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: new Date(next).toISOString() } });
  seller = await seller.renew();
  await patch(seller, '/settings', { default_reorder_point: 1 });
  const read = await seller.call<{ closed_now: boolean }>('GET', '/sellers/me/holiday', {
    headers: { 'if-none-match': holiday },
  });
  expect([read.status, read.body.closed_now]).toEqual([200, true]);
  const change = async (path: string, tag: string, json: object) =>
    (await seller.call('PATCH', `/sellers/me${path}`, { json, headers: { 'if-match': tag } })).status;
  expect(await change('/holiday', holiday, { message: 'Back soon' })).toBe(200);
  expect(await change('/holiday', holiday, { message: 'Later' })).toBe(412);
  expect(await change('', profile, { trading_name: 'Blue Mug' })).toBe(200);
  expect(await change('', profile, { trading_name: 'Red Mug' })).toBe(412);
});
