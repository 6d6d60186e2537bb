/** Plans one order of the past, from its placement to its end. */
import { endOfBusinessDay } from '../../src/kernel/australia/business-days.ts';
import { nextTimeOfDay } from '../../src/kernel/australia/sydney.ts';
import { atRate, minor, minorToJson } from '../../src/kernel/money.ts';
import { demoEvent, isoOf } from '../demo-event.ts';
import { buyer } from '../trade/buyers.ts';
import { createRandom, type Random } from '../trade/random.ts';
import {
  PAST_ORDER_PREFIX,
  PAST_PRODUCTS,
  PAST_PROMOTION,
  promotedMinor,
  type ShopProduct,
} from './past-shop.ts';
import type { Booking, PastStep } from './past-step.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How many of a hundred orders. */
const CANCELLED = 4;
const REJECTED = 3;
const REFUNDED = 9;
const DISCOUNTED = 12;
const LOYAL = 20;
const LINES_MAX = 2;
const DISCOUNT_MINOR = 500;
const SHIPPING_MINOR = [795, 995, 1_495] as const;
const DISPUTE_FEE_MINOR = 2_500;
/** The time in Sydney at which the seller answers the orders of the day. */
const ANSWERS_AT = { hour: 17, minute: 0 } as const;
/** The carrier picks parcels up at 12:00. */
const PICK_UP_BEFORE_MIDNIGHT_MS = 12 * HOUR_MS;
/** A late parcel goes on this business day after the answer; two are allowed. */
const DAYS_LATE = 4;
/** From the order to the delivery of what a supplier sends. */
const SUPPLIED_MS = 2 * DAY_MS;
/** Hours at which the carrier delivers. */
const DELIVERY_HOURS = [10, 12, 14, 17] as const;

/**
 * How an order ends; an `ordinary` order can get one of the fixed outcomes of the plan instead. A supplier sends what is
 * `supplied`.
 */
export type Outcome =
  | 'ordinary'
  | 'cancelled'
  | 'rejected'
  | 'refunded'
  | 'dispute_won'
  | 'dispute_lost'
  | 'late'
  | 'supplied';

interface Item {
  readonly product: ShopProduct;
  readonly quantity: number;
}

interface PastOrder {
  readonly number: number;
  readonly sellerId: string;
  readonly placedAt: number;
  readonly random: Random;
  readonly outcome: Outcome;
  /** Whether the shop's promotion runs. */
  readonly promoted: boolean;
  /** Default: drawn from the shop's own products. */
  readonly items?: readonly Item[];
}

export function drawOutcome(random: Random): Outcome {
  const drawn = random.between(1, 100);
  if (drawn <= CANCELLED) return 'cancelled';
  if (drawn <= CANCELLED + REJECTED) return 'rejected';
  return drawn <= CANCELLED + REJECTED + REFUNDED ? 'refunded' : 'ordinary';
}

interface Sold {
  readonly placed: object;
  readonly totalMinor: number;
  /** Total of the first line. */
  readonly firstMinor: number;
}

/** Of three orders, the last one is by the buyer of an earlier one. */
const buyerOf = (number: number): number =>
  number % 3 === 0 ? number - 2 - 3 * Math.floor(number / 6) : number;

function drawItems(random: Random): readonly Item[] {
  const wanted = Array.from({ length: random.between(1, LINES_MAX) }, () => random.pick(PAST_PRODUCTS));
  return [...new Set(wanted)].flatMap((product) =>
    product === undefined ? [] : [{ product, quantity: random.percent(20) ? 2 : 1 }],
  );
}

function drawSale({ random, number, placedAt, promoted, items = drawItems(random) }: PastOrder): Sold {
  const customer = buyerOf(number);
  const { alias, customer_ref, address } = buyer(createRandom(customer), customer);
  const sums = items.map(({ product, quantity }) => quantity * product.price_minor);
  const goods = sums.reduce((sum, one) => sum + one, 0);
  const off = goods > 6 * DISCOUNT_MINOR && random.percent(DISCOUNTED) ? DISCOUNT_MINOR : 0;
  const granted = items.map(({ product }, at) => (promoted ? promotedMinor(product, sums[at] ?? 0) : 0));
  const discount_minor = granted.reduce((sum, one) => sum + one, 0);
  const discount = off + discount_minor;
  const shipping = random.pick(SHIPPING_MINOR) ?? SHIPPING_MINOR[0];
  return {
    totalMinor: goods - discount + shipping,
    firstMinor: sums[0] ?? 0,
    placed: {
      order_number: String(10_000 + number),
      currency: 'AUD',
      placed_at: isoOf(placedAt),
      buyer: { alias, customer_ref },
      ship_to: address,
      loyalty: random.percent(LOYAL),
      ...(discount === 0 ? {} : { seller_discount_minor: discount }),
      ...(discount_minor === 0
        ? {}
        : { promotions: [{ promotion_id: PAST_PROMOTION.name, discount_minor }] }),
      lines: [
        ...items.map(({ product: { seller_sku, title, price_minor }, quantity }) => ({
          kind: 'item',
          seller_sku,
          title,
          quantity,
          unit_price_minor: price_minor,
        })),
        { kind: 'shipping', unit_price_minor: shipping },
      ],
    },
  };
}

/** A usual price of card payments: 1.75 % and 30 cents. */
export const cardFee = (totalMinor: number): number => minorToJson(atRate(minor(totalMinor), 175)) + 30;

/** Collects the steps of one order. All ids follow from its number, so every plan gives it the same ids. */
class OrderSteps {
  readonly steps: PastStep[] = [];
  readonly orderId: string;
  private readonly order: PastOrder;

  constructor(order: PastOrder) {
    this.order = order;
    this.orderId = `${PAST_ORDER_PREFIX}${String(order.number).padStart(4, '0')}`;
  }

  event(at: number, word: string, data: object, booking?: Booking, subject = this.orderId): void {
    const event = demoEvent({
      id: `past-${this.order.number}-${word}`,
      type: word.includes('.') ? word : `order.${word}`,
      subject,
      sellerId: this.order.sellerId,
      at,
      data,
    });
    this.steps.push({ kind: 'event', at, event, ...(booking === undefined ? {} : { booking }) });
  }

  act(kind: 'accept' | 'reject' | 'dispatch' | 'contest', at: number, booking?: Booking): void {
    this.steps.push({ kind, at, orderId: this.orderId, ...(booking === undefined ? {} : { booking }) });
  }

  booking(type: Booking['type'], source_id: string, amount_minor: number, fee_minor = 0): Booking {
    return { id: `txn_past_${this.order.number}_${type}`, type, source_id, amount_minor, fee_minor };
  }
}

/** Refunds half of the first line; the provider confirms the refund a day later. */
function refund(plan: OrderSteps, { number, random }: PastOrder, sold: Sold, deliveredAt: number): void {
  const at = deliveredAt + random.between(2, 5) * DAY_MS;
  const refund_id = `rf_past_${number}`;
  const half = minorToJson(atRate(minor(sold.firstMinor), 5_000));
  const amount_minor = random.percent(50) ? half : half - 1;
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor }];
  plan.event(at, 'refund.created', { refund_id, lines, reason: 'damaged' });
  const booking = plan.booking('refund', refund_id, -amount_minor);
  plan.event(at + DAY_MS, 'refund.confirmed', { refund_id, provider_transaction_id: booking.id }, booking);
}

/** The buyer asks for a part of the price; the marketplace resolves it once the refund has arrived. */
function enquire(plan: OrderSteps, { number }: PastOrder, deliveredAt: number): void {
  const ticket = `T-${number}`;
  const data = {
    ...{ kind: 'enquiry', topic: 'refund', order_id: plan.orderId },
    ...{
      subject: 'One piece is chipped',
      text: 'One piece came chipped. Can I have a part of the price back?',
    },
  };
  plan.event(deliveredAt + DAY_MS, 'ticket.opened', data, undefined, ticket);
  const resolved = { status: 'resolved', resolution: 'solved' };
  plan.event(deliveredAt + 7 * DAY_MS, 'ticket.updated', resolved, undefined, ticket);
}

/** A claim that the marketplace denies, because the carrier has delivered the parcel. */
function claim(plan: OrderSteps, { number }: PastOrder, sold: Sold, deliveredAt: number): void {
  const ticket = `T-${number}`;
  const filed = deliveredAt + DAY_MS;
  const data = {
    ...{ kind: 'claim', topic: 'delivery', order_id: plan.orderId },
    ...{ subject: 'Parcel has not arrived', text: 'Tracking says delivered, but nothing came.' },
    claim: {
      ...{ type: 'not_received', amount_minor: sold.totalMinor, currency: 'AUD' },
      ...{ filed_at: isoOf(filed), default_outcome: 'granted' },
    },
  };
  plan.event(filed, 'ticket.opened', data, undefined, ticket);
  const decision = { decision: 'denied', granted_minor: 0, decided_at: isoOf(filed + 5 * DAY_MS) };
  plan.event(filed + 5 * DAY_MS, 'ticket.updated', { claim: decision }, undefined, ticket);
}

function dispute(plan: OrderSteps, { number, outcome }: PastOrder, sold: Sold, deliveredAt: number): void {
  const dispute_id = `dp_past_${number}`;
  const opened = deliveredAt + 3 * DAY_MS;
  const decided = opened + 9 * DAY_MS;
  plan.event(
    opened,
    'dispute.opened',
    {
      dispute_id,
      amount_minor: sold.totalMinor,
      provider_fee_minor: DISPUTE_FEE_MINOR,
      respond_by: isoOf(opened + 7 * DAY_MS),
    },
    plan.booking('dispute', dispute_id, -sold.totalMinor, DISPUTE_FEE_MINOR),
  );
  if (outcome === 'dispute_lost') {
    plan.event(decided, 'dispute.lost', { dispute_id, returned_fee_minor: 0 });
    return;
  }
  plan.event(
    decided,
    'dispute.won',
    { dispute_id, returned_fee_minor: DISPUTE_FEE_MINOR },
    plan.booking('dispute_reversal', dispute_id, sold.totalMinor, -DISPUTE_FEE_MINOR),
  );
}

/** All steps of an order, including those after the end of the past. */
export function planOrder(order: PastOrder): readonly PastStep[] {
  const { random, outcome, number, placedAt } = order;
  const sold = drawSale(order);
  const plan = new OrderSteps(order);
  const chargeId = `ch_past_${number}`;
  const fee = cardFee(sold.totalMinor);
  const charge = plan.booking('charge', chargeId, sold.totalMinor, fee);
  const back = plan.booking('refund', chargeId, -sold.totalMinor);
  plan.event(placedAt, 'placed', sold.placed);
  plan.event(
    placedAt,
    'payment_captured',
    {
      charge_id: chargeId,
      captured_minor: sold.totalMinor,
      provider_fee_minor: fee,
      provider_transaction_id: charge.id,
    },
    charge,
  );
  const changedMindAt = placedAt + 5 * MINUTE_MS;
  if (outcome === 'cancelled') {
    plan.event(changedMindAt, 'cancelled', { by: 'buyer', reason: 'changed_mind' }, back);
    return plan.steps;
  }
  if (outcome === 'supplied') {
    const deliveredAt = placedAt + SUPPLIED_MS;
    plan.event(deliveredAt, 'delivered', { delivered_at: isoOf(deliveredAt) });
    return plan.steps;
  }
  const answerAt = nextTimeOfDay(changedMindAt, ANSWERS_AT);
  if (outcome === 'rejected') {
    plan.act('reject', answerAt, back);
    return plan.steps;
  }
  plan.act('accept', answerAt);
  const sentAt = endOfBusinessDay(answerAt, outcome === 'late' ? DAYS_LATE : 1) - PICK_UP_BEFORE_MIDNIGHT_MS;
  plan.act('dispatch', sentAt);
  const deliveredAt = nextTimeOfDay(sentAt + random.between(0, 3) * DAY_MS, {
    hour: random.pick(DELIVERY_HOURS) ?? DELIVERY_HOURS[0],
    minute: 0,
  });
  plan.event(deliveredAt, 'delivered', { delivered_at: isoOf(deliveredAt) });
  if (outcome === 'late') plan.act('contest', deliveredAt + HOUR_MS);
  if (outcome === 'refunded') {
    refund(plan, order, sold, deliveredAt);
    enquire(plan, order, deliveredAt);
  }
  if (outcome === 'dispute_won') claim(plan, order, sold, deliveredAt);
  if (outcome === 'dispute_won' || outcome === 'dispute_lost') dispute(plan, order, sold, deliveredAt);
  return plan.steps;
}
