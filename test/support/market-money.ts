/** Random events of a market (market-day.ts) that are about money and not about orders. */
import { randomUUID } from 'node:crypto';
import {
  DAY_MS,
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
} from './market-day.ts';
import { ORDER_HAPPENINGS } from './market-orders.ts';

const dayOf = (instant: number): string => iso(instant).slice(0, 10);

const CLOSED =
  'select settlement_id from settlement where seller_id = $1 and payout_amount_minor >= $2 order by period_end desc limit 3';
const closedOf = async (market: Market, { seller }: Shop, least: number): Promise<string | undefined> =>
  pick(market, await market.stage.query<{ settlement_id: string }>(CLOSED, [seller.seller_id, least]))
    ?.settlement_id;

const adjust: Happening = async (market, shop) => {
  const { chance } = market;
  const kind = pick(market, ['manual_adjustment', 'settlement_correction', 'write_off'] as const);
  const corrects = kind === 'settlement_correction' ? await closedOf(market, shop, 0) : undefined;
  return tell(market, shop, 'adjustment.recorded', shop.seller.seller_id, {
    adjustment_id: `adj_${randomUUID()}`,
    kind,
    amount_minor: (1 + chance(5_000)) * (chance(3) === 0 && kind !== 'write_off' ? -1 : 1),
    order_id: chance(2) === 0 ? null : (pick(market, shop.orders) ?? null),
    corrects_settlement_id: corrects ?? null,
    reason_code: 'goodwill',
    description: 'By chance',
    actor: 'ops:1',
  });
};

const hold: Happening = (market, shop) => {
  const reserve_id = `rsv_${randomUUID()}`;
  shop.reserves.push(reserve_id);
  return tell(market, shop, 'reserve.held', shop.seller.seller_id, {
    reserve_id,
    amount_minor: 1 + market.chance(3_000),
    reason_code: 'risk',
    ...(oneIn(market, 3) ? {} : { release_on: dayOf(nowOf(market) + (market.chance(22) - 1) * DAY_MS) }),
  });
};

const release: Happening = async (market, shop) => {
  const reserve_id = pick(market, shop.reserves.slice(-3));
  if (reserve_id === undefined) return REJECTED;
  return tell(market, shop, 'reserve.released', shop.seller.seller_id, {
    release_id: `rel_${randomUUID()}`,
    reserve_id,
    ...(market.chance(2) === 0 ? {} : { amount_minor: 1 + market.chance(1_000) }),
  });
};

const REASONS = ['risk_review', 'kyc_required', 'payouts_disabled', 'provider_balance_mismatch'] as const;
const block: Happening = async (market, shop) =>
  tell(market, shop, 'settlement.hold_changed', shop.seller.seller_id, {
    reason: pick(market, REASONS),
    active: oneIn(market, 3),
    settlement_id: oneIn(market, 3) ? ((await closedOf(market, shop, 0)) ?? null) : null,
  });

const ATTEMPTS = 'select payout_id from payout where seller_id = $1 order by created_at desc limit 3';
const PAYOUT_NEWS = ['in_transit', 'in_transit', 'paid', 'paid', 'failed', 'canceled', 'returned'] as const;
const payOut: Happening = async (market, shop) => {
  const values = [shop.seller.seller_id];
  const named = oneIn(market, 3)
    ? pick(market, await market.stage.query<{ payout_id: string }>(ATTEMPTS, values))?.payout_id
    : undefined;
  const subject = named ?? (await closedOf(market, shop, 1));
  if (subject === undefined) return REJECTED;
  return tell(market, shop, 'payout.updated', subject, {
    status: pick(market, PAYOUT_NEWS),
    at: iso(nowOf(market) - (oneIn(market, 5) ? market.chance(5 * DAY_MS) : 0)),
  });
};

/** Changes the terms of a seller; earlier deliveries keep theirs. */
const standing: Happening = (market, shop) =>
  tell(market, shop, 'seller.standing_changed', shop.seller.seller_id, {
    hold_days: pick(market, [null, 0, 1, 5, 9]),
    min_payout_minor: pick(market, [null, 0, 100, 20_000]),
  });

const schedule: Happening = (market, shop) => {
  const { chance } = market;
  const version = `v-${randomUUID()}`;
  return tell(market, shop, 'fee_schedule.published', version, {
    version,
    effective_from: dayOf(nowOf(market) + (chance(20) - 10) * DAY_MS),
    platform_fee_default_bps: chance(2_000),
    category_overrides: [],
    shipping_fee_bps: chance(2_000),
    loyalty_program_fund_bps: chance(500),
    seller_order_fee_minor: chance(60),
    dispute_fee_minor: 2_500,
  });
};

const CHARGES =
  'select o.charge_id, coalesce(o.charge_total_minor, o.captured_minor)::int as amount, ' +
  'coalesce(o.charge_provider_fee_minor, o.provider_fee_minor, 0)::int as fee ' +
  'from sales_order o where o.seller_id = $1 and o.captured_at is not null order by o.captured_at desc limit 5';
const report: Happening = async (market, shop) => {
  const charge = pick(
    market,
    await market.stage.query<{ charge_id: string; amount: number; fee: number }>(CHARGES, [
      shop.seller.seller_id,
    ]),
  );
  if (charge === undefined) return REJECTED;
  const at = iso(nowOf(market));
  const off = oneIn(market, 4) ? 1 : 0;
  const transaction = {
    provider_transaction_id: `txn_${charge.charge_id}`,
    type: 'charge',
    amount_minor: charge.amount + off,
    fee_minor: charge.fee,
    net_minor: charge.amount + off - charge.fee,
    currency: 'AUD',
    source_id: charge.charge_id,
    seller_id: shop.seller.seller_id,
    created_at: at,
  };
  // Sometimes the provider reports a transaction twice.
  const twin = { ...transaction, provider_transaction_id: `txn_${randomUUID()}` };
  return tell(market, shop, 'provider.transactions_reported', null, {
    provider: 'stripe',
    data_through: at,
    transactions: oneIn(market, 4) ? [transaction, twin] : [transaction],
  });
};

/** Repeats an event: unchanged, with another id, or with its id on other content. */
const again: Happening = async (market) => {
  const known = pick(market, market.sent);
  if (known === undefined) return REJECTED;
  const { event } = known;
  const [variant] = [market.chance(4)];
  if (variant === 0) return send(market, { ...event, id: randomUUID() });
  const taken = ['applied', 'stale', 'duplicate'].includes(known.status);
  if (variant !== 1 || !taken) return send(market, event);
  const [result] = await market.stage.events({ ...event, time: '2026-01-01T00:00:00Z' });
  if (result?.code !== 'id_reused') throw new Error(`${event.id}: ${JSON.stringify(result)}`);
  return REJECTED;
};

/** Sends the same event several times concurrently: one is applied. */
const concurrent: Happening = async (market) => {
  const event = pick(market, market.unsent.splice(0, 1));
  if (event === undefined) return REJECTED;
  const results = await Promise.all([event, event, event].map((one) => market.stage.events(one)));
  const statuses = results.map(([result]) => (result?.code === 'internal_error' ? 500 : result?.status));
  if (statuses.filter((status) => status === 'applied').length > 1) throw new Error(`${event.id} twice`);
  const status = statuses.find((one) => one !== 'duplicate') ?? 'duplicate';
  market.sent.push({ event, status: String(statuses.includes('applied') ? 'applied' : status) });
  return status;
};

/** Sends events that were delayed, or were rejected before what they needed was there. */
const delayed: Happening = async (market) => {
  const unsent = market.unsent.splice(market.chance(market.unsent.length), 1)[0];
  if (unsent !== undefined) return send(market, unsent);
  const refused = pick(
    market,
    market.sent.slice(-200).filter(({ status }) => status === 'rejected'),
  );
  return refused === undefined ? REJECTED : send(market, refused.event);
};

/** With the weight of each. */
export const HAPPENINGS = {
  ...ORDER_HAPPENINGS,
  adjust: [2, adjust],
  hold: [1, hold],
  release: [1, release],
  block: [2, block],
  payOut: [6, payOut],
  standing: [1, standing],
  schedule: [1, schedule],
  report: [1, report],
  again: [3, again],
  concurrent: [2, concurrent],
  delayed: [3, delayed],
} as const satisfies Record<string, readonly [number, Happening]>;
export type Name = keyof typeof HAPPENINGS;
const NAMES = Object.keys(HAPPENINGS) as Name[];
const URN = NAMES.flatMap((name) => Array.from({ length: HAPPENINGS[name][0] }, () => name));

/** Picks the next event and its shop. */
export function next(market: Market): { readonly name: Name; readonly shop: Shop } {
  const name = pick(market, URN) ?? 'place';
  const shop = pick(market, market.shops);
  if (shop === undefined) throw new Error('the market has no shop');
  return { name, shop };
}

/** Sends all events that are not sent yet. */
export async function sendAll(market: Market): Promise<void> {
  for (const event of market.unsent.splice(0)) await send(market, event);
}
