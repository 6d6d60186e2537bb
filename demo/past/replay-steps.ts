/**
 * Replays the past: runs each step at its own instant, on a clock that moves through the days, before the ports open.
 * The seller acts through the API, the marketplace by events, and the service's own jobs run when they fall due.
 * A step that runs twice has one effect, because events have ids and requests have keys. The instant is stored before
 * its steps run, so that a start after a crash goes on from there.
 */
import { addDays, periodOf } from '../../src/kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { type CloudEvent, demoEvent, isoOf } from '../demo-event.ts';
import { payoutEvents } from '../payout-events.ts';
import { isObject, listOf, textOf } from '../shop-owner.ts';
import { storeClock } from '../store/past-progress.ts';
import {
  PAST_BUSINESS,
  PAST_CATALOGUE,
  PAST_FLAGS,
  PAST_PROMOTION,
  PAST_REJECTED,
  PAST_SHOP_ADDRESS,
} from './past-shop.ts';
import type { Booking, PastStep } from './past-step.ts';
import { promotedFrom } from './plan-past.ts';
import { APPROVED, decideProducts, post, type Replay, send } from './replay.ts';
import { runSupply } from './replay-supply.ts';
import { openTalks, runTalks } from './replay-talks.ts';
import { costsFrom, GUARDRAILS, LOWEST_OFFERS, PRICE_RULE } from './shop-prices.ts';
import { openStanding } from './shop-standing.ts';

const PROVIDER = 'stripe';
const AUSTRALIA_POST = { carrier: 'australia_post' } as const;
const HANDED_OVER_MS = 60_000;
const NO_PHOTO = {
  decision: 'rejected' as const,
  reasons: [{ code: 'image_missing', detail: 'Buyers need to see the tray: add a photo.' }],
};

/** Gives the shop what it needs before its first order: an address, a plan, a catalogue and approved products. */
export async function openShop(replay: Replay, at: number): Promise<void> {
  const { sellerId, owner } = replay;
  const about = { subject: sellerId, sellerId, at };
  const standing = { plan: 'Big', account_flags: PAST_FLAGS };
  await owner.patch('/sellers/me', { dispatch_address: PAST_SHOP_ADDRESS });
  await owner.patch('/sellers/me/business', PAST_BUSINESS);
  await send(replay, [
    demoEvent({ id: 'past-plan', type: 'seller.standing_changed', ...about, data: standing }),
  ]);
  await openStanding(replay, at);
  await post(replay, '/products/feed-runs', 'past-catalogue', PAST_CATALOGUE);
  const products = await decideProducts(replay, at, ({ seller_sku }) =>
    seller_sku === PAST_REJECTED.seller_sku ? NO_PHOTO : APPROVED,
  );
  await setPrices(replay, at);
  await openTalks(replay, at, products);
  await replay.suppliersDo('count', at);
}

/** Says what units cost and which prices are out of the question. */
async function setPrices(replay: Replay, at: number): Promise<void> {
  const costs = { items: costsFrom(sydneyDate(at)) };
  await post(replay, '/profitability/unit-costs/bulk', 'past-costs', costs);
  await post(replay, '/pricing/guardrails/bulk', 'past-guardrails', { items: GUARDRAILS });
  await post(replay, '/pricing/rules', 'past-price-rule', PRICE_RULE);
}

/** The marketplace says what others ask for some products. An observation counts for a day. */
async function observePrices(replay: Replay, at: number): Promise<void> {
  const products = listOf((await replay.owner.get('/products?limit=200')).body);
  const events = products.flatMap(({ product_id, seller_sku }) => {
    const lowest_minor = LOWEST_OFFERS[textOf(seller_sku)];
    const subject = textOf(product_id);
    const featured = { featured_minor: lowest_minor, featured_is_own: false };
    const seen = { observed_at: isoOf(at), currency: 'AUD', condition: 'new', offers_count: 3, ...featured };
    const about = { subject, sellerId: replay.sellerId, at, data: { ...seen, lowest_minor } };
    return lowest_minor === undefined
      ? []
      : [demoEvent({ id: `past-${subject}-offers-${isoOf(at)}`, type: 'price.observed', ...about })];
  });
  await send(replay, events);
}

/** The payment provider pays the last settlement, once the past is over. */
const isLast = (periodEnd: string, until: number): boolean =>
  periodOf(addDays(periodEnd, 1), 'semi_monthly').end >= sydneyDate(until);

async function paySettlements(replay: Replay, now: number): Promise<void> {
  const path = '/financials/settlements?status=ready&status=processing';
  const all = listOf((await replay.owner.get(path)).body);
  const own = all.filter(({ period_end }) => !isLast(textOf(period_end), replay.until));
  const events = own.flatMap((settlement) => {
    const audit = isObject(settlement['audit']) ? settlement['audit'] : {};
    return payoutEvents(replay.sellerId, {
      settlement_id: textOf(settlement['settlement_id']),
      period_end: textOf(settlement['period_end']),
      closed_at: Date.parse(textOf(audit['closed_at'])),
    });
  });
  await send(
    replay,
    events.filter(({ at }) => at <= now).map(({ event }) => event),
  );
}

/** Reports what the provider has booked until now, with the payouts. */
async function reportBookings(replay: Replay, now: number, past: readonly PastStep[]): Promise<void> {
  const paid = listOf((await replay.owner.get('/payments/payouts?status=paid&limit=200')).body);
  const payouts = paid.flatMap(({ provider_payout_id, amount_minor, paid_at }) => {
    const source_id = textOf(provider_payout_id);
    const taken = typeof amount_minor === 'number' ? -amount_minor : 0;
    const booking: Booking = {
      id: `txn_${source_id}`,
      type: 'payout',
      source_id,
      amount_minor: taken,
      fee_minor: 0,
    };
    return [{ at: Date.parse(textOf(paid_at)), booking }];
  });
  const transactions = [...past, ...payouts].flatMap(({ at, booking }) =>
    booking === undefined || at > now
      ? []
      : [
          {
            provider_transaction_id: booking.id,
            type: booking.type,
            amount_minor: booking.amount_minor,
            fee_minor: booking.fee_minor,
            net_minor: booking.amount_minor - booking.fee_minor,
            currency: 'AUD',
            source_id: booking.source_id,
            seller_id: replay.sellerId,
            created_at: isoOf(at),
          },
        ],
  );
  const data = { provider: PROVIDER, data_through: isoOf(now), transactions };
  const type = 'provider.transactions_reported';
  await send(replay, [demoEvent({ id: `past-report-${isoOf(now)}`, type, at: now, data })]);
}

const promotionOf = async ({ owner }: Replay): Promise<string> =>
  textOf(listOf((await owner.get('/marketing/promotions')).body)[0]?.['promotion_id']);

/** The shop proposes its promotion, and the marketplace approves it. */
async function promote(replay: Replay, at: number): Promise<void> {
  const { start, end } = promotedFrom(replay.beganAt);
  const terms = { ...PAST_PROMOTION, starts_at: isoOf(start), ends_at: isoOf(end) };
  await post(replay, '/marketing/promotions', 'past-promotion', terms);
  const subject = await promotionOf(replay);
  await post(replay, `/marketing/promotions/${subject}/submit`, 'past-promotion-submit', {});
  const about = { subject, sellerId: replay.sellerId, at, data: { decision: 'approved' } };
  await send(replay, [demoEvent({ id: 'past-promotion-approved', type: 'promotion.decided', ...about })]);
}

/** The event with the ids of products and of the promotion, of which the plan knows SKUs and the name only. */
async function named(replay: Replay, event: CloudEvent): Promise<CloudEvent> {
  const { data } = event;
  if (isObject(data) && data['rows'] !== undefined) {
    const products = listOf((await replay.owner.get('/products?limit=200')).body);
    const ids = new Map(products.map(({ seller_sku, product_id }) => [seller_sku, product_id]));
    const rows = listOf(data['rows']).map(({ seller_sku, ...row }) => ({
      ...row,
      product_id: ids.get(seller_sku),
    }));
    return { ...event, data: { ...data, rows } };
  }
  if (!isObject(data) || data['promotions'] === undefined) return event;
  const promotion_id = await promotionOf(replay);
  return {
    ...event,
    data: { ...data, promotions: listOf(data['promotions']).map((one) => ({ ...one, promotion_id })) },
  };
}

/** The shop contests that an order was late, and the marketplace upholds it. */
async function contestLate(replay: Replay, at: number, orderId: string): Promise<void> {
  const { owner, sellerId, runNight } = replay;
  await runNight(at);
  const { body } = await owner.get('/quality/seller-metrics/late_dispatch/events?window=90&limit=200');
  const late = listOf(body).find(({ order_id }) => order_id === orderId);
  const event_id = textOf(late?.['event_id']);
  const detail = 'The carrier did not come for three days.';
  const reason = { reason: 'carrier_fault', detail };
  await post(replay, `/quality/seller-metrics/events/${event_id}/contest`, `past-contest-${orderId}`, reason);
  const [contest] = listOf((await owner.get('/quality/contests')).body);
  const data = { status: 'upheld', reason_code: 'carrier_fault', detail: 'The carrier confirms it.' };
  const about = { subject: textOf(contest?.['contest_id']), sellerId, at, data };
  await send(replay, [
    demoEvent({ id: `past-contest-${orderId}-upheld`, type: 'contest.decided', ...about }),
  ]);
}

/** Runs the steps of one instant. */
async function runSteps(replay: Replay, at: number, steps: readonly PastStep[], past: readonly PastStep[]) {
  const events = steps.flatMap((step) => (step.kind === 'event' ? [named(replay, step.event)] : []));
  await send(replay, await Promise.all(events));
  if (steps.some(({ kind }) => kind === 'promote')) await promote(replay, at);
  const ordersTo = (kind: PastStep['kind']): readonly string[] =>
    steps.flatMap((step) => (step.kind === kind && 'orderId' in step ? [step.orderId] : []));
  for (const orderId of ordersTo('reject'))
    await post(replay, `/orders/${orderId}/reject`, `past-reject-${orderId}`, { reason: 'out_of_stock' });
  const accepted = ordersTo('accept').map((order_id) => ({ order_id }));
  if (accepted.length > 0)
    await post(replay, '/orders/bulk/accept', `past-accept-${at}`, { items: accepted });
  const sent = ordersTo('dispatch').map((order_id, index) => ({
    order_id,
    ...AUSTRALIA_POST,
    tracking_number: `2JD${String((at / HANDED_OVER_MS) % 10_000_000).padStart(7, '0')}${String(index).padStart(11, '0')}`,
  }));
  if (sent.length > 0) await post(replay, '/orders/bulk/dispatch', `past-dispatch-${at}`, { items: sent });
  for (const orderId of ordersTo('contest')) await contestLate(replay, at, orderId);
  await runTalks(replay, at, steps);
  for (const step of steps) if (step.kind === 'supply') await runSupply(replay, step);
  if (steps.some(({ kind }) => kind === 'pay')) await paySettlements(replay, at);
  if (!steps.some(({ kind }) => kind === 'report')) return;
  await reportBookings(replay, at, past);
  await observePrices(replay, at);
}

/**
 * Runs the steps of the plan between two instants, both included.
 *
 * @returns the number of steps
 * @throws the signal's reason when the start is cancelled
 */
export async function replaySteps(
  replay: Replay,
  plan: readonly PastStep[],
  from: number,
  until: number,
): Promise<number> {
  const due = plan.filter(({ at }) => at >= from && at <= until);
  for (const [at, steps] of Map.groupBy(due, (step) => step.at)) {
    replay.signal.throwIfAborted();
    await replay.services.withSystem('clock', 'single', (db) => storeClock(db, at));
    await replay.moveTo(at);
    await runSteps(replay, at, steps, plan);
  }
  return due.length;
}
