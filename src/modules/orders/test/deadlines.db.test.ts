/** The deadlines for the answer and the dispatch of orders. One rule sets them when the order is placed. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  apply,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';

// A Monday morning in Sydney.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });

interface Handling {
  readonly handling_days: number;
  readonly cut_off: string;
  readonly timezone: string;
  readonly working_days: readonly string[];
}
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri'];
const HANDLING: Handling = {
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: WEEK,
};
const price = { kind: 'flat', price_minor: 995 };
const service = { carrier: 'own', service: 'standard', transit_days_min: 1, transit_days_max: 3, price };
const ZONES = [{ name: 'Australia', services: [service] }];

let profiles = 0;
async function profile(seller: TestSeller, change: Partial<Handling> & { is_default?: boolean } = {}) {
  profiles += 1;
  const json = { name: `Profile ${profiles}`, zones: ZONES, ...HANDLING, ...change };
  const { status, body, text } = await seller.call<{ profile_id: string; version: number }>(
    'POST',
    '/shipping/profiles',
    { json },
  );
  if (status !== 201) throw new Error(text);
  return body.profile_id;
}
async function rule(seller: TestSeller, profile_id: string, names: object) {
  const json = { name: 'Rule', profile_id, ...names };
  const { status, text } = await seller.call('POST', '/shipping/rules', { json });
  if (status !== 201) throw new Error(text);
}
const set = async (seller: TestSeller, path: string, json: object) => {
  const { status, text } = await seller.call('PATCH', `/sellers/me/${path}`, { json });
  if (status !== 200) throw new Error(text);
};
const dueOf = async (seller: TestSeller, id: string) => {
  const { deadlines } = await readOrder(seller, id);
  return {
    accept: deadlines['accept_by'],
    due: deadlines['dispatch_by'],
    rule: deadlines['dispatch_rule'],
  };
};
const promised = async (seller: TestSeller, profileId: string) => {
  const basket = {
    to: { state: 'NSW', postcode: '2000', country: 'AU' },
    lines: [{ quantity: 1, weight_g: 1, price_minor: 1 }],
  };
  const { body } = await seller.call<{ dispatch_by: string }>(
    'POST',
    `/shipping/profiles/${profileId}/simulate`,
    { json: { baskets: [basket] } },
  );
  return body.dispatch_by;
};

test('without a profile an order is due after two business days, or after the days of the setting', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 9);
  const first = await placeOrder(app, seller, [{ sku }]);
  expect(await dueOf(seller, first)).toMatchObject({
    due: '2026-07-01T14:00:00.000Z',
    rule: { source: 'default', profile_id: null, handling_days: 2, cut_off: null, working_days: WEEK },
  });
  await set(seller, 'settings', { default_handling_days: 5 });
  const second = await placeOrder(app, seller, [{ sku }]);
  expect(await dueOf(seller, second)).toMatchObject({
    due: '2026-07-06T14:00:00.000Z',
    rule: { source: 'setting', handling_days: 5 },
  });
  await set(seller, 'settings', { default_handling_days: 0 });
  const third = await placeOrder(app, seller, [{ sku }]);
  expect((await dueOf(seller, third)).due).toBe('2026-06-29T14:00:00.000Z');
  expect((await dueOf(seller, first)).due).toBe('2026-07-01T14:00:00.000Z');
});

test('an order has the deadline that the simulation of its profile shows', async () => {
  const cases: readonly Partial<Handling>[] = [
    {},
    { handling_days: 0 },
    { handling_days: 0, cut_off: '08:59' },
    { handling_days: 10 },
    { cut_off: '09:00' },
    { timezone: 'Australia/Perth', cut_off: '09:00' },
    { timezone: 'America/New_York', handling_days: 2 },
    { working_days: ['sun'], handling_days: 3 },
    { working_days: [...WEEK, 'sat', 'sun'], handling_days: 6 },
  ];
  for (const closing of [false, true])
    for (const change of cases) {
      const seller = await app.seller({ plan: 'Small' });
      const profileId = await profile(seller, change);
      if (closing)
        await set(seller, 'holiday', { mode: 'extend', closed_from: '2026-06-29', closed_to: '2026-07-15' });
      const { sku } = await stocked(seller, 1);
      const id = await placeOrder(app, seller, [{ sku }]);
      const { due, rule: followed } = await dueOf(seller, id);
      expect(due, JSON.stringify({ change, closing })).toBe(await promised(seller, profileId));
      expect(followed).toMatchObject({ source: 'profile', profile_id: profileId, ...HANDLING, ...change });
      if (closing) expect(String(due) > '2026-07-15T14').toBe(true);
    }
});

test('the deadline is fixed when the order is placed', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const profileId = await profile(seller, { handling_days: 3 });
  const { sku } = await stocked(seller, 9);
  const id = await placeOrder(app, seller, [{ sku }]);
  const placed = await dueOf(seller, id);
  expect(placed.due).toBe('2026-07-02T14:00:00.000Z');
  const json = { handling_days: 9, cut_off: '00:00' };
  expect((await seller.call('PATCH', `/shipping/profiles/${profileId}`, { json })).status).toBe(200);
  await set(seller, 'settings', { default_handling_days: 30 });
  await set(seller, 'holiday', { mode: 'extend', closed_from: '2026-06-29', closed_to: '2026-07-20' });
  await post(seller, `${id}/accept`);
  expect(await dueOf(seller, id)).toEqual({ ...placed, accept: null });
  expect((await dueOf(seller, await placeOrder(app, seller, [{ sku }]))).due).not.toBe(placed.due);
  await shipAll(seller, id);
  const { deadlines } = await readOrder(seller, id);
  expect([deadlines['dispatch_by'], deadlines['dispatch_rule']]).toEqual([null, null]);
});

test('the marketplace may send a deadline; one in the past, or ten years ahead, is refused', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await profile(seller);
  const { sku } = await stocked(seller, 9);
  const placing = (id: string, dispatch_by: string) =>
    orderEvent(app, seller, 'order.placed', id, {
      currency: 'AUD',
      dispatch_by,
      lines: [{ kind: 'item', seller_sku: sku, unit_price_minor: 100 }],
    });
  await apply(app, placing('ord_promised', '2026-07-09T10:00:00+10:00'));
  expect(await dueOf(seller, 'ord_promised')).toMatchObject({
    due: '2026-07-09T00:00:00.000Z',
    rule: { source: 'marketplace', profile_id: null, handling_days: null, working_days: null },
  });
  expect(await app.events(placing('ord_far', '2037-01-01T00:00:00Z'))).toMatchObject([
    { status: 'rejected', code: 'data_invalid' },
  ]);
  const before = new Date(app.app.services.now() - 1).toISOString();
  expect(await app.events(placing('ord_past', before))).toMatchObject([
    { status: 'rejected', code: 'data_invalid' },
  ]);
  expect(await app.events(placing('ord_text', 'tomorrow'))).toMatchObject([{ status: 'rejected' }]);
});

test('rules choose the profile as they do for the counts of the simulation; the slowest product decides', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const days = async (handling_days: number) => profile(seller, { handling_days });
  const [usual, bySku, byPrefix, byCategory] = [await days(1), await days(2), await days(3), await days(4)];
  await rule(seller, bySku, { skus: ['DESK-1', 'Ü%_'], position: 20 });
  await rule(seller, byPrefix, { sku_prefixes: ['DESK-'], position: 30 });
  await rule(seller, byCategory, { categories: ['Garden'], position: 10 });
  await rule(seller, byCategory, { skus: ['LAMP'], enabled: false, position: 1 });
  const garden = { category: 'Garden' };
  const products = { 'DESK-1': {}, 'DESK-2': {}, 'DESK-3': garden, LAMP: {}, 'Ü%_': {}, desk: {} };
  for (const [seller_sku, more] of Object.entries(products))
    await create(seller, { seller_sku, quantity: 9, ...more });
  const by = {
    'DESK-1': bySku,
    'DESK-2': byPrefix,
    'DESK-3': byCategory,
    LAMP: usual,
    'Ü%_': bySku,
    desk: usual,
  };
  const counts = new Map<string, number>();
  for (const [sku, profileId] of Object.entries(by)) {
    const { rule: followed } = await dueOf(seller, await placeOrder(app, seller, [{ sku }]));
    expect(followed?.['profile_id'], sku).toBe(profileId);
    counts.set(profileId, (counts.get(profileId) ?? 0) + 1);
  }
  for (const [profileId, total] of counts) {
    const json = {
      baskets: [
        {
          to: { state: 'NSW', postcode: '2000', country: 'AU' },
          lines: [{ quantity: 1, weight_g: 1, price_minor: 1 }],
        },
      ],
    };
    const { body } = await seller.call<{ skus_affected: { total: number } }>(
      'POST',
      `/shipping/profiles/${profileId}/simulate`,
      { json },
    );
    expect(body.skus_affected.total).toBe(total);
  }
  // A SKU that the catalogue does not have is named by its text; a line without one has the default profile.
  const unknown = await placeOrder(app, seller, [{ sku: 'DESK-99', title: 'Gone' }]);
  expect((await dueOf(seller, unknown)).rule?.['profile_id']).toBe(byPrefix);
  const bare = await placeOrder(app, seller, [{ title: 'No SKU' }]);
  expect((await dueOf(seller, bare)).rule?.['profile_id']).toBe(usual);
  const all = Object.keys(products).map((sku) => ({ sku }));
  expect((await dueOf(seller, await placeOrder(app, seller, all))).rule?.['profile_id']).toBe(byCategory);
});

test('another seller’s profiles, rules and settings decide nothing', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller({ plan: 'Small' })];
  const { sku } = await stocked(seller, 9);
  await rule(other, await profile(other, { handling_days: 20 }), { skus: [sku] });
  await set(other, 'settings', { default_handling_days: 9 });
  await set(other, 'holiday', { mode: 'extend', closed_from: '2026-06-29', closed_to: '2026-07-20' });
  expect(await dueOf(seller, await placeOrder(app, seller, [{ sku }]))).toMatchObject({
    accept: '2026-06-29T23:00:00.000Z',
    due: '2026-07-01T14:00:00.000Z',
    rule: { source: 'default', closed_from: null },
  });
});

test('a closing that extends is left out of both deadlines of orders that come after it was set', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 9);
  const before = await placeOrder(app, seller, [{ sku }]);
  await set(seller, 'holiday', { mode: 'extend', closed_from: '2026-06-29', closed_to: '2026-07-03' });
  const after = await placeOrder(app, seller, [{ sku }]);
  expect(await dueOf(seller, before)).toMatchObject({
    accept: '2026-06-29T23:00:00.000Z',
    due: '2026-07-01T14:00:00.000Z',
  });
  // Closed from Monday to Friday: 24 hours after midnight of Saturday, and the end of Tuesday.
  expect(await dueOf(seller, after)).toMatchObject({
    accept: '2026-07-04T14:00:00.000Z',
    due: '2026-07-07T14:00:00.000Z',
    rule: { closed_from: '2026-06-29', closed_to: '2026-07-03' },
  });
  await set(seller, 'holiday', { mode: 'hide' });
  expect(await dueOf(seller, await placeOrder(app, seller, [{ sku }]))).toMatchObject({
    accept: '2026-06-29T23:00:00.000Z',
    due: '2026-07-01T14:00:00.000Z',
  });
});

test('a return shows the policy that held when the buyer asked', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 9);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const request = (return_id: string) =>
    orderEvent(app, seller, 'return.requested', id, {
      return_id,
      lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }],
    });
  await apply(app, request('rtn_none'));
  await set(seller, 'settings', { return_policy: 'Unused within 30 days.' });
  await apply(app, request('rtn_first'));
  await set(seller, 'settings', { return_policy: 'No returns.' });
  const { returns } = await readOrder(seller, id);
  expect(Object.fromEntries(returns.map((one) => [one.return_id, one]))).toMatchObject({
    rtn_none: { return_policy: null },
    rtn_first: { return_policy: 'Unused within 30 days.' },
  });
});

test('the largest set of rules does not hold up the placement of the largest order', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const slow = await profile(seller, { handling_days: 9 });
  const text = `insert into shipping_rule (seller_id, rule_id, name, position, enabled, profile_id, skus, sku_prefixes,
                                           categories, version, created_at, updated_at)
                select $1, 'spr_' || n, 'Rule', n, true, $2,
                       array(select rpad('S' || n || '-' || m || '-', 64, md5(m::text)) from generate_series(1, 1000) m),
                       array(select rpad('P' || n || '-' || m || '-', 64, 'p') from generate_series(1, 50) m),
                       array(select rpad('C' || n || '-' || m || '-', 200, 'c') from generate_series(1, 50) m),
                       1, now(), now()
                  from generate_series(1, 100) n`;
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({ text, values: [seller.seller_id, slow] }),
  );
  const lines = Array.from({ length: 500 }, (_, index) => ({ sku: `NONE-${index}`, title: 'Thing' }));
  const timed = async (who: TestSeller): Promise<readonly [id: string, ms: number]> => {
    const start = performance.now();
    const id = await placeOrder(app, who, lines);
    return [id, performance.now() - start];
  };
  const [, without] = await timed(await app.seller({ plan: 'Small' }));
  const [id, took] = await timed(seller);
  expect((await dueOf(seller, id)).rule?.['profile_id']).toBe(slow);
  // When each line is compared with each rule, it takes more than thirty times as long.
  expect(took / without).toBeLessThan(15);
});

test('an order that is placed while the default profile changes follows one profile as a whole', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 100);
  const ids: string[] = [];
  for (const handling_days of [1, 2, 3]) ids.push(await profile(seller, { handling_days }));
  const flips = Array.from({ length: 18 }, (_, index) =>
    seller.call('PATCH', `/shipping/profiles/${ids[index % 3]}`, { json: { is_default: true } }),
  );
  const placed = Array.from({ length: 18 }, () => placeOrder(app, seller, [{ sku }]));
  const [changed, orders] = await Promise.all([Promise.all(flips), Promise.all(placed)]);
  expect(changed.map(({ status }) => status)).toEqual(changed.map(() => 200));
  for (const id of orders) {
    const { rule: followed } = await dueOf(seller, id);
    const days = ids.indexOf(String(followed?.['profile_id'])) + 1;
    expect(followed).toMatchObject({ source: 'profile', handling_days: days });
  }
  const { body } = await seller.call<{ data: { is_default: boolean }[] }>('GET', '/shipping/profiles');
  expect(body.data.filter(({ is_default }) => is_default)).toHaveLength(1);
});
