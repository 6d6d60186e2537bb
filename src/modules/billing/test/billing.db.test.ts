import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

interface Entitlements {
  readonly plan: string;
  readonly features: Record<string, { enabled: boolean; source: string }>;
  readonly limits: Record<string, { limit: number; used: number | null; resets_at: string | null }>;
  readonly modules: Record<string, { availability: string; enabled: boolean; reason: string | null }>;
}

const standing = (seller_id: string, data: object) =>
  app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data,
  });

test('entitlements show the plan, what is used, and every area with its reason', async () => {
  const seller = await app.seller();
  const { status, body } = await seller.call<Entitlements>('GET', '/billing/entitlements');
  expect(status).toBe(200);
  expect(body.plan).toBe('Free');
  expect(body.features['bulk_operations']).toEqual({ enabled: false, source: 'plan' });
  expect(body.limits['team_members']).toEqual({ limit: 1, used: 1, resets_at: null });
  expect(body.limits['feed_runs_per_day']).toEqual({
    limit: 20,
    used: 0,
    resets_at: '2026-06-28T14:00:00.000Z',
  });
  expect(body.limits['feed_rows_per_run']).toEqual({ limit: 500, used: null, resets_at: null });
  expect(body.limits['webhook_endpoints']?.used).toBe(0);
  expect(body.modules['sellers']).toEqual({ availability: 'available', enabled: true, reason: null });
  expect(body.modules['fulfillment']).toMatchObject({ availability: 'deferred', enabled: false });
  expect(body.modules['offers']).toMatchObject({ availability: 'deferred', enabled: false });
  expect(body.modules['ugc']).toMatchObject({ availability: 'unavailable', enabled: false });
  expect(body.modules['ugc']?.reason).toContain('not available');
  expect(body.modules).not.toHaveProperty('platform');
});

test('a deferred area answers every method and path alike, keeps no key and has no events', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const areas = ['fulfillment', 'offers', 'analytics'];
  for (const path of areas.flatMap((area) => [`/${area}`, `/${area}/orders/x`]))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? {} : { json: {} };
      const answer = await seller.call(method, path, { headers: { 'idempotency-key': 'one' }, ...body });
      expect([method, path, answer]).toMatchObject([
        ...[method, path],
        { status: 404, body: { code: 'module_unavailable', availability: 'deferred' } },
      ]);
    }
  expect(await asOwner(app, 'select from idempotency_key where seller_id = $1', [seller.seller_id])).toEqual(
    [],
  );
  const types = app.app.services.modules.flatMap(({ events = [] }) => events.map(({ type }) => type));
  expect(types).toContain('purchase_order.submitted');
  expect(types.filter((type) => /^(fulfillment|offer|analytics)/.test(type))).toEqual([]);
});

test('analytics is deferred, and says which areas have the figures', async () => {
  const seller = await app.seller();
  const { status, body } = await seller.call<{ code: string; detail: string }>('GET', '/analytics/anything');
  expect([status, body]).toMatchObject([404, { code: 'module_unavailable', availability: 'deferred' }]);
  const named = body.detail.match(/\/[a-z-]+(\/[a-z-]+)*/g) ?? [];
  expect(named).toEqual([
    '/financials/metrics',
    '/profitability',
    '/customer-analytics',
    '/search-insights',
    '/quality',
  ]);
  const paths = app.app.services.modules.map(({ base }) => base);
  for (const path of named) expect(paths).toContain(`/${path.split('/')[1]}`);
  const { body: shown } = await seller.call<Entitlements>('GET', '/billing/entitlements');
  expect(shown.modules['analytics']?.reason).toBe(body.detail);
});

test('a change of plan applies at once, also to tokens that were issued before', async () => {
  const seller = await app.seller();
  expect(await standing(seller.seller_id, { plan: 'Big' })).toMatchObject([{ status: 'applied' }]);
  const { body } = await seller.call<Entitlements>('GET', '/billing/entitlements');
  expect(body.plan).toBe('Big');
  expect(body.limits['products']?.limit).toBe(500_000);
  expect(body.features['forecasting']).toEqual({ enabled: true, source: 'plan' });
  // The plan has the area, but the marketplace enables it for each account.
  expect(body.features['pricing']).toEqual({ enabled: false, source: 'account' });
  await standing(seller.seller_id, { account_flags: ['pricing'] });
  const after = await seller.call<Entitlements>('GET', '/billing/entitlements');
  expect(after.body.features['pricing']).toEqual({ enabled: true, source: 'account' });
  // The area is enabled for the account, but it is not built, so it is listed as unavailable.
  expect(after.body.modules['pricing']?.enabled).toBe(
    after.body.modules['pricing']?.availability === 'available',
  );
});

test('the catalogue is the plan table', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { body } = await seller.call<Record<string, unknown>>('GET', '/billing/catalogue');
  expect(body).toMatchObject({
    current_plan: 'Small',
    upgrade_url: '/settings/plan',
    checkout_enabled: false,
  });
  expect(body['plans']).toMatchObject([
    { name: 'Free', limits: { products: 100, team_members: 1 }, features: { bulk_operations: false } },
    { name: 'Small', limits: { products: 5_000, webhook_endpoints: 5 }, features: { bulk_operations: true } },
    { name: 'Big', limits: { feed_rows_per_run: 100_000 }, features: { audit_export: true } },
  ]);
});

test('usage leaves out limits of one request, and never shows a remainder below zero', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await seller.call('POST', '/sellers/me/members', { json: { email: 'a@example.com', roles: ['viewer'] } });
  await standing(seller.seller_id, { plan: 'Free' });
  const { body } = await seller.call<{ limits: Record<string, object> }>('GET', '/billing/usage');
  expect(body.limits['team_members']).toEqual({
    kind: 'count',
    limit: 1,
    used: 2,
    remaining: 0,
    resets_at: null,
  });
  expect(body.limits).not.toHaveProperty('feed_rows_per_run');
});

test('checkout is refused', async () => {
  const seller = await app.seller();
  const { status, body } = await seller.call('POST', '/billing/checkout', { json: { plan: 'Big' } });
  expect([status, body]).toMatchObject([409, { code: 'checkout_disabled', upgrade_url: '/settings/plan' }]);
});

test('entitlements need a token', async () => {
  expect((await app.call('GET', '/api/v1/billing/entitlements')).status).toBe(401);
});
