/** The scorecard counts stored orders. They are written here as they stand after months of facts. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { dropshipOf, dropshipShop, moveClock, supplierOf } from '../../../../test/support/dropship.ts';
import { placeOrder } from '../../../../test/support/orders.ts';
import { newSupplier, type Supplier } from '../../../../test/support/sourcing.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });

interface Metric {
  readonly metric: string;
  readonly numerator: number;
  readonly denominator: number;
  readonly rate_bps: number | null;
}
type Named = Pick<Supplier, 'supplier_id'>;
const read = async (seller: TestSeller, { supplier_id }: Named, query = '') => {
  const path = `/sourcing/suppliers/${supplier_id}/scorecard${query}`;
  return seller.call<{ metrics: Metric[]; semantic_status: string }>('GET', path);
};
const metric = async (seller: TestSeller, supplier: Named, name: string, query = '') => {
  const found = (await read(seller, supplier, query)).body.metrics.find((one) => one.metric === name);
  return [found?.numerator, found?.denominator, found?.rate_bps];
};

interface Purchase {
  readonly submitted: string;
  readonly promised?: string | null;
  readonly ordered: number;
  readonly received?: number;
  readonly cancelled?: number;
  /** Receipts: the instant, good units, rejected units. */
  readonly receipts?: readonly (readonly [string, number, number])[];
  /** Facts about cancelled units. */
  readonly facts?: readonly object[];
}
let number = 0;

/** Writes a purchase order with one line. */
async function purchase({ seller_id }: TestSeller, { supplier_id }: Supplier, one: Purchase): Promise<void> {
  number += 1;
  const id = randomUUID().replaceAll('-', '').slice(0, 26);
  const { submitted, promised = null, ordered, received = 0, cancelled = 0 } = one;
  const outstanding = ordered - received - cancelled;
  const partly = received > 0 ? 'partially_received' : 'confirmed';
  const over = received > 0 ? 'received' : 'cancelled';
  const status = outstanding > 0 ? partly : over;
  const own = [seller_id, `por_${id}`];
  await asOwner(
    app,
    `insert into purchase_order (seller_id, purchase_order_id, number, supplier_id, supplier_name, status, origin,
       currency, goods_minor, submitted_at, answer_by, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'Works', $5, 'manual', 'AUD', 100, $6, $6, 1, $6, $6)`,
    [...own, number, supplier_id, status, submitted],
  );
  await asOwner(
    app,
    `insert into purchase_line (seller_id, purchase_order_id, purchase_line_id, line_no, supplier_item_id,
       supplier_sku, title, pack_size, ordered_price_minor, pack_price_minor, ordered, unconfirmed, confirmed,
       received, cancelled, shipped, rejected_at_receipt, promised_on, cost_missing)
     values ($1, $2, 'pol_' || $3, 1, 'sit_x', 'X', 'X', 1, 1, 1, $4, 0, $5, $6, $7, 0, 0, $8, '{}')`,
    [...own, id, ordered, outstanding, received, cancelled, promised],
  );
  for (const [at, good, bad] of one.receipts ?? [])
    await asOwner(
      app,
      `insert into receipt (seller_id, receipt_id, purchase_order_id, reference, received_at, recorded_at,
         recorded_by, lines)
       values ($1, 'rec_' || $3, $2, $3, $4, $4, 'mem_x', $5)`,
      [
        ...[...own, randomUUID().replaceAll('-', '').slice(0, 26), at],
        JSON.stringify([
          {
            purchase_line_id: `pol_${id}`,
            good,
            rejected: bad > 0 ? [{ quantity: bad, reason: 'damaged' }] : [],
          },
        ]),
      ],
    );
  for (const fact of one.facts ?? [])
    await asOwner(
      app,
      `insert into purchase_fact (seller_id, purchase_order_id, fact_id, happened_at, fact, actor, recorded_at)
       values ($1, $2, $3, $4, $5, '{}', $4)`,
      [...own, randomUUID(), submitted, JSON.stringify(fact)],
    );
}

test('49 units have counts and no rate; the fiftieth makes a figure', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const supplier = await newSupplier(app);
  const empty = await read(seller, supplier);
  expect(empty.body).toMatchObject({
    ...{ supplier_id: supplier.supplier_id, from: '2026-02-04', to: '2026-08-02' },
    ...{ source_contract: 'sourcing.scorecard.v1', cache_status: 'live', facts_through_on: '2026-08-02' },
    ...{ semantic_status: 'insufficient_sample', missing_components: [] },
  });
  expect(empty.body.metrics.map(({ metric: name, denominator }) => [name, denominator])).toEqual([
    ...[
      ['on_time', 0] as const,
      ['fill', 0] as const,
      ['rejected', 0] as const,
      ['dropship_accept', 0] as const,
    ],
  ]);
  const line = { submitted: '2026-07-01T00:00:00Z', ordered: 49, received: 40, cancelled: 9 };
  await purchase(seller, supplier, line);
  expect(await metric(seller, supplier, 'fill')).toEqual([40, 49, null]);
  await purchase(seller, supplier, { ...line, ordered: 1, received: 1, cancelled: 0 });
  expect(await metric(seller, supplier, 'fill')).toEqual([41, 50, 8_200]);
  expect((await read(seller, supplier)).body).toMatchObject({
    semantic_status: 'complete',
    metrics: ['insufficient_sample', 'complete', 'insufficient_sample', 'insufficient_sample'].map(
      (status) => ({ status }),
    ),
  });
  // Of an order that is not over no unit is missing yet; those of others count for themselves.
  await purchase(seller, supplier, { ...line, ordered: 50, received: 0, cancelled: 0 });
  expect(await metric(seller, supplier, 'fill')).toEqual([41, 50, 8_200]);
  expect(await metric(other, supplier, 'fill')).toEqual([0, 0, null]);
  expect(await metric(seller, await newSupplier(app), 'fill')).toEqual([0, 0, null]);
  // The window begins with the day after the order.
  expect(await metric(seller, supplier, 'fill', '?window_days=32')).toEqual([0, 0, null]);
  expect(await metric(seller, supplier, 'fill', '?window_days=33')).toEqual([41, 50, 8_200]);
  const supplierOf = async (by: TestSeller) =>
    (await by.call('GET', `/sourcing/suppliers/${supplier.supplier_id}`)).body;
  expect([await supplierOf(seller), await supplierOf(other)]).toMatchObject([
    { own_orders: 3 },
    { own_orders: 0 },
  ]);
  for (const days of [29, 366, 'x'])
    expect((await read(seller, supplier, `?window_days=${days}`)).status).toBe(422);
  expect((await seller.call('GET', '/sourcing/suppliers/sup_none/scorecard')).status).toBe(404);
});

test('units that the seller cancels do not count against the supplier, those that it closes do', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const lines = (quantity: number) => ({ lines: [{ line_no: 1, quantity }] });
  await purchase(seller, supplier, {
    ...{ submitted: '2026-07-01T00:00:00Z', ordered: 200, received: 100, cancelled: 100 },
    facts: [
      { kind: 'cancelled_by_seller', requested: [], reason: 'Too many', ...lines(30) },
      { kind: 'cancelled_by_supplier', reason: 'requested', ...lines(20) },
      { kind: 'cancelled_by_supplier', reason: 'out_of_stock', ...lines(40) },
      { kind: 'closed', reason: 'not_coming' },
    ],
  });
  expect(await metric(seller, supplier, 'fill')).toEqual([100, 150, 6_667]);
});

test('what arrives by the end of the promised day in Sydney is on time; rejected units count at their receipt', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  await purchase(seller, supplier, {
    ...{ submitted: '2026-07-01T00:00:00Z', promised: '2026-07-10', ordered: 100, received: 90 },
    receipts: [
      ['2026-07-10T13:59:59Z', 60, 4],
      ['2026-07-10T14:00:00Z', 30, 2],
    ],
  });
  // What is promised for today is not late yet.
  const today = { promised: '2026-08-03', ordered: 500 };
  await purchase(seller, supplier, { submitted: '2026-07-01T00:00:00Z', ...today });
  expect(await metric(seller, supplier, 'on_time')).toEqual([60, 100, 6_000]);
  expect(await metric(seller, supplier, 'rejected')).toEqual([6, 96, 625]);
});

test('units of dropship orders count from the day after the answer, or after the end of the time for it', async () => {
  const { supplier, listing, ...shop } = await dropshipShop(app, 40);
  let { seller } = shop;
  const wait = async (minutes: number): Promise<void> => {
    await moveClock(app, minutes);
    seller = await seller.renew();
  };
  const place = (quantity: number) => placeOrder(app, seller, [{ sku: listing.sku, quantity }]);
  const [answered, late, silent] = [await place(15), await place(3), await place(5)];
  await wait(3);
  const by = async (orderId: string, is: string) => {
    const { dropship_order_id } = await dropshipOf(seller, orderId, ({ status }) => status === is);
    return supplierOf(app, seller, dropship_order_id);
  };
  const saidAt = new Date(app.app.services.now()).toISOString();
  expect(await (await by(answered, 'sent')).answer(12, 3)).toBe('applied');
  for (const orderId of [late, silent]) await by(orderId, 'sent');
  await wait(12 * 60);
  await by(silent, 'returned');
  const lateBy = await by(late, 'returned');
  const rate = () => metric(seller, supplier, 'dropship_accept');
  expect(await rate()).toEqual([0, 0, null]);
  await wait(6 * 60);
  expect(await rate()).toEqual([12, 23, 5_217]);
  // The supplier said it in time, and it is told late.
  expect(await lateBy.answer(3, 0, { accepted_at: saidAt }, { time: saidAt })).toBe('applied');
  expect(await rate()).toEqual([15, 23, 6_522]);
  const { body } = await seller.call('GET', `/sourcing/suppliers/${supplier.supplier_id}`);
  expect(body).toMatchObject({ own_orders: 3 });
  expect(await metric(await app.seller(), supplier, 'dropship_accept')).toEqual([0, 0, null]);
});
