/** Fees over HTTP: rates, estimates, and the fees of orders with their reasons. */

import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { postFor } from '../../../../test/support/golden-ledger.ts';
import { apply, orderEvent, placeOrder, readOrder } from '../../../../test/support/orders.ts';
import { minor } from '../../../kernel/money.ts';
import { statementLegs } from '../../ledger/domain/journal.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z' });
let seller: TestSeller;
beforeAll(async () => {
  seller = await app.seller();
});

type Body = Record<string, unknown> & { readonly data: readonly Record<string, unknown>[] };

describe('rates', () => {
  test('are public, also future ones', async () => {
    const rates = {
      effective_from: '2026-08-01',
      platform_fee_default_bps: 1_100,
      shipping_fee_bps: 1_000,
      loyalty_program_fund_bps: 200,
      seller_order_fee_minor: 30,
      dispute_fee_minor: 2_500,
    };
    const version = '2026-08';
    const event = orderEvent(app, seller, 'fee_schedule.published', version, { version, ...rates });
    expect((await app.events(event))[0]?.status).toBe('applied');
    const { status, body } = await app.call<Record<string, Record<string, unknown>[]>>(
      'GET',
      '/api/v1/fees/published-rates',
    );
    expect(status).toBe(200);
    expect(body['current']).toMatchObject({
      fee_schedule_version: 'default',
      effective_to: '2026-07-31',
      rounding: 'half_up_per_line',
      payment_processing: 'provider_pass_through',
    });
    expect(body['upcoming']?.map((one) => one['fee_schedule_version'])).toEqual([version]);
  });

  test('may be cached for minutes, and revalidated by their tag', async () => {
    const path = '/api/v1/fees/published-rates';
    const { headers } = await app.call('GET', path);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const tag = headers.get('etag') ?? '';
    expect((await app.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    const rates = { effective_from: '2026-09-01', platform_fee_default_bps: 1_200 };
    const more = { shipping_fee_bps: 0, loyalty_program_fund_bps: 0, seller_order_fee_minor: 0 };
    const data = { version: '2026-09', ...rates, ...more, dispute_fee_minor: 0 };
    await app.events(orderEvent(app, seller, 'fee_schedule.published', '2026-09', data));
    expect((await app.call('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(200);
    const own = await seller.call('GET', '/fees/schedule');
    expect(own.headers.get('cache-control')).toBe('no-store');
    const again = { 'if-none-match': own.headers.get('etag') ?? '' };
    expect((await seller.call('GET', '/fees/schedule', { headers: again })).status).toBe(304);
  });

  test('can be read for a past or a future day', async () => {
    const at = async (day: string) =>
      (await seller.call<Record<string, unknown>>('GET', `/fees/schedule?at=${day}`)).body;
    expect(await at('2026-07-31')).toMatchObject({
      fee_schedule_version: 'default',
      platform_fee_default_bps: 1_000,
    });
    expect(await at('2026-08-01')).toMatchObject({
      fee_schedule_version: '2026-08',
      effective_to: '2026-08-31',
    });
    for (const wrong of ['someday', '1999-12-31'])
      expect((await seller.call('GET', `/fees/schedule?at=${wrong}`)).status).toBe(422);
  });
});

describe('estimates', () => {
  const ask = (...items: object[]) => seller.call<Body>('POST', '/fees/estimates', { json: { items } });

  test('show each component with its formula and rounding, and the unknown ones', async () => {
    const { status, body } = await ask({
      reference: 'TIN-S',
      price_minor: 1_995,
      quantity: 3,
      shipping_minor: 850,
    });
    expect(status).toBe(200);
    expect(body['fee_schedule_version']).toBe('default');
    expect(body.data[0]).toMatchObject({
      reference: 'TIN-S',
      gross_minor: 6_835,
      known_fees_minor: 714,
      before_missing_minor: 6_121,
      missing_components: ['payment_processing'],
      components: [
        {
          component: 'platform_fee',
          amount_minor: 684,
          formula: 'half_up(5985 × 1000 / 10000) + half_up(850 × 1000 / 10000) = 684',
          steps: [
            { on: 'item', exact: '598.5000', amount_minor: 599 },
            { on: 'shipping', exact: '85.0000', amount_minor: 85 },
          ],
        },
        { component: 'loyalty_program_fund', status: 'not_applicable', amount_minor: 0 },
        { component: 'seller_order_fee', amount_minor: 30 },
        { component: 'payment_processing', status: 'not_captured', amount_minor: null },
      ],
    });
  });

  test('know categories, discounts and the loyalty program', async () => {
    const item = {
      price_minor: 10_000,
      category: 'Electronics > Audio',
      seller_discount_minor: 1_000,
      loyalty: true,
    };
    const { body } = await ask(item);
    expect(body.data[0]).toMatchObject({ gross_minor: 9_000, known_fees_minor: 1_125 + 180 + 30 });
  });

  test('equal the fees that the delivery is charged later, to the cent', async () => {
    const other = await app.seller();
    const lines = [
      { sku: 'MUG', title: 'Mug', price: 2_499, quantity: 3 },
      { kind: 'shipping', price: 995 } as const,
    ];
    const id = await placeOrder(app, other, lines, { loyalty: true, seller_discount_minor: 333 });
    const captured = { charge_id: 'ch_1', captured_minor: 8_159, provider_fee_minor: 163 };
    await apply(
      app,
      orderEvent(app, other, 'order.payment_captured', id, captured),
      orderEvent(app, other, 'order.delivered', id, { delivered_at: '2026-07-19T00:00:00Z' }),
    );
    const { body } = await ask({
      ...{ price_minor: 2_499, quantity: 3, shipping_minor: 995, seller_discount_minor: 333, loyalty: true },
    });
    const estimated = body.data[0] as { known_fees_minor: number; components: Record<string, unknown>[] };
    const { body: list } = await other.call<Body>('GET', '/fees/transactions');
    const charged = list.data[0] as {
      marketplace_fees_minor: number;
      fee_components: Record<string, number>;
    };
    expect(estimated.known_fees_minor + 163).toBe(charged.marketplace_fees_minor);
    for (const { component, amount_minor } of estimated.components.slice(0, 3))
      expect(charged.fee_components[`${String(component)}_minor`], String(component)).toBe(amount_minor);
  });

  test('refuse a discount beyond the price', async () => {
    expect((await ask({ price_minor: 100, seller_discount_minor: 101 })).status).toBe(422);
  });
});

describe('what an order was charged', () => {
  let order: string;
  let line: string;
  beforeAll(async () => {
    order = await placeOrder(app, seller, [{ sku: 'TIN-S', title: 'Tin', quantity: 3, price: 1_995 }]);
    line = String((await readOrder(seller, order)).lines[0]?.order_line_id);
  });
  const feesOf = (id: string, who = seller) =>
    who.call<{
      transaction: Record<string, unknown> | null;
      comparison: { basis: string; components: Record<string, unknown>[]; missing_components: string[] };
    }>('GET', `/fees/orders/${id}`);

  test('is expected before anything is delivered', async () => {
    const { status, body } = await feesOf(order);
    expect(status).toBe(200);
    expect(body.transaction).toBeNull();
    expect(body.comparison.basis).toBe('ordered');
    expect(body.comparison.components[0]).toMatchObject({ estimated_minor: 599, actual_minor: null });
  });

  test('is shown line by line, against its estimate, with the causes', async () => {
    const part = (
      type: Parameters<typeof statementLegs>[1]['type'],
      amount: number,
      related_id: string | null = null,
    ) => statementLegs(minor(amount), { type, description: type, order_line_id: line, related_id });
    const common = { currency: 'AUD', actor: 'test', order_id: order } as const;
    await postFor(app, seller.seller_id, [
      {
        ...common,
        kind: 'order_delivered',
        key: 'd',
        occurred_at: '2026-07-14T00:00:00Z',
        hold_days: 7,
        legs: [...part('sale', 5_985), ...part('platform_fee', -599), ...part('seller_order_fee', -30)],
      },
      {
        ...common,
        kind: 'refund_created',
        key: 'r',
        occurred_at: '2026-07-15T00:00:00Z',
        not_before: '2026-07-21',
        legs: [...part('refund', -1_995, 'rf_1'), ...part('platform_fee_credit', 200, 'rf_1')],
      },
    ]);
    const { body, headers } = await feesOf(order);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.transaction).toMatchObject({
      posted_on: '2026-07-14',
      available_on: '2026-07-21',
      status: 'in_hold',
      settlement_id: null,
      gross_order_amount_minor: 5_985,
      marketplace_fees_minor: 429,
      adjustments_minor: -1_995,
      net_payout_minor: 3_561,
      fee_components: { platform_fee_minor: 599, seller_order_fee_minor: 30, fee_credits_minor: 200 },
    });
    expect(body.comparison.components[0]).toEqual({
      component: 'platform_fee',
      estimated_minor: 599,
      actual_minor: 399,
      variance_minor: -200,
      causes: [{ cause: 'refund_credit', amount_minor: -200 }],
    });
    expect(body.comparison.missing_components).toEqual(['payment_processing']);
  });

  test('names the components that were not recorded, and never shows them as zero', async () => {
    const other = await app.seller();
    const deliver = async (fee: object) => {
      const id = await placeOrder(app, other, [{ sku: 'P', title: 'P', price: 1_000 }]);
      const paid = { charge_id: `ch_${id}`, captured_minor: 1_000, ...fee };
      await apply(
        app,
        orderEvent(app, other, 'order.payment_captured', id, paid),
        orderEvent(app, other, 'order.delivered', id, { delivered_at: '2026-07-14T00:00:00Z' }),
      );
      return id;
    };
    const untold = await deliver({});
    const free = await deliver({ provider_fee_minor: 0 });
    const { body } = await other.call<Body>('GET', '/fees/transactions');
    const missing = new Map(body.data.map((row) => [row['order_id'], row['missing_components']]));
    expect([missing.get(untold), missing.get(free)]).toEqual([['payment_processing'], []]);
    expect((await feesOf(untold, other)).body.transaction).toMatchObject({
      missing_components: ['payment_processing'],
    });
  });

  test('is read with an entity tag, and only by its seller', async () => {
    const tag = (await feesOf(order)).headers.get('etag') ?? '';
    const again = await seller.call('GET', `/fees/orders/${order}`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect((await feesOf(order, await app.seller())).status).toBe(404);
    expect((await feesOf('ord_none')).status).toBe(404);
  });

  test('is listed by order, page by page, and audited', async () => {
    const other = await app.seller();
    const journal = (id: string, day: string) => ({
      kind: 'order_delivered' as const,
      key: id,
      currency: 'AUD',
      occurred_at: `${day}T00:00:00Z`,
      actor: 'test',
      order_id: id,
      legs: [
        ...statementLegs(minor(100), { type: 'sale', description: 'Sale' }),
        ...statementLegs(minor(-10), { type: 'platform_fee', description: 'Fee' }),
      ],
    });
    await postFor(app, other.seller_id, [
      journal('ord_a', '2026-07-10'),
      journal('ord_b', '2026-07-12'),
      journal('ord_c', '2026-07-11'),
      ...['d', 'e', 'f', 'g'].map((name) => journal(`ord_${name}`, '2026-07-09')),
    ]);
    const ids: unknown[] = [];
    let cursor = '';
    do {
      const page = await other.call<Body & { page: { next_cursor: string | null } }>(
        'GET',
        `/fees/transactions?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.status).toBe(200);
      ids.push(...page.body.data.map((row) => row['order_id']));
      cursor = page.body.page.next_cursor ?? '';
    } while (cursor !== '');
    // Within a day the last posted entry comes first, with any number of digits in its position.
    expect(ids).toEqual(['b', 'c', 'a', 'g', 'f', 'e', 'd'].map((name) => `ord_${name}`));
    const window = await other.call<Body>('GET', '/fees/transactions?from=2026-07-11&to=2026-07-11');
    expect(window.body.data.map((row) => [row['order_id'], row['net_payout_minor']])).toEqual([
      ['ord_c', 90],
    ]);
  });

  test('that differs from the rates of the day is found', async () => {
    const other = await app.seller();
    const id = await placeOrder(app, other, [{ sku: 'X', title: 'X', price: 1_000 }]);
    const order_line_id = String((await readOrder(other, id)).lines[0]?.order_line_id);
    const charged = (fee: number) => [
      ...statementLegs(minor(1_000), { type: 'sale', description: 'Sale', order_line_id }),
      ...statementLegs(minor(-fee), { type: 'platform_fee', description: 'Fee', order_line_id }),
      ...statementLegs(minor(-30), { type: 'seller_order_fee', description: 'Fee' }),
    ];
    await postFor(app, other.seller_id, [
      {
        kind: 'order_delivered',
        key: id,
        currency: 'AUD',
        occurred_at: '2026-07-20T00:00:00Z',
        actor: 'test',
        order_id: id,
        legs: charged(101),
      },
    ]);
    const { body } = await other.call<Body>('GET', '/fees/audit');
    expect(body['checked_count']).toBe(1);
    expect(body.data.map((row) => row['order_id'])).toEqual([id]);
  });
});

test('every charged line is in the file, and the amounts of an order add up to its net payout', async () => {
  const [own, other] = [await app.seller(), await app.seller()];
  for (const who of [own, other, own]) {
    const id = await placeOrder(app, who, [
      { sku: 'MUG', title: '=Mug', price: 2_499, quantity: 3 },
      { kind: 'shipping', price: 995 },
    ]);
    const captured = { charge_id: `ch_${id}`, captured_minor: 8_492, provider_fee_minor: 163 };
    await apply(
      app,
      orderEvent(app, who, 'order.payment_captured', id, captured),
      orderEvent(app, who, 'order.delivered', id, { delivered_at: '2026-07-19T00:00:00Z' }),
    );
  }
  const { body } = await own.call<Body>('GET', '/fees/transactions');
  const file = await own.call('GET', '/fees/transactions/export/csv');
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const rows = parse(file.text, { columns: true }) as Readonly<Record<string, string>>[];
  expect(body.data).toHaveLength(2);
  for (const order of body.data) {
    const lines = rows.filter(({ order_id }) => order_id === order['order_id']);
    expect(lines.map(({ transaction_id }) => transaction_id)).toEqual(
      (order['lines'] as { transaction_id: string }[]).map(({ transaction_id }) => transaction_id),
    );
    const cents = lines.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect(cents).toBe(order['net_payout_minor']);
  }
  expect(new Set(rows.map(({ order_id }) => order_id)).size).toBe(2);
  const before = await own.call('GET', '/fees/transactions/export/csv?to=2026-07-01');
  expect(before.text.trim().split('\r\n')).toHaveLength(1);
});
