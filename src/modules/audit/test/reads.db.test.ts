import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner, entriesOf, logOf } from '../../../../test/support/audit.ts';
import { eventually, feed } from '../../../../test/support/feeds.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { create, mug } from '../../../../test/support/products.ts';
import { joinTeam } from '../../../../test/support/team.ts';

const app = await startTestApp();

interface Shown {
  readonly audit_id: string;
  readonly at: string;
  readonly action: string;
  readonly actor_id: string | null;
  readonly actor_email: string | null;
  readonly target_id: string | null;
  readonly result: string;
  readonly code: string | null;
  readonly seq: number | null;
  readonly [field: string]: unknown;
}
interface Listed {
  readonly data: readonly Shown[];
  readonly page: { readonly next_cursor: string | null };
}
const entries = async ({ call }: Pick<TestSeller, 'call'>, query = ''): Promise<readonly Shown[]> => {
  const { status, body, text } = await call<Listed>('GET', `/audit/entries${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};
const standing = (seller: TestSeller, data: object) =>
  app.events(orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));

test('an entry says who did what to which fields of which object, newest first', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const changed = await seller.call('PATCH', `/products/${product_id}`, {
    json: { price_minor: 1234, description: 'Glazed twice' },
    headers: { 'x-request-id': 'my-own-1', 'user-agent': 'Mozilla/5.0 (X11) Gecko/20100101 Firefox/140.0' },
  });
  expect(changed.status).toBe(200);
  const [newest, before, ...older] = await entries(seller);
  expect(newest).toMatchObject({
    actor_kind: 'member',
    actor_email: seller.email,
    roles: ['owner'],
    aal: 'aal2',
    action: 'products.update',
    target_type: 'product',
    target_id: product_id,
    result: 'done',
    status: 200,
    code: null,
    changed_fields: ['description', 'price_minor'],
    counts: null,
    request_id: 'my-own-1',
    ip_prefix: '127.0.0.0/24',
    user_agent_family: 'Firefox',
  });
  expect(before).toMatchObject({ action: 'products.create', target_id: product_id, status: 201 });
  expect(older.map(({ action }) => action)).toEqual(['auth.exchange', 'auth.register']);
  const one = await seller.call<Shown>('GET', `/audit/entries/${newest?.audit_id}`);
  expect(one.body).toMatchObject({ audit_id: newest?.audit_id, action: 'products.update' });
  const stranger = await app.seller();
  expect((await stranger.call('GET', `/audit/entries/${newest?.audit_id}`)).status).toBe(404);
  expect((await entries(stranger)).map(({ action }) => action)).toEqual(['auth.exchange', 'auth.register']);
});

test('every filter finds its entries, sealed or not, page by page', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { product_id } = await create(seller);
  const viewer = await joinTeam(app, seller, ['viewer']);
  expect((await viewer.call('DELETE', `/products/${product_id}`)).status).toBe(403);
  const requestId = `req-${randomUUID()}`;
  await seller.call('DELETE', `/products/${product_id}`, { headers: { 'x-request-id': requestId } });
  const names = async (query: string) => (await entries(seller, query)).map(({ action }) => action);
  const read = async () => ({
    target: await names(`?target_id=${product_id}`),
    action: await names('?action=products.archive'),
    actor: await names(`?actor_id=${viewer.member_id}`),
    refused: await names('?result=refused'),
    market: await names('?actor_kind=marketplace'),
    request: await names(`?request_id=${requestId}`),
    both: await names(`?action=products.archive&result=done`),
  });
  const expected = {
    target: ['products.archive', 'products.archive', 'products.create'],
    action: ['products.archive', 'products.archive'],
    actor: ['products.archive', 'auth.exchange', 'auth.invitations.accept'],
    refused: ['products.archive'],
    market: ['marketplace.seller.standing_changed'],
    request: ['products.archive'],
    both: ['products.archive'],
  };
  expect(await read()).toEqual(expected);
  await eventually(
    () => entries(seller),
    (all) => all.every(({ seq }) => seq !== null),
  );
  expect(await read()).toEqual(expected);

  const all = await entries(seller);
  const [, second] = all;
  expect(await entries(seller, `?to=${second?.at}`)).not.toContainEqual(second);
  expect(await entries(seller, `?from=${second?.at}`)).toContainEqual(second);
  const pages: Shown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await seller.call<Listed>('GET', `/audit/entries?limit=2${query}`);
    pages.push(...body.data);
    cursor = body.page.next_cursor;
  }
  expect(pages).toEqual(all);
});

test('bulk work is one entry with its counts; that of a feed names the run', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { body: run } = await feed(seller, 'seller_sku,title,status\nA-1,One,draft\nA-2,,draft\n');
  await seller.call('POST', '/products/bulk', {
    json: {
      items: [
        { operation: 'archive', seller_sku: 'A-1' },
        { operation: 'archive', seller_sku: 'A-9' },
      ],
    },
  });
  const commit = await feed(seller, 'seller_sku,title\nA-2,Two\n', { query: 'dry_run=true' });
  const { body: committed } = await seller.call<{ run_id: string }>(
    'POST',
    `/products/feed-runs/${commit.body.run_id}/commit`,
  );
  const [of, bulk, fed] = await entries(seller);
  expect(fed).toMatchObject({
    action: 'products.feed_runs.create',
    target_type: 'feed_run',
    target_id: run.run_id,
    counts: { rows: 2 },
    changed_fields: null,
  });
  expect(bulk).toMatchObject({ action: 'products.bulk.write', counts: { items: 2, updated: 1, failed: 1 } });
  expect(of).toMatchObject({
    action: 'products.feed_runs.commit',
    target_id: committed.run_id,
    counts: { rows: 1, updated: 1 },
  });
});

test('an asynchronous run leaves its counts when it ends', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { body: run } = await feed(seller, 'seller_sku,title,status\nB-1,One,draft\nB-2,,draft\n', {
    headers: { prefer: 'respond-async' },
  });
  const of = (action: string) => entries(seller, `?action=${action}`);
  const [applied] = await eventually(
    () => of('products.feed_runs.apply'),
    (found) => found.length > 0,
  );
  const [accepted] = await of('products.feed_runs.create');
  expect(accepted).toMatchObject({ status: 202, target_id: run.run_id, counts: null });
  expect(applied).toMatchObject({
    ...{ actor_kind: 'member', actor_id: accepted?.actor_id, request_id: accepted?.['request_id'] },
    ...{ target_type: 'feed_run', target_id: run.run_id, result: 'done', counts: { rows: 2 } },
  });
});

test('each transaction that acknowledges notifications has its entry', async () => {
  const seller = await app.seller();
  await asOwner(
    app,
    'insert into notification (seller_id, notification_id, sequence, event_id, type, severity, title, object_id, occurred_at, expires_at) ' +
      "select $1::text, 'ntf_' || n, -n, 'evt_' || n, 'inventory.out_of_stock', 'warning', 'Sold out', 'prd_' || n, now(), now() + interval '90 d' " +
      'from generate_series(1, 2500) n',
    [seller.seller_id],
  );
  const { body } = await seller.call('POST', '/notifications/ack', { json: { up_to: 1 } });
  expect(body).toMatchObject({ acknowledged: 2_500, unread_count: 0 });
  const left = await entries(seller, '?action=notifications.acknowledge');
  expect(left.map(({ counts }) => counts)).toEqual(
    [500, 1_000, 1_000].map((count) => ({ acknowledged: count })),
  );
});

test('an event that names no known seller leaves no entry', async () => {
  const unknown = { seller_id: `slr_${randomUUID().replaceAll('-', '')}` };
  const data = {
    ...{ version: 'unknown', title: 'Terms', text_sha256: 'a'.repeat(64) },
    ...{ url: 'https://marketplace.example', effective_on: '2020-01-01' },
  };
  const publish = (by: Pick<TestSeller, 'seller_id'>) =>
    app.events(orderEvent(app, by, 'agreement.published', 'unknown', data));
  expect((await publish(unknown))[0]?.status).toBe('applied');
  expect(await logOf(app, unknown)).toEqual([]);
  const known = await app.seller();
  expect((await publish(known))[0]?.status).toBe('stale');
  expect((await logOf(app, known)).at(-1)?.action).toBe('marketplace.agreement.published');
});

test('409, 403 and 402 are entries with their codes; 404, 422 and a dry run leave none', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const json = mug({ seller_sku: 'ONCE' });
  await seller.call('POST', '/products', { json });
  const send = async (by: Pick<TestSeller, 'call'>, method: string, path: string, options = {}) => {
    const requestId = `req-${randomUUID()}`;
    const { status } = await by.call(method, path, { headers: { 'x-request-id': requestId }, ...options });
    const found = await entriesOf(app, requestId);
    return [status, ...found.map(({ result, code }) => [result, code])];
  };
  const viewer = await joinTeam(app, seller, ['viewer']);
  const free = await app.seller({ plan: 'Free' });
  const bulk = { json: { items: [{ operation: 'create', product: mug() }] } };
  expect(await send(seller, 'POST', '/products', { json })).toEqual([409, ['refused', 'sku_exists']]);
  expect(await send(viewer, 'POST', '/products', { json })).toEqual([403, ['refused', 'permission_denied']]);
  expect(await send(free, 'POST', '/products/bulk', bulk)).toEqual([
    402,
    ['refused', 'feature_not_available'],
  ]);
  expect(await send(viewer, 'POST', '/products?dry_run=true', { json })).toEqual([
    403,
    ['refused', 'permission_denied'],
  ]);
  expect(await send(viewer, 'POST', '/orders/ord_1/accept?dry_run=true', { json: {} })).toEqual([
    403,
    ['refused', 'permission_denied'],
  ]);
  expect(await send(seller, 'POST', '/products', { json: { nonsense: 1 } })).toEqual([422]);
  expect(await send(seller, 'DELETE', '/products/prd_none')).toEqual([404]);
  const before = (await logOf(app, seller)).length;
  const preview = await feed(seller, 'seller_sku,quantity\nONCE,5\n', { query: 'dry_run=true' });
  expect(preview.status).toBe(201);
  expect(await logOf(app, seller)).toHaveLength(before);
});

test('a refusal for the missing second factor is an entry of the member', async () => {
  const other = await app.seller();
  const requestId = `req-${randomUUID()}`;
  const headers = { 'x-request-id': requestId };
  const weak = await other.session('aal1');
  const json = { marketplace_token: weak };
  expect((await app.call('POST', '/api/v1/auth/exchange', { json, headers })).status).toBe(403);
  const change = { headers: { ...headers, authorization: `Bearer ${weak}` }, json: { business_name: 'New' } };
  expect((await app.call('PATCH', '/api/v1/sellers/me', change)).status).toBe(403);
  const refusal = {
    seller_id: other.seller_id,
    actor_kind: 'member',
    result: 'refused',
    status: 403,
    code: 'insufficient_assurance',
    aal: 'aal1',
  };
  expect(await entriesOf(app, requestId)).toEqual([
    expect.objectContaining({ ...refusal, action: 'auth.exchange' }),
    expect.objectContaining({ ...refusal, action: 'sellers.profile.update' }),
  ]);
});

test('without the account flag 404; the export is 402 on the plan Small, and otherwise a file of the whole log', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const paths = ['/audit/entries', '/audit/entries/aud_1', '/audit/verification', '/audit/export'];
  const codes = async (): Promise<unknown[]> =>
    Promise.all(paths.map(async (path) => (await seller.call<{ code?: string }>('GET', path)).status));
  await standing(seller, { account_flags: [] });
  expect(await codes()).toEqual([404, 404, 404, 404]);
  const hidden = await seller.call<{ code: string }>('GET', '/audit/entries');
  expect(hidden.body).toMatchObject({ code: 'module_unavailable', availability: 'account' });
  await standing(seller, { account_flags: ['audit'] });
  expect(await codes()).toEqual([200, 404, 200, 402]);
  // Entries were also written while the flag was off.
  expect((await entries(seller)).map(({ action }) => action)).toContain('auth.register');

  await standing(seller, { plan: 'Big' });
  await eventually(
    () => entries(seller),
    (all) => all.every(({ seq }) => seq !== null),
  );
  const count = (await logOf(app, seller)).length;
  const file = await seller.call('GET', '/audit/export');
  expect(file.headers.get('content-disposition')).toMatch(/filename="activity-log-.*\.csv"/);
  expect(file.text.trim().split('\r\n')).toHaveLength(count + 1);
  const [download] = await entries(seller);
  expect(download).toMatchObject({ action: 'audit.export', result: 'done', status: 200 });
  expect((await seller.call('HEAD', '/audit/export')).status).toBe(200);
  expect((await entries(seller))[0]).toEqual(expect.objectContaining({ audit_id: download?.audit_id }));
});
