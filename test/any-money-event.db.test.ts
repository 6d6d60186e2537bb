/**
 * Random events of money that the published schemas allow, for orders of any amount and currency: the service applies
 * each one, ignores it as stale, or refuses it with a reason. It never fails, and the invariants hold.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { financialsModule, readFindings } from '../src/modules/financials/index.ts';
import { ordersModule } from '../src/modules/orders/index.ts';
import { anythingOf, type Schema, textOf } from './support/any-event.ts';
import { startTestApp } from './support/app.ts';
import { apply, orderEvent, placeOrder, post, shipAll, stocked } from './support/orders.ts';

const app = await startTestApp({ LOG_LEVEL: 'silent' });
const seller = await app.seller({ plan: 'Small' });
const TIMES = ['2026-06-28T01:00:00Z', '1970-01-01T00:00:00Z', '2099-12-31T23:59:59.999Z'];
/** The largest total of an order, in minor units. */
const MOST = 1_000_000_000_000_000;

/** The events of orders that move money. */
const OF_ORDERS = /payment_captured|delivered|refund|dispute|cancelled/;
const TYPES = [
  ...(financialsModule.marketplaceEvents ?? []),
  ...(ordersModule.marketplaceEvents ?? []).filter(({ type }) => OF_ORDERS.test(type)),
].map(({ type, schema }) => ({ type, schema: schema as Schema }));

/** The envelope refuses other names. */
const isName = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\u0000') && text.isWellFormed();

test('any event of money that its schema allows, about any order or seller', async () => {
  const { sku } = await stocked(seller, null);
  const orders: string[] = [];
  for (const [price, quantity, currency] of [
    [0, 1, 'AUD'],
    [1, 7, 'AUD'],
    [MOST, 1, 'AUD'],
    [333_333_333_333_333, 3, 'AUD'],
    [1_000, 3, 'JPY'],
  ] as const) {
    const id = await placeOrder(app, seller, [{ sku, quantity, price }], { currency, loyalty: true });
    const captured = { charge_id: id, captured_minor: price * quantity, provider_fee_minor: MOST };
    await apply(app, orderEvent(app, seller, 'order.payment_captured', id, captured));
    await post(seller, `${id}/accept`);
    orders.push(id);
  }
  const parcels = [];
  for (const id of orders.slice(1, 4)) parcels.push((await shipAll(seller, id)).shipment_id);
  const refs = fc.constantFrom(...orders, 'rf_1', 'rf_2', 'dp_1', 'dp_2', 'rsv_1', 'adj 1', 'adj');
  const subject = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...orders, ...parcels) },
    { weight: 6, arbitrary: fc.constant(seller.seller_id) },
    { weight: 1, arbitrary: textOf({ maxLength: 500 }) },
  );
  const event = fc.oneof(
    ...TYPES.map(({ type, schema }) =>
      fc.record({
        type: fc.constant(type),
        subject,
        data: anythingOf(schema, refs),
        time: fc.constantFrom(...TIMES),
      }),
    ),
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 30, maxLength: 60 }), async (events) => {
      const sent = events.map((one) => ({
        specversion: '1.0',
        id: randomUUID(),
        source: '/any',
        sellerid: seller.seller_id,
        ...one,
        subject: isName(one.subject) ? one.subject : 'ord_x',
      }));
      const results = await app.events(...sent);
      for (const [index, { status, code }] of results.entries()) {
        seen.add(code ?? status);
        expect(code, JSON.stringify(sent[index])).not.toBe('internal_error');
      }
    }),
    { numRuns: 25 },
  );
  for (const outcome of ['applied', 'stale', 'invalid_transition', 'data_invalid'])
    expect(seen).toContain(outcome);
  const findings = await readFindings(app.app.services.withSystemLong);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
  for (const path of [
    '/financials/dashboard',
    '/financials/metrics',
    '/financials/settlements',
    '/financials/balances',
  ])
    expect((await seller.call('GET', path)).status, path).toBe(200);
});
