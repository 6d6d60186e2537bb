import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { wait } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import {
  ahead,
  makeRfq,
  newSupplier,
  openRfq,
  quote,
  quotedLine,
  quotesOf,
  type Rfq,
  readRfq,
  type Supplier,
  tellProfile,
} from '../../../../test/support/sourcing.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const MINUTE_MS = 60_000;

interface Purchase {
  readonly purchase_order_id: string;
  readonly status: string;
  readonly supplier: { readonly supplier_id: string };
}
interface Award {
  readonly purchase_orders: readonly Purchase[];
  readonly code?: string;
  readonly facts?: object;
}
interface Line {
  readonly line_no?: number;
  readonly quote_id: string | undefined;
  readonly quantity: number;
}
const award = (seller: TestSeller, { rfq_id }: Pick<Rfq, 'rfq_id'>, ...lines: readonly Line[]) =>
  seller.call<Award>('POST', `/sourcing/rfqs/${rfq_id}/award`, {
    json: { lines: lines.map((line) => ({ line_no: 1, ...line })) },
  });
const quoteOf = async (seller: TestSeller, rfq: Rfq, { supplier_id }: Supplier) =>
  (await quotesOf(seller, rfq)).find((one) => (one['supplier'] as Supplier).supplier_id === supplier_id);

test('two suppliers are awarded: two drafts with what was quoted, and the third is declined', async () => {
  const seller = await app.seller({ address: true });
  const { product_id } = await create(seller);
  const suppliers = [await newSupplier(app), await newSupplier(app), await newSupplier(app)] as const;
  const [one, two, three] = suppliers;
  const wanted = { product_id, description: 'Stoneware mug, blue', quantity: 100 };
  const rfq = await openRfq(app, seller, suppliers, { lines: [wanted, { ...wanted, quantity: 50 }] });
  for (const by of suppliers)
    await quote(app, seller, rfq, by, {
      lines: [
        quotedLine(by),
        quotedLine(by, {
          line_no: 2,
          pack_size: 10,
          minimum_quantity: 10,
          price_breaks: [{ min_quantity: 10, pack_price_minor: 4_700 }],
        }),
      ],
      free_freight_from_minor: 30_000,
    });
  const [a, b, c] = await Promise.all(suppliers.map((by) => quoteOf(seller, rfq, by)));
  const { status, body } = await award(
    ...([seller, rfq, { quote_id: a?.quote_id, quantity: 24 }] as const),
    { line_no: 2, quote_id: a?.quote_id, quantity: 30 },
    { quote_id: b?.quote_id, quantity: 72 },
  );
  expect(status).toBe(201);
  const drawn = { status: 'draft', origin: 'quote', rfq_id: rfq.rfq_id, payment_terms: 'net_14' };
  // 2 × 59.40 + 3 × 47.00; the second one has goods of 356.40 and goes without freight.
  expect(body.purchase_orders).toMatchObject([
    {
      ...{ ...drawn, supplier: { supplier_id: one.supplier_id }, goods_minor: 25_980, freight_minor: 3_850 },
      lines: [
        { product_id, pack_size: 12, pack_price_minor: 5_940, quantities: { ordered: 24 } },
        { product_id, pack_size: 10, pack_price_minor: 4_700, quantities: { ordered: 30 } },
      ],
    },
    { ...drawn, supplier: { supplier_id: two.supplier_id }, goods_minor: 35_640, total_minor: 35_640 },
  ]);
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'awarded', quotes: 3, allowed_actions: [] });
  const statuses = async () =>
    Promise.all(suppliers.map(async (by) => (await quoteOf(seller, rfq, by))?.status));
  expect(await statuses()).toEqual(['accepted', 'accepted', 'declined']);
  expect((await eventTypesOf(app, seller, rfq.rfq_id)).at(-1)).toBe('rfq.awarded');
  expect(await eventTypesOf(app, seller, c?.quote_id ?? '')).toEqual(['quote.received', 'quote.declined']);
  // The catalogue sells 48 units at least; 24 were quoted.
  const [draft] = body.purchase_orders;
  const path = `/wholesale/purchase-orders/${draft?.purchase_order_id}/submit`;
  const submitted = await seller.call<Purchase>('POST', path, { json: { expected_total_minor: 29_830 } });
  expect(submitted).toMatchObject({ status: 200, body: { status: 'submitted' } });
  // It is over: no further award, and no quote of the third.
  expect(await award(seller, rfq, { quote_id: c?.quote_id, quantity: 24 })).toMatchObject({
    ...{ status: 409, body: { code: 'invalid_transition' } },
  });
  expect(await quote(app, seller, rfq, three, { quote_ref: 'q-2' })).toBe('rfq_closed');
});

test('an award names open quotes, quoted lines and quantities that the supplier sells', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const twoLines = {
    lines: [
      { description: 'Mug', quantity: 100 },
      { description: 'Bowl', quantity: 50 },
    ],
  };
  const rfq = await openRfq(app, seller, [one, two], twoLines);
  await quote(app, seller, rfq, one, { lines: [quotedLine(one, { maximum_quantity: 96 })] });
  await quote(app, seller, rfq, two, { valid_until: ahead(app, 10 * MINUTE_MS) });
  const [quote_id, expiring] = [
    (await quoteOf(seller, rfq, one))?.quote_id,
    (await quoteOf(seller, rfq, two))?.quote_id,
  ];
  const refused = async (by: TestSeller, ...lines: readonly Line[]) => {
    const { status, body } = await award(by, rfq, ...lines);
    return [status, body.code];
  };
  expect(await refused(other, { quote_id, quantity: 24 })).toEqual([404, 'not_found']);
  expect(await refused(seller, { quote_id: 'quo_none', quantity: 24 })).toEqual([404, 'not_found']);
  expect(await refused(seller, { line_no: 2, quote_id, quantity: 24 })).toEqual([409, 'line_not_quoted']);
  expect(await refused(seller, { quote_id, quantity: 12 })).toEqual([409, 'quantity_below_minimum']);
  expect(await refused(seller, { quote_id, quantity: 25 })).toEqual([409, 'quantity_not_in_packs']);
  expect(await refused(seller, { quote_id, quantity: 108 })).toEqual([409, 'quantity_above_maximum']);
  const twice = await award(seller, rfq, { quote_id, quantity: 24 }, { quote_id, quantity: 36 });
  expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('duplicate_line')]);
  // The timer of the quote has not run.
  await wait(app, 10 * MINUTE_MS);
  const late = await award(seller, rfq, { quote_id: expiring, quantity: 24 });
  expect(late).toMatchObject({
    ...{ status: 409, body: { code: 'quote_not_open', quote_id: expiring, status: 'expired' } },
  });
  await tellProfile(app, one, { status: 'paused' });
  expect(await refused(seller, { quote_id, quantity: 24 })).toEqual([409, 'supplier_not_available']);
  const draft = await makeRfq(app, seller, [two]);
  expect((await award(seller, draft, { quote_id, quantity: 24 })).body.code).toBe('invalid_transition');
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'answered', quotes: 2 });
});

test('of two awards at once one makes orders', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const rfq = await openRfq(app, seller, [supplier]);
  await quote(app, seller, rfq, supplier);
  const quote_id = (await quoteOf(seller, rfq, supplier))?.quote_id;
  const answers = await Promise.all([24, 36].map((quantity) => award(seller, rfq, { quote_id, quantity })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const orders = await seller.call<{ data: Purchase[] }>('GET', '/wholesale/purchase-orders');
  expect(orders.body.data).toHaveLength(1);
});
