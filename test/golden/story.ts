/**
 * Seven weeks of three sellers. The service gets the marketplace's events at the instants at which they happen, and the
 * sellers answer through the API. Source: docs/design/money.md#golden-example.
 */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from '../support/app.ts';
import { callInternal } from '../support/internal.ts';
import { apply, orderEvent, post } from '../support/orders.ts';
import { create } from '../support/products.ts';

interface GoldenLine {
  readonly sku: string;
  readonly quantity: number;
  readonly price: number;
  /** A category of the marketplace, if it has its own rates. */
  readonly category?: string;
}
interface GoldenOrder {
  readonly id: string;
  readonly lines: readonly GoldenLine[];
  readonly shipping?: number;
  readonly discount?: number;
  readonly loyalty?: boolean;
  /** Null: never. */
  readonly delivered: string | null;
  readonly processing: number;
}

const ELECTRONICS = 'electronics';

export const ORDERS: readonly GoldenOrder[] = [
  {
    id: 'ord_1001',
    lines: [{ sku: 'TEA-250', quantity: 1, price: 5_995 }],
    shipping: 995,
    delivered: '2026-06-30T13:59:59Z',
    processing: 152,
  },
  {
    id: 'ord_1002',
    lines: [
      { sku: 'MUG-BLU', quantity: 3, price: 2_499 },
      { sku: 'KETTLE-E', quantity: 1, price: 14_900, category: ELECTRONICS },
    ],
    discount: 500,
    loyalty: true,
    delivered: '2026-06-30T14:30:00Z',
    processing: 413,
  },
  {
    id: 'ord_1003',
    lines: [{ sku: 'CHAI-100', quantity: 1, price: 2_933 }],
    shipping: 400,
    delivered: '2026-07-03T02:00:00Z',
    processing: 68,
  },
  {
    id: 'ord_1004',
    lines: [{ sku: 'TIN-S', quantity: 3, price: 1_995 }],
    shipping: 850,
    delivered: '2026-07-04T03:00:00Z',
    processing: 150,
  },
  {
    id: 'ord_1005',
    lines: [{ sku: 'GRINDER-E', quantity: 1, price: 49_900, category: ELECTRONICS }],
    shipping: 1_500,
    loyalty: true,
    delivered: '2026-07-05T01:00:00Z',
    processing: 930,
  },
  {
    id: 'ord_1006',
    lines: [{ sku: 'POT-L', quantity: 2, price: 6_450 }],
    shipping: 1_200,
    delivered: '2026-07-06T05:00:00Z',
    processing: 277,
  },
  {
    id: 'ord_1007',
    lines: [{ sku: 'SET-6', quantity: 1, price: 8_990 }],
    delivered: '2026-07-07T06:00:00Z',
    processing: 187,
  },
  {
    id: 'ord_1008',
    lines: [{ sku: 'SPOON', quantity: 5, price: 777 }],
    shipping: 660,
    loyalty: true,
    delivered: '2026-07-14T04:00:00Z',
    processing: 110,
  },
  {
    id: 'ord_1009',
    lines: [{ sku: 'SCALE-E', quantity: 1, price: 21_540, category: ELECTRONICS }],
    shipping: 1_000,
    delivered: '2026-07-21T02:00:00Z',
    processing: 424,
  },
  {
    id: 'ord_1010',
    lines: [{ sku: 'SAMOVAR', quantity: 4, price: 18_999 }],
    shipping: 2_000,
    loyalty: true,
    delivered: '2026-07-27T23:30:00Z',
    processing: 1_395,
  },
  { id: 'ord_1011', lines: [{ sku: 'GIFT', quantity: 1, price: 4_000 }], delivered: null, processing: 100 },
];

/** One charge of 100.00 for three sellers' orders. */
const SHARED = [
  { order_id: 'ord_1003', gross_minor: 3_333 },
  { order_id: 'ord_2001', gross_minor: 3_333 },
  { order_id: 'ord_3001', gross_minor: 3_334 },
];

/** Something that happens at an instant. */
interface Happening {
  readonly at: string;
  readonly run: (story: Story) => Promise<unknown>;
}

export interface Story {
  readonly app: TestApp;
  /** The seller of the example; tokens last minutes, so it is renewed at each happening. */
  seller: TestSeller;
  others: readonly TestSeller[];
  /** Ids of settlements by their first day, as they become known. */
  readonly settlementOn: (periodStart: string) => Promise<string>;
}

const HOUR_MS = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const before = (at: string, hours: number): string => iso(Date.parse(at) - hours * HOUR_MS);

const tell =
  (type: string, subject: string, data: object) =>
  ({ app, seller }: Story): Promise<void> =>
    apply(app, orderEvent(app, seller, type, subject, data));

const grossOf = ({ lines, shipping = 0, discount = 0 }: GoldenOrder): number =>
  lines.reduce((sum, { quantity, price }) => sum + quantity * price, shipping) - discount;

function placed({ id, lines, shipping, discount, loyalty = false }: GoldenOrder, at: string): object {
  return {
    order_number: id.slice('ord_'.length),
    currency: 'AUD',
    placed_at: at,
    loyalty,
    ...(discount === undefined ? {} : { seller_discount_minor: discount }),
    lines: [
      ...lines.map(({ sku, quantity, price }) => ({
        kind: 'item',
        seller_sku: sku,
        title: sku,
        quantity,
        unit_price_minor: price,
      })),
      ...(shipping === undefined ? [] : [{ kind: 'shipping', unit_price_minor: shipping }]),
    ],
  };
}

const shareOf = (id: string) => ({
  charge_id: 'ch_1003',
  captured_minor: SHARED.find(({ order_id }) => order_id === id)?.gross_minor,
  charge_total_minor: 10_000,
  charge_provider_fee_minor: 205,
  share_of: SHARED,
});
const captureOf = (order: GoldenOrder): object =>
  SHARED.some(({ order_id }) => order_id === order.id)
    ? shareOf(order.id)
    : {
        charge_id: `ch_${order.id.slice('ord_'.length)}`,
        captured_minor: grossOf(order),
        provider_fee_minor: order.processing,
      };

/** The buyer orders and pays, the seller accepts, and the parcel is delivered a day later. */
function happeningsOf(order: GoldenOrder): Happening[] {
  const { id, delivered } = order;
  const rejected = '2026-07-02T01:00:00Z';
  const from = before(delivered ?? rejected, 20);
  const answer =
    delivered === null
      ? { at: rejected, path: `${id}/reject`, json: { reason: 'other' } }
      : { at: before(delivered, 19), path: `${id}/accept`, json: {} };
  return [
    { at: from, run: tell('order.placed', id, placed(order, from)) },
    { at: from, run: tell('order.payment_captured', id, captureOf(order)) },
    {
      at: answer.at,
      run: async ({ seller }) => {
        const { status, text } = await post(seller, answer.path, answer.json);
        if (status !== 200) throw new Error(`${answer.path}: ${status} ${text}`);
      },
    },
    ...(delivered === null
      ? []
      : [{ at: delivered, run: tell('order.delivered', id, { delivered_at: delivered }) }]),
  ];
}

/** Orders of the two other sellers of the shared charge. They are accepted, and in transit at the end. */
const elsewhere: readonly Happening[] = SHARED.slice(1).flatMap(({ order_id, gross_minor }, index) => [
  {
    at: '2026-07-02T06:30:00Z',
    run: async ({ app, others }: Story) => {
      const seller = await others[index]?.renew();
      if (seller === undefined) throw new Error('no such seller');
      const order = { id: order_id, lines: [{ sku: 'ELSE', quantity: 1, price: gross_minor }] };
      const data = placed({ ...order, delivered: null, processing: 0 }, '2026-07-02T06:30:00Z');
      await apply(
        app,
        orderEvent(app, seller, 'order.placed', order_id, data),
        orderEvent(app, seller, 'order.payment_captured', order_id, shareOf(order_id)),
      );
      const { status, text } = await post(seller, `${order_id}/accept`);
      if (status !== 200) throw new Error(text);
    },
  },
]);

const refund = (at: string, order: string, id: string, lines: readonly object[]): Happening[] => [
  { at, run: tell('refund.created', order, { refund_id: id, lines, reason: 'returned' }) },
  { at: before(at, -1), run: tell('refund.confirmed', order, { refund_id: id }) },
];
const dispute = (at: string, order: string, id: string, amount: number): Happening => ({
  at,
  run: tell('dispute.opened', order, { dispute_id: id, amount_minor: amount, provider_fee_minor: 2_500 }),
});
const decided = (at: string, word: string, order: string, id: string, returned: number): Happening => ({
  at,
  run: tell(`dispute.${word}`, order, { dispute_id: id, returned_fee_minor: returned }),
});
const payout = (at: string, periodStart: string, status: string, more: object): Happening => ({
  at,
  run: async (story) =>
    tell('payout.updated', await story.settlementOn(periodStart), { status, at, ...more })(story),
});

const adjustments: readonly Happening[] = [
  {
    at: '2026-08-04T02:00:00Z',
    run: (story) =>
      tell('adjustment.recorded', story.seller.seller_id, {
        adjustment_id: 'adj_1',
        kind: 'manual_adjustment',
        amount_minor: 1_200,
        order_id: 'ord_1009',
        corrects_settlement_id: null,
        reason_code: 'goodwill',
        description: 'Carrier damage goodwill',
        actor: 'ops:7',
      })(story),
  },
  {
    at: '2026-08-06T02:00:00Z',
    run: async (story) =>
      tell('adjustment.recorded', story.seller.seller_id, {
        adjustment_id: 'adj_2',
        kind: 'settlement_correction',
        amount_minor: 55,
        order_id: 'ord_1003',
        corrects_settlement_id: await story.settlementOn('2026-07-01'),
        reason_code: 'processing_share',
        description: 'Correction to stl_202607A',
        actor: 'ops:7',
      })(story),
  },
];

const unsorted: readonly Happening[] = [
  ...ORDERS.flatMap(happeningsOf),
  ...elsewhere,
  ...refund('2026-07-08T02:00:00Z', 'ord_1004', 'rf_1', [
    { order_line_no: 1, quantity: 1, amount_minor: 1_995 },
  ]),
  payout('2026-07-16T01:00:00Z', '2026-07-01', 'in_transit', { provider_payout_id: 'po_1' }),
  payout('2026-07-17T01:00:00Z', '2026-07-01', 'failed', {
    provider_payout_id: 'po_1',
    failure_code: 'account_closed',
  }),
  ...refund('2026-07-18T02:00:00Z', 'ord_1005', 'rf_2', [
    { order_line_no: 1, quantity: 1, amount_minor: 49_900 },
    { order_line_no: 2, quantity: 1, amount_minor: 1_500 },
  ]),
  ...refund('2026-07-20T02:00:00Z', 'ord_1004', 'rf_3', [
    { order_line_no: 1, quantity: 1, amount_minor: 1_995 },
  ]),
  payout('2026-07-20T04:00:00Z', '2026-07-01', 'in_transit', { provider_payout_id: 'po_2' }),
  payout('2026-07-21T04:00:00Z', '2026-07-01', 'paid', {
    provider_payout_id: 'po_2',
    payment_reference: 'MKT STL 202607A',
  }),
  dispute('2026-07-22T02:00:00Z', 'ord_1006', 'dp_1', 14_100),
  dispute('2026-07-24T02:00:00Z', 'ord_1007', 'dp_2', 8_990),
  ...adjustments,
  decided('2026-08-05T02:00:00Z', 'lost', 'ord_1006', 'dp_1', 0),
  decided('2026-08-10T02:00:00Z', 'won', 'ord_1007', 'dp_2', 2_500),
  payout('2026-08-17T01:00:00Z', '2026-08-01', 'in_transit', {
    provider_payout_id: 'po_3',
    payment_reference: 'MKT STL 202608A',
  }),
  payout('2026-08-19T01:00:00Z', '2026-08-01', 'paid', {
    provider_payout_id: 'po_3',
    payment_reference: 'MKT STL 202608A',
  }),
];
/** By time; at the same instant in the order of the lists. */
const HAPPENINGS = [...unsorted].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));

/** Moves the service's clock, and runs all work that becomes due on the way. */
export async function moveTo(app: TestApp, at: string): Promise<void> {
  if (Date.parse(at) <= app.app.services.now()) return;
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: at } });
  if (answer.status !== 200) throw new Error(`clock: ${answer.status} ${answer.text}`);
}

const schedule = {
  version: '2026-06',
  effective_from: '2026-06-01',
  platform_fee_default_bps: 1_000,
  category_overrides: [{ category: ELECTRONICS, bps: 1_250 }],
  shipping_fee_bps: 1_000,
  loyalty_program_fund_bps: 200,
  seller_order_fee_minor: 30,
  dispute_fee_minor: 2_500,
};

/** Makes the sellers, their products and their rates. */
export async function begin(app: TestApp): Promise<Story> {
  const seller = await app.seller({ plan: 'Big' });
  const others = [await app.seller(), await app.seller()];
  for (const { sku, category } of ORDERS.flatMap(({ lines }) => lines))
    await create(seller, {
      seller_sku: sku,
      title: sku,
      quantity_on_hand: 50,
      ...(category === undefined ? {} : { category }),
    });
  for (const one of others) await create(one, { seller_sku: 'ELSE', title: 'ELSE', quantity_on_hand: 5 });
  await apply(app, {
    specversion: '1.0',
    id: randomUUID(),
    source: '/marketplace/core',
    type: 'marketplace.fee_schedule.published',
    subject: schedule.version,
    time: iso(app.app.services.now()),
    data: schedule,
  });
  const story: Story = {
    app,
    seller,
    others,
    async settlementOn(periodStart) {
      const { body, text } = await story.seller.call<{
        data: { settlement_id: string; period_start: string }[];
      }>('GET', '/financials/settlements');
      const found = body.data?.find(({ period_start }) => period_start === periodStart);
      if (found === undefined) throw new Error(`no settlement from ${periodStart}: ${text}`);
      return found.settlement_id;
    },
  };
  return story;
}

/**
 * Runs the story up to an instant, included.
 *
 * @param from index of the first happening that has not run
 * @returns the same for the next call
 */
export async function tellUntil(story: Story, until: string, from = 0): Promise<number> {
  let index = from;
  for (; ; index += 1) {
    const next = HAPPENINGS[index];
    if (next === undefined || Date.parse(next.at) > Date.parse(until)) break;
    await moveTo(story.app, next.at);
    story.seller = await story.seller.renew();
    await next.run(story);
  }
  await moveTo(story.app, until);
  story.seller = await story.seller.renew();
  return index;
}
