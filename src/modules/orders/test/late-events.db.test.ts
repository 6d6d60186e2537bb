/** Orders and returns that the marketplace tells late are judged by what held at their time. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder, readOrder, stocked } from '../../../../test/support/orders.ts';

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
const dueOf = async (seller: TestSeller, id: string) => ({
  rule: (await readOrder(seller, id)).deadlines['dispatch_rule'],
});

test('an order that is told late follows the settings, profiles and rules that held when it was placed', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 99);
  let at = app.app.services.now();
  const changes: [from: number, rule: object][] = [];
  /** Makes a change a minute after the one before, and says what holds from then on. */
  const change = async (expected: object, make: () => Promise<unknown>) => {
    at += 60_000;
    const { status } = await callInternal(app, 'POST', '/internal/v1/clock', {
      body: { now: new Date(at).toISOString() },
    });
    expect(status).toBe(200);
    await make();
    changes.push([at, expected]);
  };
  const patch = async (path: string, json: object) => {
    const { status, text } = await seller.call('PATCH', `/shipping/${path}`, { json });
    if (status !== 200) throw new Error(text);
  };
  const remove = async (path: string) =>
    expect((await seller.call('DELETE', `/shipping/${path}`)).status).toBe(204);
  const ruleId = async () =>
    (await seller.call<{ data: { rule_id: string }[] }>('GET', '/shipping/rules')).body.data[0]?.rule_id ??
    '';
  let [first, second] = ['', ''];

  await change({ source: 'default', handling_days: 2 }, async () => undefined);
  await change({ source: 'setting', handling_days: 7 }, () =>
    set(seller, 'settings', { default_handling_days: 7 }),
  );
  await change({ source: 'profile', handling_days: 1, cut_off: '14:00' }, async () => {
    first = await profile(seller);
  });
  await change({ source: 'profile', handling_days: 4, cut_off: '10:30' }, () =>
    patch(`profiles/${first}`, { handling_days: 4, cut_off: '10:30', working_days: ['tue'] }),
  );
  await change({ source: 'profile', handling_days: 9, working_days: WEEK }, async () => {
    second = await profile(seller, { handling_days: 9, is_default: true });
  });
  await change({ source: 'profile', handling_days: 4, working_days: ['tue'] }, () =>
    rule(seller, first, { sku_prefixes: [sku] }),
  );
  await change({ source: 'profile', handling_days: 9 }, async () =>
    patch(`rules/${await ruleId()}`, { enabled: false }),
  );
  await change({ source: 'profile', handling_days: 4 }, async () =>
    patch(`rules/${await ruleId()}`, { enabled: true }),
  );
  await change({ source: 'profile', handling_days: 9 }, async () => remove(`rules/${await ruleId()}`));
  await change({ source: 'profile', handling_days: 9 }, () => remove(`profiles/${first}`));
  await change({ source: 'setting', handling_days: 7 }, () => remove(`profiles/${second}`));
  await change({ source: 'default', handling_days: 2 }, () =>
    set(seller, 'settings', { default_handling_days: null }),
  );

  for (const [index, [from, expected]] of changes.entries())
    for (const placed of [from, (changes[index + 1]?.[0] ?? from + 1) - 1]) {
      if (placed > app.app.services.now()) continue;
      const id = await placeOrder(app, seller, [{ sku }], { placed_at: new Date(placed).toISOString() });
      expect((await dueOf(seller, id)).rule, `change ${index}`).toMatchObject(expected);
    }
});

test('a return that is told late shows the policy that held when the buyer asked', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 9);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  const start = app.app.services.now();
  const move = (minutes: number) =>
    callInternal(app, 'POST', '/internal/v1/clock', {
      body: { now: new Date(start + minutes * 60_000).toISOString() },
    });
  const policies = [null, 'Unused within 30 days.', 'No returns.'];
  for (const [minutes, return_policy] of policies.entries()) {
    await move(minutes + 1);
    await set(seller, 'settings', { return_policy });
  }
  for (const [minutes, return_policy] of policies.entries()) {
    const return_id = `rtn_late_${minutes}`;
    const time = new Date(start + (minutes + 1) * 60_000).toISOString();
    const data = { return_id, lines: [{ order_line_no: 1, quantity: 1, reason: 'damaged' }] };
    await apply(app, orderEvent(app, seller, 'return.requested', id, data, { time }));
    const { returns } = await readOrder(seller, id);
    expect(returns.find((one) => one.return_id === return_id)).toMatchObject({ return_policy });
  }
});

test('an order that is told late follows the closing that held when it was placed', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 9);
  const closing = { mode: 'extend', closed_from: '2026-06-29', closed_to: '2026-07-03' };
  const tell = (placed_at: number) =>
    placeOrder(app, seller, [{ sku }], { placed_at: new Date(placed_at).toISOString() });
  const [open, closed] = [
    { rule: { closed_from: null, closed_to: null } },
    { rule: { closed_from: '2026-06-29', closed_to: '2026-07-03' } },
  ];
  const move = (to: number) =>
    callInternal(app, 'POST', '/internal/v1/clock', { body: { now: new Date(to).toISOString() } });
  const set_at = app.app.services.now();
  await set(seller, 'holiday', closing);
  expect(await dueOf(seller, await tell(set_at - 1))).toMatchObject(open);
  expect(await dueOf(seller, await tell(set_at))).toMatchObject(closed);
  await set(seller, 'holiday', { message: 'Back soon' });
  expect(await dueOf(seller, await tell(set_at))).toMatchObject(closed);
  await move(set_at + 60_000);
  await set(seller, 'holiday', { closed_to: '2026-07-04' });
  expect(await dueOf(seller, await tell(set_at + 59_999))).toMatchObject(closed);
  expect(await dueOf(seller, await tell(set_at + 60_000))).toMatchObject({
    rule: { closed_to: '2026-07-04' },
  });
  await move(set_at + 120_000);
  await set(seller, 'holiday', { closed_from: null });
  expect(await dueOf(seller, await tell(set_at + 119_999))).toMatchObject({
    rule: { closed_to: '2026-07-04' },
  });
  expect(await dueOf(seller, await tell(set_at + 120_000))).toMatchObject(open);
});
