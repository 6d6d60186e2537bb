/** Orders with a total of zero after their discounts are delivered, charged and counted like every other order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, placeOrder, post, shipAll, stocked } from '../../../../test/support/orders.ts';
import { readFindings } from '../../financials/index.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T01:00:00Z' });

const capture = (seller: TestSeller, id: string, captured_minor: number) =>
  apply(app, orderEvent(app, seller, 'order.payment_captured', id, { charge_id: id, captured_minor }));
const countOf = async (seller: TestSeller, path: string): Promise<unknown> =>
  (await seller.call<Record<string, unknown>>('GET', path)).body['delivered_order_count'];

test('an order that is discounted to zero is charged and counted everywhere', async () => {
  const seller = await app.seller();
  const id = await placeOrder(app, seller, [{ title: 'Mug', price: 2_000 }], {
    seller_discount_minor: 2_000,
  });
  await capture(seller, id, 0);
  await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
  for (const path of ['/financials/dashboard', '/financials/balances', '/financials/metrics'])
    expect(await countOf(seller, path), path).toBe(1);
  expect(await countOf(seller, '/financials/taxes/bas-summary?quarter=FY2026-27-Q1')).toBe(1);
  const fees = await seller.call<{ comparison: { basis: string; components: object[] } }>(
    'GET',
    `/fees/orders/${id}`,
  );
  expect(fees.body).toMatchObject({
    transaction: { gross_order_amount_minor: 0, marketplace_fees_minor: 30 },
    comparison: { basis: 'delivered' },
  });
  expect(fees.body.comparison.components).toContainEqual(
    expect.objectContaining({ component: 'seller_order_fee', estimated_minor: 30, actual_minor: 30 }),
  );
  const settlement = async (who: TestSeller) => {
    const path = '/financials/settlements?include_empty=true';
    const { body } = await who.call<{ data: Record<string, unknown>[] }>('GET', path);
    return body.data.find(({ line_count }) => line_count === 1);
  };
  expect(await settlement(seller)).toMatchObject({ status: 'open', order_count: 1, fees_minor: 30 });
  await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: '2026-08-02T00:00:00Z' } });
  const later = await seller.renew();
  expect(await settlement(later)).toMatchObject({ status: 'carried_forward', order_count: 1 });
  expect(await countOf(later, '/financials/dashboard?as_of=2026-07-19')).toBe(0);
  expect(await countOf(later, '/financials/dashboard?as_of=2026-07-20')).toBe(1);
});

test('orders are counted by their deliveries, whatever their amounts', async () => {
  const line = fc.record({ price: fc.constantFrom(0, 1, 999), packed: fc.boolean() });
  const order = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    share: fc.constantFrom(0, 1, 2),
    rest: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 4 }), async (orders) => {
      const seller = await app.seller();
      const { sku } = await stocked(seller, 1_000);
      let delivered = 0;
      for (const { lines, share, rest } of orders) {
        const total = lines.reduce((sum, { price }) => sum + price, 0);
        const seller_discount_minor = Math.floor((total * share) / 2);
        const sold = lines.map(({ price }) => ({ sku, price }));
        const id = await placeOrder(app, seller, sold, { seller_discount_minor });
        await capture(seller, id, total - seller_discount_minor);
        const { body } = await post(seller, `${id}/accept`);
        const first = body.lines.filter((_, index) => lines[index]?.packed);
        if (first.length > 0) {
          const of = { lines: first.map(({ order_line_id }) => ({ order_line_id, quantity: 1 })) };
          const parcel = await shipAll(seller, id, of);
          await apply(app, orderEvent(app, seller, 'shipment.delivered', parcel.shipment_id, {}));
        }
        if (rest && first.length < lines.length)
          await apply(app, orderEvent(app, seller, 'order.delivered', id, {}));
        if (first.length > 0 || rest) delivered += 1;
      }
      expect(await countOf(seller, '/financials/dashboard')).toBe(delivered);
      const { body } = await seller.call<{ data: { order_count: number }[] }>(
        'GET',
        '/financials/settlements',
      );
      expect(body.data.reduce((sum, { order_count }) => sum + order_count, 0)).toBe(delivered);
    }),
    { numRuns: 12 },
  );
  const findings = await readFindings(app.app.services.withSystemLong);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
});
