/** Currencies: the service accepts those of ISO 4217, each with its own decimal places and its own fee schedule. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from './support/app.ts';
import { callInternal } from './support/internal.ts';
import { apply, orderEvent, placement, publishRates, readOrder } from './support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-16T01:00:00Z' });

const UNKNOWN = ['ZZZ', 'XXX', 'XTS', 'XAU', 'HRK', 'EUX'];

test('a currency that ISO 4217 does not have is refused everywhere', async () => {
  const seller = await app.seller();
  for (const currency of UNKNOWN) {
    const report = {
      provider: 'stripe',
      data_through: '2026-07-16T00:00:00Z',
      transactions: [
        {
          provider_transaction_id: randomUUID(),
          ...{ type: 'charge', amount_minor: 1, fee_minor: 0, net_minor: 1, currency },
          created_at: '2026-07-15T00:00:00Z',
        },
      ],
    };
    const schedule = {
      ...{ version: currency, currency, effective_from: '2026-01-01', platform_fee_default_bps: 0 },
      ...{
        shipping_fee_bps: 0,
        loyalty_program_fund_bps: 0,
        seller_order_fee_minor: 0,
        dispute_fee_minor: 0,
      },
    };
    const results = await app.events(
      placement(app, seller, [{ title: 'Mug' }], { currency }),
      orderEvent(app, seller, 'provider.transactions_reported', 'x', report),
      orderEvent(app, seller, 'fee_schedule.published', currency, schedule),
    );
    expect(results.map(({ code }) => code)).toEqual(Array(3).fill('currency_unknown'));
    for (const path of [
      '/financials/balances',
      '/financials/settlements',
      '/financials/settlements/export/csv',
      '/financials/marketplace-activity/export/csv',
      '/payments/payouts',
      '/fees/schedule',
    ]) {
      const answer = await seller.call<{ detail: object[] }>('GET', `${path}?currency=${currency}`);
      expect(answer.status, path).toBe(422);
      expect(answer.body.detail[0], path).toMatchObject({ loc: ['query', 'currency'] });
    }
    expect((await app.call('GET', `/api/v1/fees/published-rates?currency=${currency}`)).status).toBe(422);
    const json = { seller_sku: `S-${currency}`, title: 'Mug', status: 'draft', currency };
    const product = await seller.call<{ detail: object[] }>('POST', '/products', { json });
    expect([product.status, product.body.detail[0]]).toMatchObject([422, { loc: ['body', 'currency'] }]);
  }
});

test('an order needs rates in its currency, and its fees follow from them', async () => {
  const seller = await app.seller();
  const order = placement(app, seller, [{ title: 'Mug', price: 10_000 }], { currency: 'EUR' });
  const [refused] = await app.events(order);
  expect(refused).toMatchObject({ status: 'rejected', code: 'no_schedule_for_currency' });
  expect((await seller.call('GET', `/orders/${order.subject}`)).status).toBe(404);
  const estimate = { currency: 'EUR', items: [{ price_minor: 10_000 }] };
  expect((await seller.call('POST', '/fees/estimates', { json: estimate })).status).toBe(422);
  const rates = {
    ...{ version: '2026-eur', currency: 'EUR', effective_from: '2026-07-16', platform_fee_default_bps: 500 },
    ...{ shipping_fee_bps: 0, loyalty_program_fund_bps: 0, seller_order_fee_minor: 20, dispute_fee_minor: 0 },
  };
  const [early, other] = [
    { ...rates, version: 'later', effective_from: '2026-07-17' },
    { ...rates, version: 'pounds', currency: 'GBP' },
  ];
  const publish = (data: { version: string }) =>
    apply(app, orderEvent(app, seller, 'fee_schedule.published', data.version, data));
  await publish(early);
  await publish(other);
  expect((await app.events(order))[0]?.code).toBe('no_schedule_for_currency');
  await publish(rates);
  // Delivered before the first day of the rates: the first rates of the currency count.
  await apply(
    app,
    order,
    orderEvent(app, seller, 'order.payment_captured', order.subject, {
      charge_id: 'ch',
      captured_minor: 10_000,
    }),
    orderEvent(app, seller, 'order.delivered', order.subject, { delivered_at: '2026-07-15T00:00:00Z' }),
  );
  const charged = await seller.call<{ transaction: object }>('GET', `/fees/orders/${order.subject}`);
  expect(charged.body.transaction).toMatchObject({
    currency: 'EUR',
    fee_schedule_version: '2026-eur',
    fee_components: { platform_fee_minor: 500, seller_order_fee_minor: 20 },
  });
  const shown = await app.call<{ current: object }>('GET', '/api/v1/fees/published-rates?currency=EUR');
  expect(shown.body.current).toMatchObject({ fee_schedule_version: '2026-eur', currency: 'EUR' });
  const none = await app.call<object>('GET', '/api/v1/fees/published-rates?currency=USD');
  expect(none.body).toMatchObject({ current: null, upcoming: [], history: [] });
  const estimated = await seller.call<object>('POST', '/fees/estimates', { json: estimate });
  expect(estimated.body).toMatchObject({ currency: 'EUR', data: [{ known_fees_minor: 520 }] });
});

/** A currency for each number of places, and some that programs often get wrong: code, places, 123456 minor units. */
const PLACES = [
  ['JPY', 0, '123456'],
  ['ISK', 0, '123456'],
  ['UGX', 0, '123456'],
  ['MGA', 2, '1234.56'],
  ['MRU', 2, '1234.56'],
  ['BHD', 3, '123.456'],
  ['KWD', 3, '123.456'],
  ['CLF', 4, '12.3456'],
  ['UYW', 4, '12.3456'],
] as const;

test('every amount has exactly the decimal places of its currency', async () => {
  let seller = await app.seller();
  const orders = new Map<string, string>();
  for (const [currency, places] of PLACES) {
    await publishRates(app, seller, currency);
    const order = placement(app, seller, [{ title: 'Mug', price: 123_456 }], { currency });
    const captured = { charge_id: currency, captured_minor: 123_456, provider_fee_minor: 0 };
    await apply(
      app,
      order,
      orderEvent(app, seller, 'order.payment_captured', order.subject, captured),
      orderEvent(app, seller, 'order.delivered', order.subject, {}),
    );
    expect(await readOrder(seller, order.subject)).toMatchObject({ currency, currency_exponent: places });
    orders.set(currency, order.subject);
  }
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-08-02T00:00:00Z' } });
  seller = await seller.renew();
  for (const [currency, places, text] of PLACES) {
    const query = `currency=${currency}`;
    const { body } = await seller.call<{ data: { settlement_id: string; status: string }[] }>(
      'GET',
      `/financials/settlements?status=ready&${query}`,
    );
    const id = String(body.data[0]?.settlement_id);
    expect(body, currency).toMatchObject({ currency, currency_exponent: places });
    const detail = await seller.call('GET', `/financials/settlements/${id}/export/csv`);
    const sale = detail.text.split('\r\n').find((row) => row.includes(',gross,sale,'));
    expect(sale?.split(',').slice(14, 17), currency).toEqual([text, text, currency]);
    const activity = await seller.call('GET', `/financials/marketplace-activity/export/csv?${query}`);
    expect(activity.text.split('\r\n')[1]?.split(','), currency).toContain(text);
    const invoices = await seller.call<{ data: object[] }>('GET', `/financials/invoices?settlement_id=${id}`);
    expect(invoices.body.data[0], currency).toMatchObject({ currency, currency_exponent: places });
  }
});
