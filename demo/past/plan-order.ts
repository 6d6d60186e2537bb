/** The story of one order of the past, from its placement to whatever became of it. */
import { endOfBusinessDay } from '../../src/kernel/australia/business-days.ts';
import { nextTimeOfDay } from '../../src/kernel/australia/sydney.ts';
import { atRate, minor, minorToJson } from '../../src/kernel/money.ts';
import { demoEvent, isoOf } from '../demo-event.ts';
import { buyer } from '../trade/buyers.ts';
import type { Chance } from '../trade/random.ts';
import { PAST_ORDER_PREFIX, PAST_PRODUCTS } from './past-shop.ts';
import type { Booking, Deed } from './past-step.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Of a hundred orders. */
const CANCELLED = 4;
const REJECTED = 3;
const REFUNDED = 9;
const DISCOUNTED = 12;
const LOYAL = 20;
const LINES_MAX = 2;
const DISCOUNT_MINOR = 500;
const SHIPPING_MINOR = [795, 995, 1_495] as const;
const DISPUTE_FEE_MINOR = 2_500;
/** When the seller answers the orders of the day, in Sydney. */
const ANSWERS_AT = { hour: 17, minute: 0 } as const;
/** Parcels go out at 12:00. */
const PICK_UP_BEFORE_MIDNIGHT_MS = 12 * HOUR_MS;
/** Rounds of those who bring parcels. */
const DELIVERY_HOURS = [10, 12, 14, 17] as const;

/** What becomes of an order; `ordinary` orders may still be disputed. */
export type Fate = 'ordinary' | 'cancelled' | 'rejected' | 'refunded' | 'dispute_won' | 'dispute_lost';

export interface OrderStory {
  readonly number: number;
  readonly sellerId: string;
  readonly placedAt: number;
  readonly chance: Chance;
  readonly fate: Fate;
}

export function drawFate(chance: Chance): Fate {
  const drawn = chance.between(1, 100);
  if (drawn <= CANCELLED) return 'cancelled';
  if (drawn <= CANCELLED + REJECTED) return 'rejected';
  return drawn <= CANCELLED + REJECTED + REFUNDED ? 'refunded' : 'ordinary';
}

interface Sold {
  readonly placed: object;
  readonly totalMinor: number;
  /** What the first line came to. */
  readonly firstMinor: number;
}

function drawSale({ chance, number, placedAt }: OrderStory): Sold {
  const { alias, customer_ref, address } = buyer(chance, number);
  const wanted = Array.from({ length: chance.between(1, LINES_MAX) }, () => chance.pick(PAST_PRODUCTS));
  const items = [...new Set(wanted)].flatMap((product) =>
    product === undefined ? [] : [{ product, quantity: chance.percent(20) ? 2 : 1 }],
  );
  const sums = items.map(({ product, quantity }) => quantity * product.price_minor);
  const goods = sums.reduce((sum, one) => sum + one, 0);
  const discount = goods > 6 * DISCOUNT_MINOR && chance.percent(DISCOUNTED) ? DISCOUNT_MINOR : 0;
  const shipping = chance.pick(SHIPPING_MINOR) ?? SHIPPING_MINOR[0];
  return {
    totalMinor: goods - discount + shipping,
    firstMinor: sums[0] ?? 0,
    placed: {
      order_number: String(10_000 + number),
      currency: 'AUD',
      placed_at: isoOf(placedAt),
      buyer: { alias, customer_ref },
      ship_to: address,
      loyalty: chance.percent(LOYAL),
      ...(discount === 0 ? {} : { seller_discount_minor: discount }),
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

/** 1.75 % and 30 cents, as card payments cost. */
export const cardFee = (totalMinor: number): number => minorToJson(atRate(minor(totalMinor), 175)) + 30;

/** The deeds of one order; what is said of it has names that follow from its number. */
class Teller {
  readonly deeds: Deed[] = [];
  readonly orderId: string;
  private readonly story: OrderStory;

  constructor(story: OrderStory) {
    this.story = story;
    this.orderId = `${PAST_ORDER_PREFIX}${String(story.number).padStart(4, '0')}`;
  }

  tell(at: number, word: string, data: object, books?: Booking): void {
    const event = demoEvent({
      id: `past-${this.story.number}-${word}`,
      type: word.includes('.') ? word : `order.${word}`,
      subject: this.orderId,
      sellerId: this.story.sellerId,
      at,
      data,
    });
    this.deeds.push({ kind: 'tell', at, event, ...(books === undefined ? {} : { books }) });
  }

  act(kind: 'accept' | 'reject' | 'dispatch', at: number, books?: Booking): void {
    this.deeds.push({ kind, at, orderId: this.orderId, ...(books === undefined ? {} : { books }) });
  }

  books(type: Booking['type'], source_id: string, amount_minor: number, fee_minor = 0): Booking {
    return { id: `txn_past_${this.story.number}_${type}`, type, source_id, amount_minor, fee_minor };
  }
}

/** A part of the first line goes back, and arrives a day later. */
function refund(teller: Teller, { number, chance }: OrderStory, sold: Sold, deliveredAt: number): void {
  const at = deliveredAt + chance.between(2, 5) * DAY_MS;
  const refund_id = `rf_past_${number}`;
  const half = minorToJson(atRate(minor(sold.firstMinor), 5_000));
  const amount_minor = chance.percent(50) ? half : half - 1;
  const lines = [{ order_line_no: 1, quantity: 1, amount_minor }];
  teller.tell(at, 'refund.created', { refund_id, lines, reason: 'damaged' });
  const booking = teller.books('refund', refund_id, -amount_minor);
  teller.tell(at + DAY_MS, 'refund.confirmed', { refund_id, provider_transaction_id: booking.id }, booking);
}

function dispute(teller: Teller, { number, fate }: OrderStory, sold: Sold, deliveredAt: number): void {
  const dispute_id = `dp_past_${number}`;
  const opened = deliveredAt + 3 * DAY_MS;
  const decided = opened + 9 * DAY_MS;
  teller.tell(
    opened,
    'dispute.opened',
    {
      dispute_id,
      amount_minor: sold.totalMinor,
      provider_fee_minor: DISPUTE_FEE_MINOR,
      respond_by: isoOf(opened + 7 * DAY_MS),
    },
    teller.books('dispute', dispute_id, -sold.totalMinor, DISPUTE_FEE_MINOR),
  );
  if (fate === 'dispute_lost') {
    teller.tell(decided, 'dispute.lost', { dispute_id, returned_fee_minor: 0 });
    return;
  }
  teller.tell(
    decided,
    'dispute.won',
    { dispute_id, returned_fee_minor: DISPUTE_FEE_MINOR },
    teller.books('dispute_reversal', dispute_id, sold.totalMinor, -DISPUTE_FEE_MINOR),
  );
}

/** All that happens to an order, however long that takes. */
export function tellOrder(story: OrderStory): readonly Deed[] {
  const { chance, fate, number, placedAt } = story;
  const sold = drawSale(story);
  const teller = new Teller(story);
  const chargeId = `ch_past_${number}`;
  const fee = cardFee(sold.totalMinor);
  const charge = teller.books('charge', chargeId, sold.totalMinor, fee);
  const back = teller.books('refund', chargeId, -sold.totalMinor);
  teller.tell(placedAt, 'placed', sold.placed);
  teller.tell(
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
  if (fate === 'cancelled') {
    teller.tell(changedMindAt, 'cancelled', { by: 'buyer', reason: 'changed_mind' }, back);
    return teller.deeds;
  }
  const answerAt = nextTimeOfDay(changedMindAt, ANSWERS_AT);
  if (fate === 'rejected') {
    teller.act('reject', answerAt, back);
    return teller.deeds;
  }
  teller.act('accept', answerAt);
  const sentAt = endOfBusinessDay(answerAt, 1) - PICK_UP_BEFORE_MIDNIGHT_MS;
  teller.act('dispatch', sentAt);
  const deliveredAt = nextTimeOfDay(sentAt + chance.between(0, 3) * DAY_MS, {
    hour: chance.pick(DELIVERY_HOURS) ?? DELIVERY_HOURS[0],
    minute: 0,
  });
  teller.tell(deliveredAt, 'delivered', { delivered_at: isoOf(deliveredAt) });
  if (fate === 'refunded') refund(teller, story, sold, deliveredAt);
  if (fate === 'dispute_won' || fate === 'dispute_lost') dispute(teller, story, sold, deliveredAt);
  return teller.deeds;
}
