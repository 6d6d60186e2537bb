/** Random events of a market's orders (market-day.ts) that move money. */
import { randomUUID } from 'node:crypto';
import {
  type Happening,
  iso,
  type Market,
  nowOf,
  oneIn,
  pick,
  REJECTED,
  type Shop,
  send,
  tell,
  withOrder,
} from './market-day.ts';
import { type Order, placement, post, TRACKING } from './orders.ts';

const HOUR_MS = 3_600_000;

const place: Happening = async (market, shop) => {
  const { stage, chance } = market;
  const items = Array.from({ length: 1 + chance(3) }, (_, index) => ({
    sku: shop.skus[index] ?? '',
    quantity: 1 + chance(4),
    price: oneIn(market, 12) ? 0 : 1 + chance(20_000),
  }));
  const shipping = chance(2) === 0 ? [] : [{ kind: 'shipping' as const, price: chance(2_000) }];
  const event = placement(stage, shop.seller, [...items, ...shipping], {
    loyalty: chance(2) === 0,
    seller_discount_minor:
      chance(items.reduce((sum, { price, quantity }) => sum + price * quantity, 0)) * chance(2),
  });
  shop.orders.push(event.subject);
  const outcome = await send(market, event);
  // Real sellers answer within a day; here days pass between two events, so the answer comes at once.
  if (outcome === 'applied' && chance(2) === 0) await post(shop.seller, `${event.subject}/accept`);
  return outcome;
};

/** A charge that the order shares with orders unknown to the service. */
function sharedWith({ order_id, ...order }: Order, { chance }: Market): object {
  const own = { order_id, gross_minor: Number(order['total_minor']) };
  const others = ['ord_elsewhere_1', 'ord_elsewhere_2'].map((id) => ({
    order_id: id,
    gross_minor: 1 + chance(9_000),
  }));
  const share_of = chance(2) === 0 ? [own, ...others] : [...others, own];
  return {
    charge_total_minor: share_of.reduce((sum, { gross_minor }) => sum + gross_minor, 0),
    charge_provider_fee_minor: chance(500),
    share_of,
  };
}

const capture = withOrder((market, shop, order) => {
  const { chance } = market;
  const total = Number(order['total_minor']);
  const paid = oneIn(market, 15) ? chance(total * 2 + 1) : total;
  const fee = { provider_fee_minor: chance(Math.min(500, total + 1)) };
  return tell(market, shop, 'order.payment_captured', order.order_id, {
    charge_id: `ch_${order.order_id}`,
    captured_minor: paid,
    ...(oneIn(market, 6) ? sharedWith(order, market) : fee),
  });
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
  if (line === undefined) return REJECTED;
  const quantity = 1 + chance(line.quantities['accepted_open'] ?? 1);
  const packed = await post<{ shipment_id: string }>(seller, `${order_id}/shipments`, {
    lines: [{ order_line_id: line.order_line_id, quantity }],
  });
  if (packed.status !== 201) return packed.status;
  const path = `${order_id}/shipments/${packed.body.shipment_id}/dispatch`;
  return (await post(seller, path, TRACKING)).status;
});

const WAYS = ['lost', 'returned_to_sender', 'in_transit', 'failed'] as const;
const arrive = withOrder((market, shop, { shipments }) => {
  const shipment = pick(market, shipments);
  if (shipment === undefined) return Promise.resolve(REJECTED);
  const { shipment_id } = shipment;
  return oneIn(market, 4)
    ? tell(market, shop, 'shipment.tracking_updated', shipment_id, { status: pick(market, WAYS) })
    : tell(market, shop, 'shipment.delivered', shipment_id, {
        delivered_at: iso(nowOf(market) - market.chance(48) * HOUR_MS),
      });
});

const deliver = withOrder((market, shop, { order_id }) =>
  tell(market, shop, 'order.delivered', order_id, {}),
);

const someOf = (market: Market, { lines }: Order) => ({
  lines: [{ order_line_no: pick(market, lines)?.line_no, quantity: 1 + market.chance(2) }],
});

const cancel = withOrder((market, shop, order) =>
  tell(
    market,
    shop,
    'order.cancelled',
    order.order_id,
    market.chance(2) === 0 ? { ...someOf(market, order), by: 'buyer' } : { by: 'marketplace' },
  ),
);

/** A timer grants the request when the seller does not answer. */
const askToCancel = withOrder((market, shop, order) =>
  tell(market, shop, 'order.cancel_requested', order.order_id, {
    request_id: `crq_${randomUUID()}`,
    ...(market.chance(2) === 0 ? someOf(market, order) : {}),
  }),
);

async function tellRefund(
  market: Market,
  shop: Shop,
  { order_id }: Order,
  data: object,
): Promise<number | string> {
  const refund_id = `rf_${randomUUID()}`;
  shop.refunds.push([order_id, refund_id]);
  return tell(market, shop, 'refund.created', order_id, { refund_id, ...data });
}

const refund = withOrder((market, shop, order) => {
  const lines = [...new Set([pick(market, order.lines), pick(market, order.lines)])];
  const parts = lines.flatMap((line) => {
    if (line === undefined) return [];
    // All that is left, a part of it, and sometimes too much.
    const most = oneIn(market, 3)
      ? line.refundable_minor
      : 1 + market.chance(Math.max(1, line.refundable_minor + (oneIn(market, 8) ? 50 : 0)));
    return [{ order_line_no: line.line_no, quantity: market.chance(2), amount_minor: Math.max(1, most) }];
  });
  return tellRefund(market, shop, order, { lines: parts });
});

/** The seller requests a refund; the marketplace may follow the request or not. */
const askedRefund = withOrder(async (market, shop, order) => {
  const line = pick(market, order.lines);
  if (line === undefined) return REJECTED;
  const amount_minor = 1 + market.chance(Math.max(1, line.refundable_minor));
  const asked = await post<{ refund_id: string }>(shop.seller, `${order.order_id}/refunds`, {
    lines: [{ order_line_id: line.order_line_id, amount_minor }],
    reason: 'by chance',
  });
  if (asked.status !== 201) return asked.status;
  const given = market.chance(2) === 0 ? amount_minor : 1 + market.chance(amount_minor);
  return tellRefund(market, shop, order, {
    seller_refund_id: asked.body.refund_id,
    lines: [{ order_line_no: line.line_no, amount_minor: given }],
  });
});

const settleRefund: Happening = async (market, shop) => {
  const [order, refund_id] = pick(market, shop.refunds.slice(-8)) ?? [];
  if (order === undefined) return REJECTED;
  const word = market.chance(3) === 0 ? 'failed' : 'confirmed';
  return tell(market, shop, `refund.${word}`, order, { refund_id });
};

const dispute = withOrder((market, shop, { order_id, ...order }) => {
  const { chance } = market;
  const dispute_id = `dp_${randomUUID()}`;
  shop.disputes.push([order_id, dispute_id]);
  const total = Number(order['total_minor']);
  return tell(market, shop, 'dispute.opened', order_id, {
    dispute_id,
    amount_minor: Math.max(1, oneIn(market, 3) ? total : chance(total + 50)),
    provider_fee_minor: chance(2) * 2_500,
  });
});

const decide: Happening = async (market, shop) => {
  const [order, dispute_id] = pick(market, shop.disputes.slice(-4)) ?? [];
  if (order === undefined) return REJECTED;
  const word = market.chance(2) === 0 ? 'won' : 'lost';
  return tell(market, shop, `dispute.${word}`, order, {
    dispute_id,
    returned_fee_minor: pick(market, [0, 2_500, 1_000, 9_000]),
  });
};

/** With the weight of each. */
export const ORDER_HAPPENINGS = {
  place: [7, place],
  capture: [8, capture],
  accept: [5, act('accept')],
  reject: [1, act('reject')],
  ship: [7, ship],
  arrive: [6, arrive],
  deliver: [5, deliver],
  cancel: [2, cancel],
  askToCancel: [1, askToCancel],
  refund: [6, refund],
  askedRefund: [2, askedRefund],
  settleRefund: [6, settleRefund],
  dispute: [3, dispute],
  decide: [4, decide],
} as const satisfies Record<string, readonly [number, Happening]>;
