/** Points beside the money of the golden example: statements, reconciliation and wallet agree to the cent. */
import { expect, test } from 'vitest';
import { begin, moveTo, tellUntil } from '../../../../test/golden/story.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { pointsEvent, publishTerms, walletOf } from '../../../../test/support/loyalty.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });
await publishTerms(app);
const story = await begin(app);

const EARNED = { ord_1002: 876, ord_1005: 1_996, ord_1008: 156, ord_1010: 3_040 };
const earnings = Object.entries(EARNED).map(([order_id, points]) =>
  pointsEvent(app, story.seller, 'earned', {
    ...{ transaction_id: `earned-${order_id}`, points, order_id, funded_minor: points / 2 },
  }),
);
const reversal = pointsEvent(app, story.seller, 'reversed', {
  ...{ transaction_id: 'back', points: 1_996, order_id: 'ord_1005', refund_id: 'rf_2', funded_minor: 998 },
});
const redemption = pointsEvent(app, story.seller, 'redeemed', { transaction_id: 'spent', points: 500 });

/** The orders of the comparison by their status. */
const compared = async () => {
  const { body } = await story.seller.call<{ data: { order_id: string; status: string }[] }>(
    'GET',
    '/loyalty/reconciliation',
  );
  return Object.fromEntries(body.data.map(({ order_id, status }) => [order_id, status]));
};

const told = await tellUntil(story, '2026-07-05T02:00:00.000Z');
const atFirst = await compared();
// Events are kept for 30 days.
const toldAtFirst = await eventTypesOf(app, story.seller, 'ord_1002');
await tellUntil(story, '2026-08-20T01:00:00.000Z', told);
const unpaid = await compared();
// The latest first, and everything twice: what is not covered yet is refused and sent again.
for (let round = 0; round < 3; round += 1)
  await app.events(
    ...[redemption, reversal, ...earnings.toReversed()].flatMap((event) => [
      event,
      { ...event, id: `${event.id}-${round}` },
    ]),
  );
await moveTo(app, '2026-09-01T01:00:00.000Z');
story.seller = await story.seller.renew();

test('money without points is pending for 48 hours, then missing, and told once', async () => {
  expect(atFirst).toMatchObject({ ord_1002: 'points_missing', ord_1005: 'pending' });
  expect(unpaid).toMatchObject({ ord_1002: 'points_missing', ord_1008: 'points_missing' });
  // What the refund of ord_1005 has given back leaves no money and no points.
  expect(unpaid['ord_1005']).toBe('matched');
  expect(toldAtFirst.filter((type) => type === 'loyalty.mismatch_found')).toHaveLength(1);
});

test('with all points every order matches, and each is charged without enrolment', async () => {
  expect(await compared()).toEqual({
    ...{ ord_1002: 'matched', ord_1005: 'matched', ord_1008: 'matched', ord_1010: 'matched' },
  });
  const { body } = await story.seller.call<{ data: Record<string, unknown>[] }>(
    'GET',
    '/loyalty/reconciliation?status=matched&order_id=ord_1010',
  );
  expect(body.data).toEqual([
    expect.objectContaining({
      ...{ order_id: 'ord_1010', fund_minor: 1_520, points_funded_minor: 1_520, difference_minor: 0 },
      charged_without_enrolment: true,
    }),
  ]);
});

test('each statement equals the component of its settlement', async () => {
  interface Listed {
    readonly settlement_id: string;
    readonly period_start: string;
    readonly charged_minor: number;
    readonly credited_minor: number;
    readonly fund_minor: number;
  }
  const { body } = await story.seller.call<{ data: Listed[] }>('GET', '/loyalty/statements');
  const figures = body.data.map((one) => [
    ...[one.period_start, one.charged_minor, one.credited_minor, one.fund_minor],
  ]);
  expect(figures).toContainEqual(['2026-07-01', 1_436, 0, 1_436]);
  expect(figures).toContainEqual(['2026-07-16', 78, 998, -920]);
  expect(figures).toContainEqual(['2026-08-01', 1_520, 0, 1_520]);
  expect(body.data.reduce((sum, { fund_minor }) => sum + fund_minor, 0)).toBe(2_036);
  for (const { settlement_id, charged_minor, fund_minor } of body.data) {
    const settlement = await story.seller.call<{ fee_components: Record<string, number> }>(
      'GET',
      `/financials/settlements/${settlement_id}`,
    );
    expect(settlement.body.fee_components['loyalty_program_fund_minor']).toBe(charged_minor);
    const path = `/loyalty/statements/${settlement_id}`;
    const detail = await story.seller.call<{ orders: { fund_minor: number }[] }>('GET', path);
    expect(detail.body.orders.reduce((sum, one) => sum + one.fund_minor, 0)).toBe(fund_minor);
    const other = await story.others[0]?.renew();
    expect((await other?.call('GET', path))?.status).toBe(404);
  }
});

test('the wallet at the end of August', async () => {
  const wallet = await walletOf(story.seller, '2026-08-31');
  expect(wallet).toMatchObject({
    points: {
      ...{ issued: 6_068, reversed: 1_996, redeemed: 500, expired: 0, restored: 0, adjusted: 0 },
      ...{ outstanding: 3_572, deficit: 0 },
    },
    value_minor: { outstanding: 1_786, redeemed: 250, expired: 0 },
    by_month: [{ month: '2026-08', redeemed: 500, expired: 0 }],
    fund_balance_minor: 2_036,
    difference_minor: 0,
    semantic_status: 'complete',
  });
  // Before the points were booked, the day had money only.
  expect(await walletOf(story.seller, '2026-07-31')).toMatchObject({
    points: { issued: 0, outstanding: 0 },
    fund_balance_minor: 2_036,
  });
});

test('points without money are fund_missing after 48 hours, once', async () => {
  const order = 'ord_1003';
  const data = { points: 10, order_id: order, funded_minor: 5 };
  await app.events(pointsEvent(app, story.seller, 'earned', data));
  expect((await compared())[order]).toBe('pending');
  await moveTo(app, '2026-09-05T01:00:00.000Z');
  story.seller = await story.seller.renew();
  expect((await compared())[order]).toBe('fund_missing');
  const types = await eventTypesOf(app, story.seller, order);
  expect(types.filter((type) => type === 'loyalty.mismatch_found')).toHaveLength(1);
  const { body } = await story.seller.call<{ data: { type: string; object_id: string }[] }>(
    'GET',
    '/notifications?limit=200',
  );
  const notices = body.data.filter((one) => one.type === 'loyalty.mismatch_found' && one.object_id === order);
  expect(notices).toHaveLength(1);
});
