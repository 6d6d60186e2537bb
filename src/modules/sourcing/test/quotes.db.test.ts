import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { afterJobs } from '../../../../test/support/jobs.ts';
import { wait } from '../../../../test/support/marketing.ts';
import { eventTypesOf } from '../../../../test/support/orders.ts';
import { sequences } from '../../../../test/support/permutations.ts';
import {
  ahead,
  makeRfq,
  moveRfq,
  newSupplier,
  openRfq,
  quote,
  quotedLine,
  quoteEvent,
  quotesOf,
  type Rfq,
  readRfq,
  type Supplier,
  withdrawalEvent,
  withdrawQuote,
} from '../../../../test/support/sourcing.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const compared = async (seller: TestSeller, { rfq_id }: Rfq) =>
  (await seller.call<Record<string, unknown>>('GET', `/sourcing/rfqs/${rfq_id}/comparison`)).body;
const statuses = async (seller: TestSeller, rfq: Rfq) =>
  (await quotesOf(seller, rfq)).map(({ status }) => status);

test('a quote is shown with its terms; its supplier’s newer one withdraws it', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const rfq = await openRfq(app, seller, [one, two]);
  expect(await quote(app, seller, rfq, one)).toBe('applied');
  const [first] = await quotesOf(seller, rfq);
  expect(first).toMatchObject({
    ...{ rfq_id: rfq.rfq_id, supplier: { supplier_id: one.supplier_id, name: one.name }, status: 'open' },
    ...{ currency: 'AUD', freight_minor: 3_850, free_freight_from_minor: null, note: 'Ex stock.' },
    lines: [{ line_no: 1, supplier_item_id: one.supplier_item_id, pack_size: 12, minimum_quantity: 24 }],
  });
  const path = `/sourcing/quotes/${first?.quote_id}`;
  const read = await seller.call('GET', path);
  expect(read.body).toEqual(first);
  const headers = { 'if-none-match': read.headers.get('etag') ?? '' };
  expect((await seller.call('GET', path, { headers })).status).toBe(304);
  expect((await (await app.seller()).call('GET', path)).status).toBe(404);
  // The same again changes nothing; the same reference with other terms is refused.
  expect(await quote(app, seller, rfq, one)).toBe('stale');
  expect(await quote(app, seller, rfq, one, { freight_minor: 1 })).toBe('id_reused');
  const later = { time: ahead(app, 1) };
  expect(await quote(app, seller, rfq, one, { quote_ref: 'q-2', freight_minor: null }, later)).toBe(
    'applied',
  );
  expect(await statuses(seller, rfq)).toEqual(['open', 'withdrawn']);
  expect(await quotesOf(seller, rfq, '?status=withdrawn')).toMatchObject([{ quote_id: first?.quote_id }]);
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'open', quotes: 1 });
  expect(await eventTypesOf(app, seller, first?.quote_id ?? '')).toEqual([
    'quote.received',
    'quote.withdrawn',
  ]);
  await expect
    .poll(async () => (await seller.call<{ data: { type: string }[] }>('GET', '/notifications')).body.data)
    .toContainEqual(expect.objectContaining({ type: 'quote.received', severity: 'info' }));
});

test('what a quote may not say is rejected, and changes nothing', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const rfq = await openRfq(app, seller, [one]);
  const line = (more: object) => ({ lines: [quotedLine(one, more)] });
  const huge = [{ min_quantity: 24, pack_price_minor: 1_000_000_000_000_000 }];
  const cases: readonly (readonly [string, Promise<string>])[] = [
    ['seller_not_found', quote(app, { seller_id: 'slr_none' }, rfq, one)],
    ['rfq_not_found', quote(app, other, rfq, one)],
    ['rfq_not_found', quote(app, seller, { rfq_id: 'rfq_none' }, one)],
    ['rfq_not_found', quote(app, seller, await makeRfq(app, seller, [one]), one)],
    ['supplier_not_found', quote(app, seller, rfq, two)],
    ['supplier_not_found', quote(app, seller, rfq, one, { supplier_id: 'sup_none' })],
    ['item_not_found', quote(app, seller, rfq, one, { lines: [quotedLine(two)] })],
    ['price_breaks_invalid', quote(app, seller, rfq, one, line({ minimum_quantity: 12 }))],
    ['data_invalid', quote(app, seller, rfq, one, line({ maximum_quantity: 12 }))],
    ['data_invalid', quote(app, seller, rfq, one, line({ line_no: 2 }))],
    ['data_invalid', quote(app, seller, rfq, one, { lines: [quotedLine(one), quotedLine(one)] })],
    ['data_invalid', quote(app, seller, rfq, one, line({ price_breaks: huge }))],
    ['data_invalid', quote(app, seller, rfq, one, line({ pack_size: 0 }))],
    ['data_invalid', quote(app, seller, rfq, one, { valid_until: ahead(app, 0) })],
    ['data_invalid', quote(app, seller, rfq, one, {}, { time: ahead(app, 11 * MINUTE_MS) })],
  ];
  for (const [code, answer] of cases) expect(await answer).toBe(code);
  expect(await quotesOf(seller, rfq)).toEqual([]);
  await moveRfq(seller, rfq, 'withdraw');
  expect(await quote(app, seller, rfq, one)).toBe('rfq_closed');
  expect(await withdrawQuote(app, seller, rfq, one)).toBe('rfq_closed');
});

test('a quote of after reply_by is rejected, one from before it that is told late counts', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const rfq = await openRfq(app, seller, [one, two]);
  await wait(app, 5 * DAY_MS + 1_000);
  const now = await seller.renew();
  const expired = () => readRfq(now, rfq);
  expect(await afterJobs(app, expired, ({ status }) => status !== 'open')).toMatchObject({
    status: 'expired',
  });
  expect(await quote(app, now, rfq, one, {}, { time: rfq.reply_by })).toBe('rfq_closed');
  expect(await quote(app, now, rfq, one)).toBe('rfq_closed');
  const before = new Date(Date.parse(rfq.reply_by) - 1).toISOString();
  expect(await quote(app, now, rfq, one, {}, { time: before })).toBe('applied');
  expect(await readRfq(now, rfq)).toMatchObject({ status: 'answered', quotes: 1 });
  expect((await eventTypesOf(app, now, rfq.rfq_id)).slice(2)).toEqual(['rfq.expired', 'rfq.answered']);
});

test('a quote expires at valid_until; its request stays answered', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const rfq = await openRfq(app, seller, [supplier]);
  const valid_until = ahead(app, 10 * MINUTE_MS);
  await quote(app, seller, rfq, supplier, { valid_until });
  expect(await statuses(seller, rfq)).toEqual(['open']);
  await wait(app, 10 * MINUTE_MS);
  expect(await compared(seller, rfq)).toMatchObject({ quotes: [], semantic_status: 'no_usable_report' });
  expect(
    await afterJobs(
      app,
      () => statuses(seller, rfq),
      ([status]) => status !== 'open',
    ),
  ).toEqual(['expired']);
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'answered', quotes: 1 });
});

test('a supplier declines; when all have answered or declined the request ends', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const rfq = await openRfq(app, seller, [one, two]);
  await quote(app, seller, rfq, one);
  expect(await withdrawQuote(app, seller, rfq, two)).toBe('applied');
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'answered', quotes: 1 });
  expect(await withdrawQuote(app, seller, rfq, two)).toBe('stale');
  // Its only quote is withdrawn.
  expect(await withdrawQuote(app, seller, rfq, one, null, { time: ahead(app, 1) })).toBe('applied');
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'expired', quotes: 0 });
});

test('quotes and withdrawals in every order, with repeats, end in one state', async () => {
  const seller = await app.seller();
  const [one, two] = [await newSupplier(app), await newSupplier(app)];
  const ends = new Set<string>();
  const at = (ms: number) => ({ time: ahead(app, ms) });
  for (const order of sequences(5)) {
    const rfq = await openRfq(app, seller, [one, two]);
    const events = [
      quoteEvent(app, seller, rfq, one, { quote_ref: 'a-1' }, at(1)),
      quoteEvent(app, seller, rfq, one, { quote_ref: 'a-2', freight_minor: 1 }, at(2)),
      withdrawalEvent(app, seller, rfq, one, 'a-2', at(3)),
      withdrawalEvent(app, seller, rfq, two, null, at(4)),
      quoteEvent(app, seller, rfq, two, { quote_ref: 'b-1' }, at(5)),
    ];
    const sent = order.flatMap((index) => events[index] ?? []);
    await app.events(...sent, ...sent.toReversed());
    const { status, quotes } = await readRfq(seller, rfq);
    const shown = (await quotesOf(seller, rfq)).map((each) => [
      each['freight_minor'],
      each['supplier'],
      each.status,
    ]);
    ends.add(JSON.stringify([status, quotes, shown.map((each) => JSON.stringify(each)).sort()]));
  }
  expect([...ends]).toHaveLength(1);
  expect([...ends][0]).toContain('["open",1');
});

/** The terms of the golden example. */
const terms = (
  pack_size: number,
  minimum_quantity: number,
  ...breaks: readonly (readonly [number, number])[]
) => ({
  ...{ pack_size, minimum_quantity, lead_time_days: null },
  price_breaks: breaks.map(([min_quantity, pack_price_minor]) => ({ min_quantity, pack_price_minor })),
});

test('the comparison of three quotes for 100 units, to the micro', async () => {
  const seller = await app.seller();
  const suppliers = [await newSupplier(app), await newSupplier(app), await newSupplier(app)] as const;
  const [s1, s2, s3] = suppliers;
  const rfq = await openRfq(app, seller, suppliers);
  expect(await compared(seller, rfq)).toMatchObject({
    ...{ quotes: [], semantic_status: 'no_usable_report', status_reason: 'no_open_quotes' },
  });
  const say = (by: Supplier, line: object, freight_minor: number | null, more: object = {}) =>
    quote(app, seller, rfq, by, { lines: [quotedLine(by, line)], freight_minor, ...more });
  const first = terms(12, 24, [24, 5_940], [144, 5_520]);
  expect(await say(s1, first, 3_850, { free_freight_from_minor: 90_000 })).toBe('applied');
  expect(await say(s2, terms(10, 50, [50, 5_200]), null)).toBe('applied');
  expect(await say(s3, terms(50, 200, [200, 21_000]), 0)).toBe('applied');
  const quotes = await quotesOf(seller, rfq);
  const idOf = ({ supplier_id }: Supplier) =>
    quotes.find((each) => (each['supplier'] as Supplier).supplier_id === supplier_id)?.quote_id;
  const available = { status: 'available', lead_time_days: null };
  const body = await compared(seller, rfq);
  expect(body).toMatchObject({
    ...{ rfq_id: rfq.rfq_id, currency: 'AUD', source_contract: 'sourcing.comparison.v1' },
    ...{ semantic_status: 'partial', missing_components: ['freight'], cache_status: 'live' },
  });
  expect(body['lines']).toEqual([
    {
      ...{ line_no: 1, quantity: 100 },
      options: [
        {
          ...{ ...available, quote_id: idOf(s3), quantity: 200, excess_units: 100, goods_minor: 84_000 },
          ...{ goods_unit_micros: 4_200_000, freight_share_minor: 0, landed_minor: 84_000 },
          ...{ landed_unit_micros: 4_200_000, rank: 1, missing_components: [] },
        },
        {
          ...{ ...available, quote_id: idOf(s1), quantity: 108, excess_units: 8, goods_minor: 53_460 },
          ...{ goods_unit_micros: 4_950_000, freight_share_minor: 3_850, landed_minor: 57_310 },
          ...{ landed_unit_micros: 5_306_481, rank: 2, missing_components: [] },
        },
        {
          ...{ ...available, quote_id: idOf(s2), quantity: 100, excess_units: 0, goods_minor: 52_000 },
          ...{ goods_unit_micros: 5_200_000, freight_share_minor: null, landed_minor: null },
          ...{ landed_unit_micros: null, rank: null, missing_components: ['freight'] },
        },
      ],
    },
  ]);
  expect(body['quotes']).toEqual([
    { quote_id: idOf(s1), lines_quoted: 1, covers_all: true, landed_minor: 57_310, rank: 1 },
    { quote_id: idOf(s3), lines_quoted: 1, covers_all: true, landed_minor: 84_000, rank: 2 },
    { quote_id: idOf(s2), lines_quoted: 1, covers_all: true, landed_minor: null, rank: null },
  ]);
});

test('two equal quotes share rank 1, the next is 3', async () => {
  const seller = await app.seller();
  const suppliers = [await newSupplier(app), await newSupplier(app), await newSupplier(app)];
  const rfq = await openRfq(app, seller, suppliers);
  for (const [index, by] of suppliers.entries())
    await quote(app, seller, rfq, by, { freight_minor: index === 2 ? 5_000 : 3_850 });
  const { lines } = (await compared(seller, rfq)) as { lines: { options: { rank: number }[] }[] };
  expect(lines[0]?.options.map(({ rank }) => rank)).toEqual([1, 1, 3]);
});
