/** Performance over HTTP: rates, their orders, targets and contests. Source: docs/design/quality.md#performance. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placement, placeOrder, post, shipAll } from '../../../../test/support/orders.ts';
import {
  type Event,
  events,
  expectEqualLists,
  type Metric,
  metric,
  readPerformance,
} from '../../../../test/support/performance.ts';
import { contestEvent, night } from '../../../../test/support/quality.ts';
import { type Contest, decide, rated, review } from '../../../../test/support/reviews.ts';
import { moveTo } from '../../../../test/support/tickets.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T00:00:00Z' });
let day = Date.parse('2026-07-01T00:00:00Z');
const DAY_MS = 86_400_000;
/** Moves the clock by days, past the nights between. */
async function afterDays(days: number, ...sellers: TestSeller[]): Promise<TestSeller[]> {
  day += days * DAY_MS;
  return moveTo(app, new Date(day).toISOString(), ...sellers);
}
const inDays = (days: number) => new Date(day + days * DAY_MS).toISOString();

/** Orders to dispatch by tomorrow, of which some are late. */
async function dispatched(seller: TestSeller, orders: number, late: number): Promise<void> {
  const placed = Array.from({ length: orders }, () =>
    placement(app, seller, [{ title: 'Mug' }], { dispatch_by: inDays(1) }),
  );
  await apply(app, ...placed);
  for (const [index, { subject }] of placed.entries()) {
    expect((await post(seller, `${subject}/accept`)).status).toBe(200);
    if (index >= late) await shipAll(seller, subject);
  }
}

test('late orders of G9 are missed, met and too few to judge; a new target judges no earlier day', async () => {
  let sellers = [await app.seller(), await app.seller(), await app.seller(), await app.seller()];
  for (const [index, [orders, late]] of [
    [40, 3],
    [40, 1],
    [29, 3],
    [0, 0],
  ].entries())
    await dispatched(sellers[index] as TestSeller, orders ?? 0, late ?? 0);
  expect(await readPerformance(sellers[0] as TestSeller, '')).toMatchObject({
    ...{ metrics: [], semantic_status: 'not_computed', cache_status: 'none', retry_after_seconds: 15 },
  });
  sellers = await afterDays(3, ...sellers);
  const [missed, met, few, none] = sellers as [TestSeller, TestSeller, TestSeller, TestSeller];
  expect(await metric(missed, 'late_dispatch')).toMatchObject({
    ...{ numerator: 3, denominator: 40, rate_bps: 750, status: 'missed' },
    ...{ target: { max_bps: 400, version: 'default-1' }, previous: { rate_bps: null, denominator: 0 } },
  });
  expect(await metric(met, 'late_dispatch')).toMatchObject({ rate_bps: 250, status: 'met' });
  expect(await metric(few, 'late_dispatch')).toMatchObject({
    ...{ numerator: 3, denominator: 29, rate_bps: null, status: 'insufficient' },
  });
  expect(await readPerformance(missed, '')).toMatchObject({
    semantic_status: 'complete',
    facts_through_on: '2026-07-03',
  });
  expect(await readPerformance(few, '')).toMatchObject({
    semantic_status: 'insufficient_sample',
    cache_status: 'fresh',
  });
  await night(app, none);
  expect(await readPerformance(none, '')).toMatchObject({ semantic_status: 'insufficient_sample' });
  expect(await events(none, 'late_dispatch')).toEqual([]);
  for (const seller of sellers) await expectEqualLists(seller);
  const told = async (seller: TestSeller) =>
    (
      await seller.call<{ data: { data: { object: Metric } }[] }>(
        'GET',
        '/webhooks/events?types=quality.metric_status_changed',
      )
    ).body.data.map(({ data }) => [data.object.metric, data.object.status]);
  expect(
    await eventually(
      () => told(missed),
      ({ length }) => length > 0,
    ),
  ).toEqual([['late_dispatch', 'missed']]);
  expect(await told(met)).toEqual([]);

  const publish = (max_bps: number, version = 'strict', effective_from = '2026-07-01') =>
    app.events({
      ...orderEvent(app, missed, 'quality.targets_published', version, {
        ...{ version, effective_from, targets: [{ metric: 'late_dispatch', max_bps }] },
      }),
      sellerid: undefined,
    });
  expect(await publish(100)).toMatchObject([{ status: 'applied' }]);
  expect(await publish(100)).toMatchObject([{ status: 'stale' }]);
  expect(await publish(50)).toMatchObject([{ code: 'version_reused' }]);
  expect(await metric(met, 'late_dispatch')).toMatchObject({
    ...{ status: 'met', target: { max_bps: 400, version: 'default-1' } },
  });
  const [later] = await afterDays(1, met);
  // The first day of a version that is told again later is the day on which it was told first.
  expect(await publish(100)).toMatchObject([{ status: 'stale' }]);
  expect(await publish(50)).toMatchObject([{ code: 'version_reused' }]);
  expect(await publish(100, 'strict', '2026-12-01')).toMatchObject([{ code: 'version_reused' }]);
  await dispatched(later as TestSeller, 40, 2);
  const [judged] = await afterDays(3, met);
  // The orders of before are judged by 400, the others by 100.
  expect(await metric(judged as TestSeller, 'late_dispatch')).toMatchObject({
    ...{ numerator: 3, denominator: 80, rate_bps: 375, status: 'missed' },
    ...{ target: { max_bps: 250, version: 'strict' } },
  });
});

test('a cancellation on the buyer’s request does not count; a rejected, an expired and a cancelled order do', async () => {
  let seller = await app.seller();
  const order = () => placeOrder(app, seller, [{ title: 'Mug' }]);
  const ids = { rejected: await order(), excused: await order(), expired: await order() };
  const cancelled = { own: await order(), asked: await order(), marketplace: await order() };
  await post(seller, `${ids.rejected}/reject`, { reason: 'out_of_stock' });
  await post(seller, `${ids.excused}/reject`, { reason: 'suspected_fraud' });
  for (const id of Object.values(cancelled)) await post(seller, `${id}/accept`);
  await post(seller, `${cancelled.own}/cancel`, { reason: 'pricing_error' });
  await post(seller, `${cancelled.asked}/cancel`, { reason: 'customer_requested' });
  await apply(app, orderEvent(app, seller, 'order.cancelled', cancelled.marketplace, { by: 'buyer' }));
  [seller = seller] = await afterDays(3, seller);
  expect(await metric(seller, 'seller_cancel')).toMatchObject({ numerator: 3, denominator: 6 });
  // No unit of the cancelled orders was left to be dispatched.
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 0, denominator: 0 });
  const listed = await events(seller, 'seller_cancel');
  expect(new Map(listed.map(({ order_id, fact }) => [order_id, [fact.cause, fact.reason]]))).toEqual(
    new Map([
      [ids.rejected, ['rejected', 'out_of_stock']],
      [ids.expired, ['expired', null]],
      [cancelled.own, ['cancelled', 'pricing_error']],
    ]),
  );
  await expectEqualLists(seller);
});

test('an order is late while it waits, if it is cancelled too late, and no longer once it proves to be in time', async () => {
  let seller = await app.seller();
  const order = async () => {
    const id = await placeOrder(app, seller, [{ title: 'Mug' }], { dispatch_by: inDays(1) });
    await post(seller, `${id}/accept`);
    return id;
  };
  const [waiting, cancelled, sent] = [await order(), await order(), await order()];
  await shipAll(seller, sent);
  [seller = seller] = await afterDays(2, seller);
  await post(seller, `${cancelled}/cancel`, { reason: 'customer_requested' });
  await night(app, seller);
  const causes = async () =>
    new Map((await events(seller, 'late_dispatch')).map(({ order_id, fact }) => [order_id, fact.cause]));
  expect(await causes()).toEqual(
    new Map([
      [waiting, 'not_dispatched'],
      [cancelled, 'cancelled_late'],
    ]),
  );
  await shipAll(seller, waiting);
  await night(app, seller);
  expect((await causes()).get(waiting)).toBe('dispatched_late');
  await night(app, seller);
  await expectEqualLists(seller);
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 2, denominator: 3 });
});

test('a lost dispute, a faulty return and a low rating are defects; a rating leaves once it is excluded', async () => {
  let seller = await app.seller();
  const delivered = async () => {
    const id = await placeOrder(app, seller, [{ title: 'Mug' }]);
    await post(seller, `${id}/accept`);
    await shipAll(seller, id);
    await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
    return id;
  };
  const [disputed, faulty, unwanted, low, high] = [
    await delivered(),
    await delivered(),
    await delivered(),
    await delivered(),
    await delivered(),
  ];
  const dispute = { dispute_id: `dp-${disputed}` };
  await apply(
    app,
    orderEvent(app, seller, 'dispute.opened', disputed, {
      ...dispute,
      amount_minor: 100,
      provider_fee_minor: 0,
    }),
    orderEvent(app, seller, 'dispute.lost', disputed, { ...dispute }),
  );
  const returned = (id: string, reason: string) =>
    apply(
      app,
      orderEvent(app, seller, 'return.requested', id, {
        return_id: `rtn-${id}`,
        lines: [{ order_line_no: 1, quantity: 1, reason }],
      }),
    );
  await returned(faulty, 'damaged');
  await returned(unwanted, 'changed_mind');
  const { rating_id } = await rated(app, seller, low, { rating: 2 });
  await apply(app, review(app, seller, high, { rating: 3 }));
  [seller = seller] = await afterDays(1, seller);
  const causes = async () =>
    new Map((await events(seller, 'defect')).map(({ order_id, fact }) => [order_id, fact.cause]));
  expect(await causes()).toEqual(
    new Map([
      [disputed, 'dispute_lost'],
      [faulty, 'returned'],
      [low, 'low_rating'],
    ]),
  );
  await expectEqualLists(seller);
  const { body } = await seller.call<Contest>('POST', `/reviews/ratings/${rating_id}/contest`, {
    json: { reason: 'threat' },
  });
  expect(await decide(app, seller, body, { status: 'upheld', reason_code: 'threat' })).toBe('applied');
  [seller = seller] = await afterDays(1, seller);
  expect([...(await causes()).keys()].sort()).toEqual([disputed, faulty].sort());
  await expectEqualLists(seller);
});

test('an event is contested once; upheld it leaves its numerator, a newer decline puts it back', async () => {
  let [seller, stranger] = (await afterDays(0, await app.seller(), await app.seller())) as [
    TestSeller,
    TestSeller,
  ];
  await dispatched(seller, 3, 2);
  [seller, stranger] = (await afterDays(3, seller, stranger)) as [TestSeller, TestSeller];
  const [first, second] = (await events(seller, 'late_dispatch')) as [Event, Event];
  const reason = { reason: 'carrier_fault', detail: 'The depot was flooded.' };
  expect(await contestEvent(stranger, first.event_id, reason)).toMatchObject({ status: 404 });
  expect(await contestEvent(seller, first.event_id, { reason: 'bad_mood' })).toMatchObject({ status: 422 });
  expect(await contestEvent(seller, first.event_id, reason, '?dry_run=true')).toMatchObject({ status: 201 });
  const { status, body } = await contestEvent(seller, first.event_id, reason);
  expect([status, body]).toMatchObject([
    201,
    {
      target: { kind: 'performance', id: first.event_id },
      facts: { order_id: first.order_id, metric: 'late_dispatch', cause: 'not_dispatched', stars: null },
    },
  ]);
  expect(await contestEvent(seller, first.event_id, reason)).toMatchObject({
    status: 409,
    body: { code: 'contest_exists', contest_id: body.contest_id },
  });
  // It counts until there is a decision.
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 2, contested: 1 });
  expect(await stranger.call('GET', `/quality/contests/${body.contest_id}`)).toMatchObject({ status: 404 });
  const own = await seller.call<{ data: Contest[] }>('GET', '/quality/contests?status=submitted');
  expect(own.body.data.map(({ contest_id }) => contest_id)).toEqual([body.contest_id]);
  const facts = async () =>
    (await seller.call<Contest>('GET', `/quality/contests/${body.contest_id}`)).body.facts;
  const frozen = await facts();
  await shipAll(seller, first.order_id);
  expect(await facts()).toEqual(frozen);

  const at = (seconds: number) => ({ time: new Date(day + seconds * 1_000).toISOString() });
  expect(await decide(app, seller, body, { status: 'upheld', reason_code: 'flood' }, at(1))).toBe('applied');
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 1, denominator: 3, contested: 0 });
  expect(await events(seller, 'late_dispatch', '&counted=false')).toMatchObject([
    { event_id: first.event_id, counted: false, contest: { status: 'upheld' } },
  ]);
  await night(app, seller);
  await expectEqualLists(seller);
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 1 });
  expect(await decide(app, seller, body, { status: 'declined', reason_code: 'late' }, at(0))).toBe('stale');
  expect(await decide(app, seller, body, { status: 'declined', reason_code: 'late' }, at(2))).toBe('applied');
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ numerator: 2 });
  await expectEqualLists(seller);

  const again = (await contestEvent(seller, second.event_id, { reason: 'other' })).body;
  const withdrawn = await seller.call('POST', `/quality/contests/${again.contest_id}/withdraw`, { json: {} });
  expect(withdrawn).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
  expect((await contestEvent(seller, second.event_id, { reason: 'other' })).status).toBe(201);
  await night(app, stranger);
  expect(await metric(stranger, 'late_dispatch')).toMatchObject({ numerator: 0, denominator: 0 });
});

test('after 30 days the time to contest has passed, and a carrier has no part in a cancellation', async () => {
  let seller = await app.seller();
  const id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await post(seller, `${id}/reject`, { reason: 'other' });
  [seller = seller] = await afterDays(2, seller);
  const [event] = (await events(seller, 'seller_cancel')) as [Event];
  expect(await contestEvent(seller, event.event_id, { reason: 'carrier_fault' })).toMatchObject({
    status: 409,
    body: { code: 'reason_not_applicable', fact: { name: 'metric', value: 'seller_cancel' } },
  });
  [seller = seller] = await afterDays(31, seller);
  expect(Date.parse(event.contest_until)).toBeLessThan(day);
  expect(await contestEvent(seller, event.event_id, { reason: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'contest_window_passed', contest_until: event.contest_until },
  });
  expect(await metric(seller, 'seller_cancel')).toMatchObject({ numerator: 0, denominator: 0 });
  expect(await metric(seller, 'seller_cancel', '?window=90')).toMatchObject({ numerator: 1, denominator: 1 });
});

test('events are a file too; history has its limits, and an unknown metric is 404', async () => {
  let seller = await app.seller();
  const id = await placeOrder(app, seller, [{ title: 'Mug' }]);
  await post(seller, `${id}/reject`, { reason: 'other' });
  [seller = seller] = await afterDays(2, seller);
  const file = await seller.call('GET', '/quality/seller-metrics/seller_cancel/events?format=csv');
  expect(file.headers.get('content-type')).toContain('text/csv');
  const [header, line] = file.text.split('\r\n');
  expect(header).toContain('event_id,metric,order_id,day,cause');
  expect(line).toContain(id);
  for (const path of ['history', 'events'])
    expect(await seller.call('GET', `/quality/seller-metrics/speed/${path}`)).toMatchObject({
      status: 404,
      body: { detail: 'Your account has no seller metric speed.' },
    });
  const refused = async (query: string) =>
    (await seller.call<{ status: number }>('GET', `/quality/seller-metrics/defect/history?${query}`)).status;
  expect(await refused('from=2025-01-01&to=2026-07-01')).toBe(422);
  expect(await refused('from=2026-07-02&to=2026-07-01')).toBe(422);
  expect(await refused('from=soon')).toBe(422);
  // What was counted is deleted after 25 months; its days are no zeros.
  expect(await refused('from=2024-05-01&to=2024-05-31')).toBe(422);
  expect(await refused('from=2026-07-01&to=2026-07-02')).toBe(200);
  expect((await seller.call('GET', '/quality/seller-metrics?window=7')).status).toBe(422);
});

test('without their night the figures stay, and are stale and partial', async () => {
  let [seller, few] = [await app.seller(), await app.seller()];
  await dispatched(seller, 30, 3);
  [seller, few] = (await afterDays(5, seller, few)) as [TestSeller, TestSeller];
  await night(app, few);
  const frames = (who: TestSeller) =>
    Promise.all(
      ['', '/late_dispatch/history', '/late_dispatch/events'].map(async (path) => {
        const { cache_status, semantic_status, missing_components } = await readPerformance<
          Record<string, unknown>
        >(who, path);
        return { cache_status, semantic_status, missing_components };
      }),
    );
  const fresh = { cache_status: 'fresh', semantic_status: 'complete', missing_components: [] };
  expect(await frames(seller)).toEqual([fresh, fresh, fresh]);
  await asOwner(
    app,
    'update insight_snapshot set facts_through_on = facts_through_on - 2 where seller_id = any($1)',
    [[seller.seller_id, few.seller_id]],
  );
  const stale = { cache_status: 'stale', semantic_status: 'partial', missing_components: ['recent_days'] };
  expect(await frames(seller)).toEqual([stale, stale, stale]);
  expect(await metric(seller, 'late_dispatch')).toMatchObject({ rate_bps: 1_000, status: 'missed' });
  expect((await frames(few))[0]).toEqual({ ...stale, semantic_status: 'insufficient_sample' });
  await night(app, seller);
  expect(await frames(seller)).toEqual([fresh, fresh, fresh]);
});

test('an erasure deletes what was written in a contest about an order of the buyer', async () => {
  let seller = await app.seller();
  const buyer = { alias: 'mia', customer_ref: 'cus_mia' };
  const id = await placeOrder(app, seller, [{ title: 'Mug' }], { buyer });
  await post(seller, `${id}/reject`, { reason: 'other' });
  [seller = seller] = await afterDays(2, seller);
  const [event] = (await events(seller, 'seller_cancel')) as [Event];
  const detail = 'Mia of the blue door';
  const { body } = await contestEvent(seller, event.event_id, { reason: 'other', detail });
  const declined = { status: 'declined', reason_code: 'no', detail };
  expect(await decide(app, seller, body, declined)).toBe('applied');
  const stored = async () =>
    JSON.stringify(
      await Promise.all(
        ['contest', 'outbox'].map((table) =>
          asOwner(app, `select to_jsonb(t)::text from ${table} t where seller_id = $1`, [seller.seller_id]),
        ),
      ),
    );
  expect(await stored()).toContain('blue door');
  const request = { request_id: 'ers-1', customer_ref: 'cus_mia' };
  await apply(app, orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, request));
  expect(await decide(app, seller, body, { ...declined, status: 'upheld' })).toBe('applied');
  expect(await stored()).not.toContain('blue door');
  expect(await metric(seller, 'seller_cancel')).toMatchObject({ denominator: 1 });
});
