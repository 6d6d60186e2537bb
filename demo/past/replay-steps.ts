/**
 * Tells the past: each deed at its own instant on a clock that runs through the days, before anybody else is let in.
 * Sellers act through their API, the marketplace by its events, and what falls due in between is done by the
 * service's own jobs. Told twice, nothing is there twice: events carry their ids, requests their keys; and where the
 * clock stands is written down before anything happens there, so that a start after a crash goes on from there.
 */
import type { Services } from '../../src/platform/services.ts';
import { type CloudEvent, demoEvent, isoOf } from '../demo-event.ts';
import { payoutNews } from '../payout-events.ts';
import { isObject, listOf, type Owner, textOf } from '../shop-owner.ts';
import { moveHistory } from '../store/past-progress.ts';
import { PAST_CATALOGUE } from './past-shop.ts';
import type { Booking, Deed } from './past-step.ts';

export interface HistoryTeller {
  readonly services: Pick<Services, 'withSystem' | 'log'>;
  readonly owner: Owner;
  readonly sellerId: string;
  /** Sends events to the internal listener; the answers in their order. */
  readonly tell: (events: readonly CloudEvent[]) => Promise<readonly { status: string; code?: string }[]>;
  /** Lets time pass, and happen what falls due on the way. */
  readonly passTo: (at: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const PROVIDER = 'demo-cards';
const AUSTRALIA_POST = { carrier: 'australia_post' } as const;
const HANDED_OVER_MS = 60_000;

async function say({ tell, services: { log } }: HistoryTeller, events: readonly CloudEvent[]): Promise<void> {
  if (events.length === 0) return;
  const results = await tell(events);
  for (const [index, { status, code }] of results.entries())
    if (status === 'rejected')
      log.warn({ event: events[index]?.id, code }, 'the demo marketplace was refused an event of its past');
}

async function act(
  { owner, services: { log } }: HistoryTeller,
  path: string,
  key: string,
  body: object | string,
): Promise<void> {
  const answer = await owner.post(path, key, body);
  const failed = isObject(answer.body) && isObject(answer.body['counts']) && answer.body['counts']['failed'];
  if (answer.status >= 400 || (typeof failed === 'number' && failed > 0))
    log.warn({ path, status: answer.status, failed }, 'the demo marketplace was refused a deed of its past');
}

/** The seller's plan, catalogue and the marketplace's approval: what stands before the first order. */
export async function openShop(teller: HistoryTeller, at: number): Promise<void> {
  const { sellerId, owner } = teller;
  const about = { subject: sellerId, sellerId, at };
  const standing = { plan: 'Small' };
  await say(teller, [
    demoEvent({ id: 'past-plan', type: 'seller.standing_changed', ...about, data: standing }),
  ]);
  await act(teller, '/products/feed-runs', 'past-catalogue', PAST_CATALOGUE);
  const products = listOf((await owner.get('/products?limit=200')).body);
  await say(
    teller,
    products.map(({ product_id }) => {
      const subject = textOf(product_id);
      const data = { decision: 'approved', reasons: [] };
      return demoEvent({
        id: `past-${subject}-approved`,
        type: 'product.curation_decided',
        ...about,
        subject,
        data,
      });
    }),
  );
}

async function paySettlements(teller: HistoryTeller, now: number): Promise<void> {
  const path = '/financials/settlements?status=ready&status=processing';
  const news = listOf((await teller.owner.get(path)).body).flatMap((settlement) => {
    const audit = isObject(settlement['audit']) ? settlement['audit'] : {};
    return payoutNews(teller.sellerId, {
      settlement_id: textOf(settlement['settlement_id']),
      period_end: textOf(settlement['period_end']),
      closed_at: Date.parse(textOf(audit['closed_at'])),
    });
  });
  await say(
    teller,
    news.filter(({ at }) => at <= now).map(({ event }) => event),
  );
}

/** What the provider has booked until now, the payouts among it. */
async function reportBookings(teller: HistoryTeller, now: number, past: readonly Deed[]): Promise<void> {
  const paid = listOf((await teller.owner.get('/payments/payouts?status=paid&limit=200')).body);
  const payouts = paid.flatMap(({ provider_payout_id, amount_minor, paid_at }) => {
    const source_id = textOf(provider_payout_id);
    const taken = typeof amount_minor === 'number' ? -amount_minor : 0;
    const books: Booking = {
      id: `txn_${source_id}`,
      type: 'payout',
      source_id,
      amount_minor: taken,
      fee_minor: 0,
    };
    return [{ at: Date.parse(textOf(paid_at)), books }];
  });
  const transactions = [...past, ...payouts].flatMap(({ at, books }) =>
    books === undefined || at > now
      ? []
      : [
          {
            provider_transaction_id: books.id,
            type: books.type,
            amount_minor: books.amount_minor,
            fee_minor: books.fee_minor,
            net_minor: books.amount_minor - books.fee_minor,
            currency: 'AUD',
            source_id: books.source_id,
            seller_id: teller.sellerId,
            created_at: isoOf(at),
          },
        ],
  );
  const data = { provider: PROVIDER, data_through: isoOf(now), transactions };
  const type = 'provider.transactions_reported';
  await say(teller, [demoEvent({ id: `past-report-${isoOf(now)}`, type, at: now, data })]);
}

/** Deeds of one instant, in the order in which they are done. */
async function doAll(teller: HistoryTeller, at: number, deeds: readonly Deed[], past: readonly Deed[]) {
  await say(
    teller,
    deeds.flatMap((deed) => (deed.kind === 'tell' ? [deed.event] : [])),
  );
  const ordersTo = (kind: Deed['kind']): readonly string[] =>
    deeds.flatMap((deed) => (deed.kind === kind && 'orderId' in deed ? [deed.orderId] : []));
  for (const orderId of ordersTo('reject'))
    await act(teller, `/orders/${orderId}/reject`, `past-reject-${orderId}`, { reason: 'out_of_stock' });
  const accepted = ordersTo('accept').map((order_id) => ({ order_id }));
  if (accepted.length > 0) await act(teller, '/orders/bulk/accept', `past-accept-${at}`, { items: accepted });
  const sent = ordersTo('dispatch').map((order_id, index) => ({
    order_id,
    ...AUSTRALIA_POST,
    tracking_number: `2JD${String((at / HANDED_OVER_MS) % 10_000_000).padStart(7, '0')}${String(index).padStart(11, '0')}`,
  }));
  if (sent.length > 0) await act(teller, '/orders/bulk/dispatch', `past-dispatch-${at}`, { items: sent });
  if (deeds.some(({ kind }) => kind === 'pay')) await paySettlements(teller, at);
  if (deeds.some(({ kind }) => kind === 'report')) await reportBookings(teller, at, past);
}

/**
 * Does what the plan says between two instants, both included.
 *
 * @returns how many deeds that were
 * @throws the signal's reason when it is told to stop
 */
export async function tellHistory(
  teller: HistoryTeller,
  plan: readonly Deed[],
  from: number,
  until: number,
): Promise<number> {
  const due = plan.filter(({ at }) => at >= from && at <= until);
  for (const [at, deeds] of Map.groupBy(due, (deed) => deed.at)) {
    teller.signal.throwIfAborted();
    await teller.services.withSystem('clock', 'read', (db) => moveHistory(db, at));
    await teller.passTo(at);
    await doAll(teller, at, deeds, plan);
  }
  return due.length;
}
