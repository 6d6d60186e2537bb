/** What may happen to the money of sellers on a day, by chance: for tests that let much happen and then count. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { type Order, orderEvent, placement, post, readOrder, TRACKING } from './orders.ts';
import { create } from './products.ts';

/** Whole numbers from 0 to below a limit. */
export type Chance = (limit: number) => number;

/** The same numbers for the same seed (Mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, limit);
  };
}

export interface Market {
  readonly app: TestApp;
  readonly chance: Chance;
  readonly shops: readonly Shop[];
  /** Events as they were sent, for sending them again. */
  readonly sent: Record<string, unknown>[];
}
export interface Shop {
  seller: TestSeller;
  readonly skus: readonly string[];
  readonly orders: string[];
  readonly refunds: [order: string, refund: string][];
  readonly disputes: [order: string, dispute: string][];
  readonly reserves: string[];
}
/** A status of an answer or of an event; nothing to do is a refusal as well. */
export type Outcome = number | string;
type Happening = (market: Market, shop: Shop) => Promise<Outcome>;

const DAY_MS = 86_400_000;
const NOTHING = 'rejected';
/** How far back news may be late. */
const LATE_DAYS = 20;

const pick = <T>({ chance }: Pick<Market, 'chance'>, list: readonly T[]): T | undefined =>
  list[chance(list.length)];

async function tell(
  market: Market,
  shop: Shop,
  type: string,
  subject: string,
  data: object,
): Promise<Outcome> {
  const { app, chance } = market;
  const late = chance(6) === 0 ? chance(LATE_DAYS) * DAY_MS : 0;
  const time = new Date(app.app.services.now() - late).toISOString();
  return send(market, orderEvent(app, shop.seller, type, subject, data, { time }));
}

async function send({ app, sent }: Market, event: Record<string, unknown>): Promise<Outcome> {
  sent.push(event);
  const [result] = await app.events(event);
  return result?.code === 'internal_error' ? 500 : (result?.status ?? 500);
}

/** With an order of the shop, as it stands. */
const withOrder =
  (work: (market: Market, shop: Shop, order: Order) => Promise<Outcome>): Happening =>
  async (market, shop) => {
    const id = pick(market, shop.orders.slice(-12));
    if (id === undefined) return NOTHING;
    const order = await readOrder(shop.seller, id);
    return order.lines === undefined ? NOTHING : work(market, shop, order);
  };

const place: Happening = async (market, shop) => {
  const { app, chance } = market;
  const items = Array.from({ length: 1 + chance(3) }, (_, index) => ({
    sku: shop.skus[index] ?? '',
    quantity: 1 + chance(4),
    price: 1 + chance(20_000),
  }));
  const shipping = chance(2) === 0 ? [] : [{ kind: 'shipping' as const, price: chance(2_000) }];
  const event = placement(app, shop.seller, [...items, ...shipping], {
    loyalty: chance(2) === 0,
    seller_discount_minor: chance(items.reduce((sum, { price }) => sum + price, 0)) * chance(2),
  });
  shop.orders.push(event.subject);
  return send(market, event);
};

const capture = withOrder((market, shop, order) => {
  const { chance } = market;
  const total = Number(order['total_minor']);
  const data = {
    charge_id: `ch_${order.order_id}`,
    captured_minor: total,
    provider_fee_minor: chance(Math.min(500, total + 1)),
  };
  return tell(market, shop, 'order.payment_captured', order.order_id, data);
});

const act =
  (action: string): Happening =>
  (market, shop) =>
    withOrder(
      async (_market, { seller }, { order_id }) => (await post(seller, `${order_id}/${action}`)).status,
    )(market, shop);

const ship = withOrder(async ({ chance }, { seller }, { order_id, lines }) => {
  const open = lines.filter(({ quantities }) => (quantities['accepted_open'] ?? 0) > 0);
  const line = open[chance(open.length)];
  if (line === undefined) return NOTHING;
  const quantity = 1 + chance(line.quantities['accepted_open'] ?? 1);
  const packed = await post<{ shipment_id: string }>(seller, `${order_id}/shipments`, {
    lines: [{ order_line_id: line.order_line_id, quantity }],
  });
  if (packed.status !== 201) return packed.status;
  const path = `${order_id}/shipments/${packed.body.shipment_id}/dispatch`;
  return (await post(seller, path, TRACKING)).status;
});

const arrive = withOrder((market, shop, { shipments }) => {
  const shipment = pick(market, shipments);
  if (shipment === undefined) return Promise.resolve(NOTHING);
  return market.chance(5) === 0
    ? tell(market, shop, 'shipment.tracking_updated', shipment.shipment_id, { status: 'lost' })
    : tell(market, shop, 'shipment.delivered', shipment.shipment_id, {});
});

const deliver = withOrder((market, shop, { order_id }) =>
  tell(market, shop, 'order.delivered', order_id, {}),
);

const cancel = withOrder((market, shop, { order_id, lines }) => {
  const line = pick(market, lines);
  const quantity = 1 + market.chance(2);
  const some = { lines: [{ order_line_no: line?.line_no, quantity }], by: 'buyer' };
  const all = { by: 'marketplace' };
  return tell(market, shop, 'order.cancelled', order_id, market.chance(2) === 0 ? some : all);
});

const refund = withOrder((market, shop, { order_id, lines }) => {
  const line = pick(market, lines);
  if (line === undefined) return Promise.resolve(NOTHING);
  const { chance } = market;
  const refund_id = `rf_${randomUUID()}`;
  shop.refunds.push([order_id, refund_id]);
  // Now and then more than there is.
  const amount_minor = 1 + chance(line.net_minor + 50);
  const parts = [{ order_line_no: line.line_no, quantity: 1, amount_minor }];
  return tell(market, shop, 'refund.created', order_id, { refund_id, lines: parts });
});

const settleRefund: Happening = async (market, shop) => {
  const [order, refund_id] = pick(market, shop.refunds.slice(-8)) ?? [];
  if (order === undefined) return NOTHING;
  const word = market.chance(3) === 0 ? 'failed' : 'confirmed';
  return tell(market, shop, `refund.${word}`, order, { refund_id });
};

const dispute = withOrder((market, shop, { order_id, ...order }) => {
  const { chance } = market;
  const dispute_id = `dp_${randomUUID()}`;
  shop.disputes.push([order_id, dispute_id]);
  const amount_minor = 1 + chance(Number(order['total_minor']) + 50);
  return tell(market, shop, 'dispute.opened', order_id, {
    dispute_id,
    amount_minor,
    provider_fee_minor: chance(2) * 2_500,
  });
});

const decide: Happening = async (market, shop) => {
  const [order, dispute_id] = pick(market, shop.disputes.slice(-4)) ?? [];
  if (order === undefined) return NOTHING;
  const word = market.chance(2) === 0 ? 'won' : 'lost';
  return tell(market, shop, `dispute.${word}`, order, {
    dispute_id,
    returned_fee_minor: market.chance(2) * 2_500,
  });
};

const adjust: Happening = (market, shop) => {
  const { chance } = market;
  return tell(market, shop, 'adjustment.recorded', shop.seller.seller_id, {
    adjustment_id: `adj_${randomUUID()}`,
    kind: 'manual_adjustment',
    amount_minor: (1 + chance(5_000)) * (chance(2) === 0 ? 1 : -1),
    order_id: chance(2) === 0 ? null : (pick(market, shop.orders) ?? null),
    corrects_settlement_id: null,
    reason_code: 'goodwill',
    description: 'By chance',
    actor: 'ops:1',
  });
};

const hold: Happening = (market, shop) => {
  const reserve_id = `rsv_${randomUUID()}`;
  shop.reserves.push(reserve_id);
  const release_on = new Date(market.app.app.services.now() + (1 + market.chance(20)) * DAY_MS);
  return tell(market, shop, 'reserve.held', shop.seller.seller_id, {
    reserve_id,
    amount_minor: 1 + market.chance(3_000),
    reason_code: 'risk',
    release_on: release_on.toISOString().slice(0, 10),
  });
};

const release: Happening = async (market, shop) => {
  const reserve_id = pick(market, shop.reserves.slice(-3));
  if (reserve_id === undefined) return NOTHING;
  return tell(market, shop, 'reserve.released', shop.seller.seller_id, {
    release_id: `rel_${randomUUID()}`,
    reserve_id,
    ...(market.chance(2) === 0 ? {} : { amount_minor: 1 + market.chance(1_000) }),
  });
};

const block: Happening = (market, shop) =>
  tell(market, shop, 'settlement.hold_changed', shop.seller.seller_id, {
    reason: market.chance(2) === 0 ? 'risk_review' : 'kyc_required',
    active: market.chance(3) === 0,
    settlement_id: null,
  });

const PAYOUT_NEWS = ['in_transit', 'in_transit', 'paid', 'paid', 'failed', 'canceled', 'returned'] as const;
const payOut: Happening = async (market, shop) => {
  const { app } = market;
  const settlements = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ settlement_id: string }>({
      text: 'select settlement_id from settlement where seller_id = $1 and payout_amount_minor > 0 order by period_end desc limit 3',
      values: [shop.seller.seller_id],
    }),
  );
  const one = pick(market, settlements);
  if (one === undefined) return NOTHING;
  const status = pick(market, PAYOUT_NEWS);
  return tell(market, shop, 'payout.updated', one.settlement_id, {
    status,
    at: new Date(app.app.services.now()).toISOString(),
  });
};

/** The same again, word for word. */
const again: Happening = async (market) => {
  const event = pick(market, market.sent);
  return event === undefined ? NOTHING : ((await market.app.events(event))[0]?.status ?? 500);
};

/** By how often each comes. */
export const HAPPENINGS = {
  place: [6, place],
  capture: [6, capture],
  accept: [4, act('accept')],
  reject: [1, act('reject')],
  ship: [3, ship],
  arrive: [4, arrive],
  deliver: [4, deliver],
  cancel: [2, cancel],
  refund: [6, refund],
  settleRefund: [5, settleRefund],
  dispute: [2, dispute],
  decide: [2, decide],
  adjust: [2, adjust],
  hold: [1, hold],
  release: [1, release],
  block: [1, block],
  payOut: [5, payOut],
  again: [3, again],
} as const satisfies Record<string, readonly [number, Happening]>;
export type Name = keyof typeof HAPPENINGS;
const NAMES = Object.keys(HAPPENINGS) as Name[];
const URN = NAMES.flatMap((name) => Array.from({ length: HAPPENINGS[name][0] }, () => name));

/** What happens next, and to whom. */
export function next(market: Market): { readonly name: Name; readonly shop: Shop } {
  const name = pick(market, URN) ?? 'place';
  const shop = pick(market, market.shops);
  if (shop === undefined) throw new Error('nobody is there');
  return { name, shop };
}

/** Lets days pass, with everything that falls due on the way: closes too. */
export async function passDays({ app }: Market, days: number): Promise<void> {
  const now = new Date(app.app.services.now() + days * DAY_MS).toISOString();
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  if (answer.status !== 200) throw new Error(`clock: ${answer.status} ${answer.text}`);
}

export async function openMarket(app: TestApp, sellers: number, chance: Chance): Promise<Market> {
  const shops: Shop[] = [];
  for (let index = 0; index < sellers; index += 1) {
    const seller = await app.seller({ plan: 'Small' });
    const skus: string[] = [];
    for (let product = 0; product < 3; product += 1)
      skus.push(String((await create(seller, { quantity_on_hand: null }))['seller_sku']));
    shops.push({ seller, skus, orders: [], refunds: [], disputes: [], reserves: [] });
  }
  return { app, chance, shops, sent: [] };
}
