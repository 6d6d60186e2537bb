/**
 * Plans the events of the demo marketplace. It reads the sellers' events and answers with its own: it approves
 * products, places orders, delivers parcels, cancels and returns. No input or output here.
 */
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { type CloudEvent, demoEvent } from '../demo-event.ts';
import { PAST_ORDER_PREFIX, PAST_PRODUCTS, PAST_STOCK } from '../past/past-shop.ts';
import { cardFee } from '../past/plan-order.ts';
import { payoutEvents } from '../payout-events.ts';
import { isObject, type Json, listOf, textOf as text } from '../shop-owner.ts';
import { answersTo } from './answer-talks.ts';
import { buyer } from './buyers.ts';
import { createRandom, type Random } from './random.ts';

/** The shop that has traded before. */
export interface Past {
  readonly sellerId: string;
  /** Events of its past orders that lie after the end of the past. */
  readonly pending: readonly Planned[];
}

export interface TradePlan {
  learn(event: OutboxEvent, now: number): void;
  /** Removes and returns the events that are due, by their instants. */
  due(now: number): CloudEvent[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Delays in milliseconds, from and to. */
const DELAYS = {
  review: [2 * SECOND, 5 * SECOND],
  firstOrder: [3 * SECOND, 8 * SECOND],
  order: [15 * SECOND, 45 * SECOND],
  /** For the shop with a past, whose staff answers every order. */
  orderOfPast: [MINUTE, 3 * MINUTE],
  payment: [SECOND, 3 * SECOND],
  changeOfMind: [20 * SECOND, 90 * SECOND],
  pickUp: [10 * SECOND, 30 * SECOND],
  outForDelivery: [30 * SECOND, MINUTE],
  delivery: [MINUTE, 2 * MINUTE],
  sendBack: [2 * MINUTE, 5 * MINUTE],
  refund: [5 * SECOND, 15 * SECOND],
} as const;
/** The most reviews that are due at once, so that orders need not wait until a large feed is reviewed. */
const REVIEWS_AT_ONCE = 1_000;
/** How many of a hundred orders. */
const CANCELS = 6;
const RETURNS = 8;
/** A seller with this many unanswered orders gets no more. */
const UNANSWERED_MAX = 25;
const LINES_MAX = 3;
const SHIPPING_MINOR = [795, 995, 1_495] as const;

interface Product {
  readonly seller_sku: string;
  readonly title: string;
  readonly price_minor: number;
  /** Units for sale, as far as the outbox shows; buyers order no more than that. */
  available: number;
}

interface SellerView {
  readonly pace: readonly [from: number, to: number];
  readonly products: Map<string, Product>;
  readonly unanswered: Set<string>;
  nextOrderAt: number;
}

interface Planned {
  /** Milliseconds. */
  readonly at: number;
  readonly event: CloudEvent;
}

const objectOf = ({ data }: OutboxEvent): Json =>
  isObject(data) && isObject(data['object']) ? data['object'] : {};
/** Stock that is not counted is unlimited. */
const unitsOf = ({ quantity_available: units }: Json): number =>
  typeof units === 'number' ? units : Number.POSITIVE_INFINITY;
const KNOWN_SKUS: ReadonlySet<string> = new Set(PAST_PRODUCTS.map(({ seller_sku }) => seller_sku));

/** The state lives in memory; after a restart the plan reads the whole outbox again. */
class DemoTradePlan implements TradePlan {
  private readonly random: Random;
  private readonly run: string;
  private readonly past: Past | undefined;
  private readonly paysSettlements: boolean;
  private readonly sellers = new Map<string, SellerView>();
  /** Shipments whose delivery is planned. */
  private readonly shipped = new Set<string>();
  /** Line numbers by line id: the seller's refunds name ids, the marketplace's events numbers. */
  private readonly lineNumbers = new Map<string, number>();
  /** New sellers whom a buyer has asked something. */
  private readonly asked = new Set<string>();
  private planned: Planned[];
  private reviews: Planned[] = [];
  private events = 0;
  private orders = 0;

  constructor(random: Random, run: string, past: Past | undefined, paysSettlements: boolean) {
    this.paysSettlements = paysSettlements;
    this.random = random;
    this.run = run;
    this.past = past;
    this.planned = [...(past?.pending ?? [])];
  }

  learn(event: OutboxEvent, now: number): void {
    const object = objectOf(event);
    if (event.type.startsWith('product.')) this.learnProduct(event, object, now);
    else if (event.type === 'inventory.updated') this.learnStock(event, object);
    else if (event.type.startsWith('order.')) this.learnOrder(event, object, now);
    else if (event.type === 'refund.requested') this.confirmRefund(event.seller_id, object, now);
    else if (event.type === 'settlement.closed' || event.type === 'settlement.released')
      this.paySettlement(event.seller_id, object);
    for (const { afterMs, type, subject, data } of answersTo(event, object, this.isFirst(event, object), now))
      this.plan(now + afterMs, type, subject, event.seller_id, data);
  }

  /** Whether an event tells of the first product of a new seller that waits for approval. */
  private isFirst({ seller_id, type }: OutboxEvent, { curation }: Json): boolean {
    const waits = type.startsWith('product.') && isObject(curation) && curation['state'] === 'pending';
    if (!waits || seller_id === this.past?.sellerId || this.asked.has(seller_id)) return false;
    this.asked.add(seller_id);
    return true;
  }

  due(now: number): CloudEvent[] {
    for (const [sellerId, seller] of this.sellers)
      if (seller.nextOrderAt <= now) this.placeOrder(sellerId, seller, now);
    const ready = this.planned.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.planned = this.planned.filter(({ at }) => at > now);
    const waiting = this.reviews.findIndex(({ at }) => at > now);
    const reviewed = Math.min(waiting === -1 ? this.reviews.length : waiting, REVIEWS_AT_ONCE);
    ready.push(...this.reviews.splice(0, reviewed));
    return ready.map(({ event }) => event);
  }

  private later([from, to]: readonly [number, number], now: number): number {
    return now + this.random.between(from, to);
  }

  private eventAt(at: number, type: string, subject: string, sellerId: string, data: unknown): Planned {
    this.events += 1;
    const id = `${this.run}-${this.events}`;
    return { at, event: demoEvent({ id, type, subject, sellerId, at, data }) };
  }

  private plan(at: number, type: string, subject: string, sellerId: string, data: unknown): void {
    this.planned.push(this.eventAt(at, type, subject, sellerId, data));
  }

  private sellerOf(sellerId: string, now: number): SellerView {
    const known = this.sellers.get(sellerId);
    if (known !== undefined) return known;
    const ofPast = sellerId === this.past?.sellerId;
    const seller: SellerView = {
      pace: ofPast ? DELAYS.orderOfPast : DELAYS.order,
      products: new Map(
        ofPast
          ? PAST_PRODUCTS.map((product) => [product.seller_sku, { ...product, available: PAST_STOCK }])
          : [],
      ),
      unanswered: new Set(),
      nextOrderAt: this.later(DELAYS.firstOrder, now),
    };
    this.sellers.set(sellerId, seller);
    return seller;
  }

  private learnProduct({ seller_id, object_id }: OutboxEvent, object: Json, now: number): void {
    const { products } = this.sellerOf(seller_id, now);
    const [sku, title, price] = [text(object['seller_sku']), text(object['title']), object['price_minor']];
    if (seller_id === this.past?.sellerId && KNOWN_SKUS.has(sku)) return;
    const state = isObject(object['curation']) ? object['curation']['state'] : undefined;
    if (state === 'pending') {
      const at = this.later(DELAYS.review, now);
      const data = { decision: 'approved', reviewed_version: object['version'], reasons: [] };
      this.reviews.push(this.eventAt(at, 'product.curation_decided', object_id, seller_id, data));
    }
    if (object['status'] === 'active' && sku !== '' && typeof price === 'number')
      products.set(object_id, { seller_sku: sku, title, price_minor: price, available: unitsOf(object) });
    else products.delete(object_id);
  }

  private learnStock({ seller_id, object_id }: OutboxEvent, object: Json): void {
    const product = this.sellers.get(seller_id)?.products.get(object_id);
    if (product !== undefined) product.available = unitsOf(object);
  }

  private placeOrder(sellerId: string, seller: SellerView, now: number): void {
    seller.nextOrderAt = this.later(seller.pace, now);
    const all = [...seller.products.values()].filter(({ available }) => available > 0);
    if (all.length === 0 || seller.unanswered.size >= UNANSWERED_MAX) return;
    this.orders += 1;
    const orderId = `ord_demo${this.run}${this.orders}`;
    const { alias, customer_ref, address } = buyer(this.random, this.orders);
    const chosen = new Set(
      Array.from({ length: this.random.between(1, LINES_MAX) }, () => this.random.pick(all)),
    );
    const lines = [...chosen].flatMap((product) => {
      if (product === undefined) return [];
      const { seller_sku, title, price_minor: unit_price_minor, available } = product;
      const quantity = Math.min(available, this.random.between(1, 2));
      product.available -= quantity;
      return [{ kind: 'item', seller_sku, title, quantity, unit_price_minor }];
    });
    const shipping = this.random.pick(SHIPPING_MINOR) ?? SHIPPING_MINOR[0];
    const captured =
      shipping + lines.reduce((sum, { quantity, unit_price_minor }) => sum + quantity * unit_price_minor, 0);
    seller.unanswered.add(orderId);
    this.plan(now, 'order.placed', orderId, sellerId, {
      order_number: `D-${String(this.orders).padStart(5, '0')}`,
      currency: 'AUD',
      placed_at: new Date(now).toISOString(),
      buyer: { alias, customer_ref },
      ship_to: address,
      loyalty: this.random.percent(20),
      lines: [...lines, { kind: 'shipping', unit_price_minor: shipping }],
    });
    this.plan(this.later(DELAYS.payment, now), 'order.payment_captured', orderId, sellerId, {
      charge_id: `ch_${this.run}_${this.orders}`,
      captured_minor: captured,
      provider_fee_minor: cardFee(captured),
      provider_transaction_id: `txn_${this.run}_${this.orders}`,
    });
    if (this.random.percent(CANCELS))
      this.plan(this.later(DELAYS.changeOfMind, now), 'order.cancel_requested', orderId, sellerId, {
        request_id: `crq_${this.run}_${this.orders}`,
        lines: [{ order_line_no: 1, quantity: 1 }],
        reason: 'changed_mind',
      });
  }

  private learnOrder({ seller_id, type, object_id }: OutboxEvent, object: Json, now: number): void {
    const seller = this.sellerOf(seller_id, now);
    if (type !== 'order.created') seller.unanswered.delete(text(object['order_id']) || object_id);
    for (const { order_line_id, line_no } of listOf(object['lines']))
      if (typeof line_no === 'number') this.lineNumbers.set(text(order_line_id), line_no);
    for (const { shipment_id, status } of listOf(object['shipments']))
      if (status === 'dispatched')
        this.planDelivery(seller_id, text(object['order_id']), text(shipment_id), object, now);
  }

  /** Plans the scans and the delivery of a parcel, and some returns; once for each shipment. */
  private planDelivery(
    sellerId: string,
    orderId: string,
    shipmentId: string,
    order: Json,
    now: number,
  ): void {
    // The plan of the past has the deliveries of past orders.
    if (shipmentId === '' || this.shipped.has(shipmentId) || orderId.startsWith(PAST_ORDER_PREFIX)) return;
    this.shipped.add(shipmentId);
    const scan = (at: number, status: string, location: string): void =>
      this.plan(at, 'shipment.tracking_updated', shipmentId, sellerId, {
        status,
        at: new Date(at).toISOString(),
        location,
      });
    const picked = this.later(DELAYS.pickUp, now);
    const out = this.later(DELAYS.outForDelivery, picked);
    const delivered = this.later(DELAYS.delivery, out);
    const city = isObject(order['ship_to']) ? text(order['ship_to']['city']) : '';
    scan(picked, 'in_transit', 'Parcel centre');
    scan(out, 'out_for_delivery', city === '' ? 'Depot' : city);
    this.plan(delivered, 'shipment.delivered', shipmentId, sellerId, {
      delivered_at: new Date(delivered).toISOString(),
    });
    if (this.random.percent(RETURNS))
      this.plan(this.later(DELAYS.sendBack, delivered), 'return.requested', orderId, sellerId, {
        return_id: `rtn_${this.run}_${shipmentId.slice(-8)}`,
        lines: [{ order_line_no: 1, quantity: 1, reason: 'not_as_described' }],
      });
  }

  /** Plans the payout; its events are the same whenever the settlement is read again. */
  private paySettlement(sellerId: string, settlement: Json): void {
    const audit = isObject(settlement['audit']) ? settlement['audit'] : {};
    const closed_at = Date.parse(text(audit['closed_at']));
    if (!this.paysSettlements || settlement['status'] !== 'ready' || Number.isNaN(closed_at)) return;
    const [settlement_id, period_end] = [text(settlement['settlement_id']), text(settlement['period_end'])];
    this.planned.push(...payoutEvents(sellerId, { settlement_id, period_end, closed_at }));
  }

  private confirmRefund(sellerId: string, refund: Json, now: number): void {
    const refundId = text(refund['refund_id']);
    const orderId = text(refund['order_id']);
    const lines = listOf(refund['lines']).flatMap(({ order_line_id, quantity, amount_minor }) => {
      const number = this.lineNumbers.get(text(order_line_id));
      return number === undefined ? [] : [{ order_line_no: number, quantity, amount_minor }];
    });
    if (refundId === '' || orderId === '' || lines.length === 0) return;
    const external = `rf_${this.run}_${refundId.slice(-8)}`;
    const created = this.later(DELAYS.refund, now);
    const reason = text(refund['reason']) || 'goodwill';
    this.plan(created, 'refund.created', orderId, sellerId, {
      refund_id: external,
      seller_refund_id: refundId,
      lines,
      reason,
    });
    this.plan(this.later(DELAYS.refund, created), 'refund.confirmed', orderId, sellerId, {
      refund_id: external,
      provider_transaction_id: `txn_${external}`,
    });
  }
}

/**
 * A plan of the trade.
 *
 * @param seed the same seed and sellers give the same events
 * @param run part of all ids, so that they differ from those of earlier runs
 * @param past the shop that has traded before
 * @param paysSettlements whether the marketplace pays the settlements itself
 */
export function createTradePlan(seed: number, run: string, past?: Past, paysSettlements = true): TradePlan {
  return new DemoTradePlan(createRandom(seed), run, past, paysSettlements);
}
