/** The dashboard: what is late, failed or held is counted by the service's clock. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { asked } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { moveTo } from '../../../../test/support/tickets.ts';
import { ROLE_PERMISSIONS, ROLES, type Role } from '../../../kernel/permissions.ts';
import { attentionOf, KIND_NAMES } from '../domain/attention.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

interface Summary {
  readonly orders: Readonly<Record<string, number>>;
  readonly feeds: { readonly failed_in_24_hours: number };
  readonly settlement_holds: readonly string[];
  readonly links: Readonly<Record<string, string>>;
}

test('late, failed and held things are counted, and each part has a link to its list', async () => {
  let seller = await app.seller();
  const stranger = await app.seller();
  const id = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 1_000 }]);
  expect((await seller.call('POST', `/orders/${id}/accept`, { json: {} })).status).toBe(200);
  const read = async (who = seller) => (await who.call<Summary>('GET', '/dashboard/summary')).body;
  expect((await read()).orders).toMatchObject({ to_accept: 0, to_dispatch: 1, late_to_dispatch: 0 });
  const moved = await callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: '2026-07-30T00:00:00.000Z' },
  });
  expect(moved.status).toBe(200);
  seller = await seller.renew();
  const held = { reason: 'risk_review', active: true };
  await apply(app, orderEvent(app, seller, 'settlement.hold_changed', seller.seller_id, held));
  const feed = await seller.call('POST', '/products/feed-runs', {
    headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
    body: 'seller_sku,price\nA,not a price\n',
  });
  expect(feed.status).toBe(422);
  const body = await read();
  expect(body).toMatchObject({
    orders: { to_accept: 0, to_dispatch: 1, late_to_dispatch: 1 },
    feeds: { failed_in_24_hours: 1 },
    settlement_holds: ['risk_review'],
  });
  for (const [part, link] of Object.entries(body.links))
    expect([part, (await seller.call('GET', link.replace('/api/v1', ''))).status]).toEqual([part, 200]);
  expect(await read(await stranger.renew())).toMatchObject({
    orders: { to_dispatch: 0, late_to_dispatch: 0 },
    feeds: { failed_in_24_hours: 0 },
    settlement_holds: [],
  });
});

test('every role reads the summary; a part that it may not read is null and named, never zero', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 1_000 }]);
  const partsOf = async (role: Role) => {
    const { status, body } = await (await joinTeam(app, seller, [role])).call<Record<string, unknown>>(
      'GET',
      '/dashboard/summary',
    );
    const parts = [
      ...['feeds', 'finance', 'integrations', 'messages', 'orders'],
      ...['quality', 'settlement_holds', 'stock'],
    ];
    expect([role, status, body['semantic_status']]).toEqual([role, 200, 'partial']);
    expect(body['withheld_components']).toEqual(parts.filter((part) => body[part] === null));
    return body['withheld_components'];
  };
  expect(await Promise.all(ROLES.map(async (role) => [role, await partsOf(role)]))).toEqual([
    ['owner', []],
    ['admin', []],
    ['catalogue', ['finance', 'integrations', 'messages', 'settlement_holds']],
    ['fulfilment', ['finance', 'integrations', 'settlement_holds']],
    ['finance', ['feeds', 'integrations', 'messages', 'quality', 'stock']],
    ['support', ['finance', 'integrations', 'settlement_holds']],
    ['viewer', ['integrations']],
  ]);
});

interface Attention {
  readonly kind: string;
  readonly severity: string;
  readonly count: number;
  readonly due_at: string | null;
  readonly href: string;
}

test('what needs attention has a list of as many rows, which the token may read', async () => {
  let [seller, stranger] = [await app.seller({ plan: 'Big' }), await app.seller()];
  const order = await placeOrder(app, seller, [{ title: 'A', price: 1_000 }], {
    dispatch_by: new Date(app.app.services.now() + 3_600_000).toISOString(),
  });
  await seller.call('POST', `/orders/${order}/accept`, { json: {} });
  await asked(app, seller, order);
  await stocked(seller, 0, { reorder_point: 3 });
  await stocked(seller, 2, { reorder_point: 3 });
  const archived = await stocked(seller, 0, { reorder_point: 3 });
  await seller.call('DELETE', `/products/${archived.product_id}`);
  const endpoint = { url: 'https://hooks.example.test/', event_types: ['product.*'] };
  const { body } = await seller.call<{ endpoint_id: string }>('POST', '/webhooks/endpoints', {
    json: endpoint,
  });
  const now = new Date(app.app.services.now());
  await asOwner(app, 'update webhook_endpoint set failing_since = $2 where endpoint_id = $1', [
    body.endpoint_id,
    now.toISOString(),
  ]);
  const held = { reason: 'risk_review', active: true };
  await apply(app, orderEvent(app, seller, 'settlement.hold_changed', seller.seller_id, held));
  [seller, stranger] = (await moveTo(
    app,
    new Date(now.getTime() + 3 * 86_400_000).toISOString(),
    seller,
    stranger,
  )) as [TestSeller, TestSeller];

  const read = async (who: Pick<TestSeller, 'call'>) =>
    (await who.call<{ attention: Attention[] } & Record<string, unknown>>('GET', '/dashboard/summary')).body;
  const summary = await eventually(
    () => read(seller),
    ({ quality }) => (quality as { not_ready: number | null }).not_ready === 2,
  );
  expect(summary).toMatchObject({
    stock: { out_of_stock: 1, at_reorder_point: 2 },
    quality: { not_ready: 2 },
    integrations: { open_issues: 0, failing_endpoints: 1 },
    messages: { waiting: 1 },
  });
  const shown = new Map(summary.attention.map((one) => [one.kind, [one.severity, one.count]]));
  expect(shown).toEqual(
    new Map([
      ['order_late', ['critical', 1]],
      ['messages_overdue', ['critical', 1]],
      ['settlement_held', ['critical', 1]],
      ['endpoint_failing', ['critical', 1]],
      ['order_payment_pending', ['info', 1]],
      ['order_unknown_sku', ['warning', 1]],
      ['messages_waiting', ['warning', 1]],
      ['product_not_ready', ['warning', 2]],
      ['product_out_of_stock', ['warning', 1]],
      ['product_at_reorder_point', ['info', 2]],
    ]),
  );
  const ranks = summary.attention.map(({ severity }) => ['critical', 'warning', 'info'].indexOf(severity));
  expect(ranks).toEqual(ranks.toSorted());
  const rowsOf = async (who: Pick<TestSeller, 'call'>, href: string) => {
    const answer = await who.call<{ data?: unknown[]; settlement_holds?: unknown[] }>(
      'GET',
      href.slice('/api/v1'.length),
    );
    return [answer.status, (answer.body.data ?? answer.body.settlement_holds ?? []).length];
  };
  for (const { kind, count, href } of summary.attention)
    expect([kind, ...(await rowsOf(seller, href))]).toEqual([kind, 200, count]);
  for (const role of ROLES) {
    const member = await joinTeam(app, seller, [role]);
    for (const { kind, href } of (await read(member)).attention)
      expect([role, kind, (await rowsOf(member, href))[0]]).toEqual([role, kind, 200]);
  }
  expect((await read(stranger)).attention).toEqual([]);
});

test('at most ten things are shown, the gravest first, then by deadline', () => {
  const counted = KIND_NAMES.map((kind, index) => ({
    kind,
    count: index % 5 === 0 ? 0 : index,
    due_at: index % 2 === 0 ? `2026-07-0${1 + (index % 9)}T00:00:00.000Z` : null,
  }));
  const shown = attentionOf(counted, ROLE_PERMISSIONS.owner);
  expect(shown).toHaveLength(10);
  const place = ({ severity, due_at }: (typeof shown)[number]) =>
    `${['critical', 'warning', 'info'].indexOf(severity)} ${due_at ?? '~'}`;
  expect(shown.map(place)).toEqual(shown.map(place).toSorted());
  expect(attentionOf(counted, [])).toEqual([]);
});
