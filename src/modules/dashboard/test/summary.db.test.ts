/** The dashboard: what is late, failed or held is counted by the service's clock. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { ROLES, type Role } from '../../../kernel/permissions.ts';

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
    const parts = ['feeds', 'finance', 'messages', 'orders', 'settlement_holds'];
    expect([role, status, body['semantic_status']]).toEqual([role, 200, 'partial']);
    expect(body['withheld_components']).toEqual(parts.filter((part) => body[part] === null));
    return body['withheld_components'];
  };
  expect(await Promise.all(ROLES.map(async (role) => [role, await partsOf(role)]))).toEqual([
    ['owner', []],
    ['admin', []],
    ['catalogue', ['finance', 'messages', 'settlement_holds']],
    ['fulfilment', ['finance', 'settlement_holds']],
    ['finance', ['feeds', 'messages']],
    ['support', ['finance', 'settlement_holds']],
    ['viewer', []],
  ]);
});
