import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  changed,
  draft,
  instant,
  MINUTE_MS,
  makePromotion,
  moved,
  type Promotion,
  postPromotion,
  readPromotion,
  running,
  said,
  scheduled,
  wait,
} from '../../../../test/support/marketing.ts';
import { eventTypesOf, orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const outcome = ({ status, body }: { status: number; body: { code?: unknown } | undefined }) => [
  status,
  body?.code ?? null,
];
const statusOf = async (seller: TestSeller, promotion: Pick<Promotion, 'promotion_id'>) =>
  (await readPromotion(seller, promotion)).status;
const NAMES = (...names: readonly string[]) => names.map((name) => `promotion.${name}`);
/** The events of a promotion, which both sides read. */
async function told(seller: TestSeller, { promotion_id }: Promotion, count: number) {
  const toMarketplace = async () =>
    (await marketplaceEvents(app, seller, 'promotion.', count)).filter(
      ({ data }) => data.object['promotion_id'] === promotion_id,
    );
  const events = await eventually(toMarketplace, ({ length }) => length >= count);
  expect(events.map(({ type }) => type)).toEqual(await eventTypesOf(app, seller, promotion_id));
  return events;
}

test('from draft to its end by the clock, to the millisecond, each move told to both sides', async () => {
  const seller = await app.seller();
  const made = await makePromotion(app, seller);
  expect(made).toMatchObject({ status: 'draft', currency: 'AUD', decision: null, end_reason: null });
  expect(made.used).toEqual({ orders: 0, units: 0, discount_minor: 0, overspend_minor: 0 });
  expect((await moved(seller, made, 'submit')).body.status).toBe('submitted');
  expect(outcome(await moved(seller, made, 'submit'))).toEqual([409, 'invalid_transition']);
  expect(await said(app, seller, made, { decision: 'approved' })).toBe('applied');
  expect(await statusOf(seller, made)).toBe('scheduled');
  const ahead = (at: string) => Date.parse(at) - app.app.services.now();
  await wait(app, ahead(made.starts_at) - 1);
  expect(await statusOf(seller, made)).toBe('scheduled');
  await wait(app, 1);
  expect(await statusOf(seller, made)).toBe('running');
  await wait(app, ahead(made.ends_at) - 1);
  const later = await seller.renew();
  expect(await statusOf(later, made)).toBe('running');
  await wait(app, 1);
  expect(await readPromotion(later, made)).toMatchObject({
    ...{ status: 'ended', end_reason: 'time', ended_at: made.ends_at },
    decision: { decision: 'approved', reasons: [] },
  });
  const events = await told(seller, made, 4);
  expect(events.map(({ type }) => type)).toEqual(NAMES('submitted', 'approved', 'started', 'ended'));
  const versions = events.map(({ object_version }) => object_version);
  expect(versions).toEqual([2, 3, 4, 5]);
  expect(events.map(({ data }) => data.object['status'])).toEqual([
    ...['submitted', 'scheduled', 'running', 'ended'],
  ]);
  // An estimate changes with prices and rates, so no event has one.
  expect(events.filter(({ data }) => 'estimate' in data.object)).toEqual([]);
  expect(outcome(await moved(later, made, 'end'))).toEqual([409, 'invalid_transition']);
  expect(outcome(await changed(later, made, { name: 'Again' }))).toEqual([409, 'promotion_locked']);
});

test('a rejected promotion is a draft again, with the reasons, until it is submitted again', async () => {
  const seller = await app.seller();
  const made = await makePromotion(app, seller, { code: 'WINTER26' });
  await moved(seller, made, 'submit');
  const reasons = [{ code: 'code_taken', detail: 'Choose another code.' }];
  expect(await said(app, seller, made, { decision: 'rejected', reasons })).toBe('applied');
  const decision = { decision: 'rejected', reasons };
  expect(await readPromotion(seller, made)).toMatchObject({ status: 'draft', decision });
  await expect
    .poll(async () => (await seller.call<{ data: object[] }>('GET', '/notifications')).body.data)
    .toContainEqual(expect.objectContaining({ type: 'promotion.rejected', severity: 'warning' }));
  expect((await changed(seller, made, { code: 'WINTER27' })).body).toMatchObject({
    code: 'WINTER27',
    decision,
  });
  // The marketplace knows it, so it stays.
  const path = `/marketing/promotions/${made.promotion_id}`;
  expect(outcome(await seller.call('DELETE', path))).toEqual([409, 'promotion_locked']);
  expect((await moved(seller, made, 'submit')).body).toMatchObject({ status: 'submitted', decision: null });
  expect((await moved(seller, made, 'withdraw')).body.status).toBe('draft');
  expect(outcome(await moved(seller, made, 'withdraw'))).toEqual([409, 'invalid_transition']);
  const events = await told(seller, made, 4);
  expect(events.map(({ type }) => type)).toEqual(NAMES('submitted', 'rejected', 'submitted', 'withdrawn'));
});

test('decisions: not submitted, foreign, unknown, redelivered, of an earlier submission', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const made = await makePromotion(app, seller);
  const approved = { decision: 'approved' };
  expect(await said(app, seller, made, approved)).toBe('invalid_transition');
  expect(await said(app, other, made, approved)).toBe('promotion_not_found');
  expect(await said(app, { seller_id: 'slr_none' }, made, approved)).toBe('seller_not_found');
  await moved(seller, made, 'submit');
  const first = { time: instant(app, 0) };
  await wait(app, 10);
  await moved(seller, made, 'withdraw');
  await changed(seller, made, { value_bps: 9_000 });
  await moved(seller, made, 'submit');
  // The marketplace has approved 15 %, not 90 %.
  expect(await said(app, seller, made, approved, first)).toBe('stale');
  expect(await statusOf(seller, made)).toBe('submitted');
  const event = orderEvent(app, seller, 'promotion.decided', made.promotion_id, approved);
  expect((await app.events(event, event)).map(({ status }) => status)).toEqual(['applied', 'duplicate']);
  expect(await said(app, seller, made, { decision: 'rejected' })).toBe('invalid_transition');
  expect(await statusOf(seller, made)).toBe('scheduled');
});

test('an approval reaches the version that was reviewed, also when it is made after a newer submission', async () => {
  const seller = await app.seller();
  const made = await makePromotion(app, seller);
  const { version: seen } = (await moved(seller, made, 'submit')).body;
  await moved(seller, made, 'withdraw');
  await changed(seller, made, { value_bps: 9_000 });
  const { version } = (await moved(seller, made, 'submit')).body;
  await wait(app, 10);
  const approved = (reviewed_version: number) =>
    said(app, seller, made, { decision: 'approved', reviewed_version });
  expect(await approved(seen)).toBe('stale');
  expect(await statusOf(seller, made)).toBe('submitted');
  expect(await approved(version + 1)).toBe('version_unknown');
  // More budget is no other promotion.
  await changed(seller, made, { budget_minor: 60_000 });
  expect(await approved(version)).toBe('applied');
  expect(await statusOf(seller, made)).toBe('scheduled');
});

test('an approval after the beginning starts at once, one after the end ends at once', async () => {
  const seller = await app.seller();
  const both = [
    await makePromotion(app, seller),
    await makePromotion(app, seller, { ends_at: instant(app, 2 * MINUTE_MS) }),
  ];
  for (const made of both) await moved(seller, made, 'submit');
  await wait(app, 2 * MINUTE_MS);
  for (const made of both) expect(await said(app, seller, made, { decision: 'approved' })).toBe('applied');
  const [begun, over] = await Promise.all(both.map((made) => readPromotion(seller, made)));
  expect(begun?.status).toBe('running');
  expect(over).toMatchObject({ status: 'ended', end_reason: 'time', ended_at: over?.ends_at });
  const types = async (one?: Promotion) => eventTypesOf(app, seller, one?.promotion_id ?? '');
  expect(await types(begun)).toEqual(NAMES('submitted', 'approved', 'started'));
  expect(await types(over)).toEqual(NAMES('submitted', 'approved', 'ended'));
});

test('the marketplace stops a promotion with its reason; the seller ends one', async () => {
  const seller = await app.seller();
  const [stopped, ended] = [await scheduled(app, seller), await running(app, seller)];
  expect(await said(app, seller, await makePromotion(app, seller), { reason: 'policy' })).toBe(
    'invalid_transition',
  );
  expect(await said(app, seller, stopped, { reason: 'policy', note: 'The code offends.' })).toBe('applied');
  expect(await readPromotion(seller, stopped)).toMatchObject({ status: 'ended', end_reason: 'policy' });
  expect(await said(app, seller, stopped, { reason: 'budget' })).toBe('stale');
  const last = (await told(seller, stopped, 4)).at(-1);
  expect(last?.data.change).toEqual({ reason: 'policy', note: 'The code offends.' });
  expect((await moved(seller, ended, 'end')).body).toMatchObject({
    ...{ status: 'ended', end_reason: 'seller', ended_at: instant(app, 0) },
  });
});

test('terms that the marketplace knows stay; the budget rises and the end comes earlier', async () => {
  const seller = await app.seller();
  const made = await running(app, seller);
  for (const json of [
    { name: 'Other' },
    { value_bps: 2_000 },
    { applies_to: { skus: ['A'] } },
    { budget_minor: 49_999 },
    { ends_at: instant(app, 20 * 86_400_000) },
  ]) {
    const { status, body } = await changed(seller, made, json);
    expect([status, body]).toMatchObject([
      409,
      { code: 'promotion_locked', status: 'running', fields: Object.keys(json) },
    ]);
  }
  expect((await changed(seller, made, { ends_at: instant(app, 0) })).status).toBe(422);
  const ends_at = instant(app, 5 * MINUTE_MS);
  const { status, body } = await changed(seller, made, { budget_minor: 60_000, ends_at });
  expect([status, body]).toMatchObject([200, { status: 'running', budget_minor: 60_000, ends_at }]);
  // The same again changes nothing and makes no event.
  expect((await changed(seller, made, { budget_minor: 60_000 })).body.version).toBe(body.version);
  const types = (await told(seller, made, 4)).map(({ type }) => type);
  expect(types).toEqual(NAMES('submitted', 'approved', 'started', 'changed'));
  await wait(app, 5 * MINUTE_MS - 1);
  expect(await statusOf(seller, made)).toBe('running');
  await wait(app, 1);
  expect(await readPromotion(seller, made)).toMatchObject({
    status: 'ended',
    end_reason: 'time',
    ended_at: ends_at,
  });
});

test('bad terms name the field and the way to mend it', async () => {
  const seller = await app.seller();
  const refused = async (more: object) => {
    const { status, body } = await postPromotion(app, seller, more);
    const problems = body['detail'] as { loc: string[]; type: string }[];
    return [status, ...problems.map(({ loc, type }) => `${loc.slice(1).join('.')} ${type}`)];
  };
  const ends = (days: number) => instant(app, MINUTE_MS + days * 86_400_000);
  expect(await refused({ value_bps: null })).toEqual([422, 'value_bps missing']);
  expect(await refused({ kind: 'amount_off' })).toEqual([
    422,
    'value_minor missing',
    'value_bps extra_forbidden',
  ]);
  expect(await refused({ ends_at: instant(app, MINUTE_MS) })).toEqual([422, 'ends_at greater_than']);
  expect(await refused({ ends_at: ends(90.001) })).toEqual([422, 'ends_at window_too_long']);
  expect((await postPromotion(app, seller, { ends_at: ends(90) })).status).toBe(201);
  // Ninety days in Sydney, one of which has 25 hours.
  const autumn = { starts_at: '2027-02-01T00:00:00+11:00', ends_at: '2027-05-02T00:00:00+10:00' };
  expect((await postPromotion(app, seller, autumn)).status).toBe(201);
  expect(await refused({ ...autumn, ends_at: '2027-05-02T00:00:01+10:00' })).toEqual([
    422,
    'ends_at window_too_long',
  ]);
  for (const more of [
    { applies_to: {} },
    { applies_to: { all: true, skus: ['A'] } },
    { applies_to: { all: false } },
    { applies_to: { categories: ['>'] } },
    { value_bps: 99 },
    { value_bps: 9_001 },
    { code: 'SHORT' },
    { code: 'lower-case' },
    { budget_minor: 0 },
    { name: ' ' },
    { audience: 'everybody' },
  ])
    expect([more, (await postPromotion(app, seller, more)).status]).toEqual([more, 422]);
  const late = await makePromotion(app, seller, { starts_at: instant(app, 0) });
  const { status, body } = await moved(seller, late, 'submit');
  expect([status, body]).toMatchObject([422, { detail: [{ type: 'starts_in_past' }] }]);
  // A change of kind takes the value of the other kind away.
  const other = await changed(seller, late, { kind: 'amount_off', value_minor: 300 });
  expect(other.body).toMatchObject({ kind: 'amount_off', value_minor: 300, value_bps: null });
  const stale = { 'if-match': '"1"' };
  expect((await changed(seller, late, { name: 'Late' }, stale)).status).toBe(412);
});

test('the 101st that has not ended is 409 too_many_promotions; of two at 99 at once, one fits', async () => {
  const seller = await app.seller();
  for (let left = 99; left > 0; left -= 11)
    await Promise.all(Array.from({ length: Math.min(11, left) }, () => makePromotion(app, seller)));
  const both = await Promise.all([postPromotion(app, seller), postPromotion(app, seller)]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  const refused = both.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: 'too_many_promotions', limit: 100, used: 100 });
  const made = both.find(({ status }) => status === 201)?.body as Promotion;
  expect((await seller.call('DELETE', `/marketing/promotions/${made.promotion_id}`)).status).toBe(204);
  expect((await postPromotion(app, seller)).status).toBe(201);
  expect((await postPromotion(app, await app.seller())).status).toBe(201);
  const { body } = await seller.call<{ data: Promotion[] }>(
    'GET',
    '/marketing/promotions?status=draft&limit=200',
  );
  expect(body.data).toHaveLength(100);
});

test('the estimate has the true cost of one unit of the 20 products with the largest discount', async () => {
  const seller = await app.seller();
  const category = 'Home > Kitchen > Mugs';
  const mug = await create(seller, { price_minor: 2_499, category });
  await create(seller, { price_minor: 9_900, category: 'electronics' });
  await create(seller, { price_minor: 5_000, category, status: 'draft' });
  await create(await app.seller(), { price_minor: 8_000, category });
  const one = { product_id: mug.product_id, price_minor: 2_499 };
  const within = await makePromotion(app, seller, { applies_to: { categories: ['home / kitchen'] } });
  const percent = { ...one, discount_minor: 375, fees_saved_minor: 38, true_cost_minor: 337 };
  expect(within.estimate).toEqual([percent]);
  const amount = { kind: 'amount_off', value_bps: null, value_minor: 3_000 };
  const named = await makePromotion(app, seller, {
    ...amount,
    applies_to: { skus: [mug['seller_sku'], 'NONE'] },
  });
  const all = { ...one, discount_minor: 2_499, fees_saved_minor: 250, true_cost_minor: 2_249 };
  expect(named.estimate).toEqual([all]);
  const whole = await makePromotion(app, seller);
  // The fees of electronics are 12.5 %.
  expect(whole.estimate).toMatchObject([{ discount_minor: 1_485, fees_saved_minor: 186 }, percent]);
  await Promise.all(Array.from({ length: 20 }, () => create(seller, { price_minor: 3_000 })));
  const read = await seller.call<Promotion>('GET', `/marketing/promotions/${whole.promotion_id}`);
  expect(read.headers.get('cache-control')).toBe('no-store');
  const again = read.body.estimate;
  expect([again.length, again.at(-1)?.['price_minor']]).toEqual([20, 3_000]);
  // The same function, rates and rounding as the estimate of the fees.
  const items = [0, 375].map((seller_discount_minor) => ({
    price_minor: 2_499,
    category,
    seller_discount_minor,
  }));
  const fees = await seller.call<{ data: { known_fees_minor: number }[] }>('POST', '/fees/estimates', {
    json: { items },
  });
  const [before = 0, after = 0] = fees.body.data.map(({ known_fees_minor }) => known_fees_minor);
  expect(before - after).toBe(percent.fees_saved_minor);
});

test('a promotion that takes prices below their floors is refused with the SKUs, and submitted above them', async () => {
  const shop = { plan: 'Big', account_flags: ['marketing', 'pricing'] } as const;
  const [seller, other] = [await app.seller(shop), await app.seller(shop)];
  const sold = async (owner: TestSeller, floor_minor: number | null) => {
    const { product_id, seller_sku } = await create(owner, { price_minor: 2_499, category: 'Home' });
    const json = { floor_minor, ceiling_minor: null, min_margin_bps: null };
    const path = `/pricing/products/${product_id}/guardrails`;
    if (floor_minor !== null) expect((await owner.call('PUT', path, { json })).status).toBe(200);
    return String(seller_sku);
  };
  // 15 % off 2,499 leaves 2,124.
  const low = await sold(seller, 2_125);
  await sold(seller, 2_124);
  await sold(seller, null);
  await sold(other, 2_400);
  for (const applies_to of [{ all: true }, { categories: ['home'] }, { skus: [low] }]) {
    const made = await makePromotion(app, seller, { applies_to });
    const { status, body } = await moved(seller, made, 'submit');
    expect([status, body]).toMatchObject([409, { code: 'below_floor', skus: [low] }]);
    expect(await statusOf(seller, made)).toBe('draft');
    const less = { kind: 'amount_off', value_minor: 374 };
    await changed(seller, made, less);
    expect((await moved(seller, made, 'submit')).body.status).toBe('submitted');
  }
});

test('without the account flag every route is 404 module_unavailable, also for what is there', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { promotion_id } = await makePromotion(app, seller);
  const path = `/marketing/promotions/${promotion_id}`;
  expect((await other.call('GET', path)).status).toBe(404);
  expect((await other.call('GET', `${path}/orders`)).status).toBe(404);
  expect((await moved(other, { promotion_id }, 'submit')).status).toBe(404);
  const workflows = await seller.call<{ data: object[] }>('GET', '/marketing/workflows');
  expect(workflows.body.data).toEqual([
    { workflow: 'promotions', status: 'enabled' },
    { workflow: 'advertising', status: 'unavailable' },
    { workflow: 'email', status: 'unavailable' },
  ]);
  const flags = { account_flags: [] };
  await app.events(orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, flags));
  const calls: readonly (readonly [string, string, object?])[] = [
    ['GET', '/marketing/promotions'],
    ['POST', '/marketing/promotions', draft(app)],
    ['GET', path],
    ['PATCH', path, { name: 'Other' }],
    ['DELETE', path],
    ...['submit', 'withdraw', 'end'].map((verb) => ['POST', `${path}/${verb}`, {}] as const),
    ['GET', `${path}/orders`],
    ['GET', '/marketing/workflows'],
  ];
  for (const [method, target, json] of calls) {
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await seller.call<{ code: string }>(method, target, { headers, ...(json && { json }) });
    expect([target, ...outcome(answer)]).toEqual([target, 404, 'module_unavailable']);
  }
});
