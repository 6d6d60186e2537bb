/**
 * A simulated market: random events change the money of sellers, and tests audit the books afterwards. The possible
 * events are in market-orders.ts and market-money.ts, the expected books in market-truth.ts.
 */
import type { Call } from './app.ts';
import { type Order, orderEvent, readOrder, type Timed } from './orders.ts';
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

export type Event = Record<string, unknown> & { readonly id: string };
export interface EventResult {
  readonly id: string;
  readonly status: string;
  readonly code?: string;
}

/** The service of the market: in this process, or in others that a test may kill. */
export interface Stage extends Timed {
  /** Sends events until they are answered. */
  events(...events: readonly Event[]): Promise<readonly EventResult[]>;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Moves the manual clock; due jobs run on the way, closes too. */
  moveTo(instant: number): Promise<void>;
  seller(): Promise<RenewableSeller>;
}

/** A seller that signs in again, because its token expires while days pass. */
export interface RenewableSeller {
  readonly seller_id: string;
  readonly call: Call;
  renew(): Promise<RenewableSeller>;
}

export interface Market {
  readonly stage: Stage;
  readonly chance: Chance;
  readonly shops: readonly Shop[];
  /** Sent events with their answers, to repeat them. */
  readonly sent: { readonly event: Event; readonly status: string }[];
  /** Events that have happened and are not sent yet. */
  readonly unsent: Event[];
}
export interface Shop {
  seller: RenewableSeller;
  readonly skus: readonly string[];
  readonly orders: string[];
  readonly refunds: [order: string, refund: string][];
  readonly disputes: [order: string, dispute: string][];
  readonly reserves: string[];
}
/** The status of an answer or an event; an action that was not possible counts as refused. */
export type Outcome = number | string;
export type Happening = (market: Market, shop: Shop) => Promise<Outcome>;

export const DAY_MS = 86_400_000;
export const REJECTED = 'rejected';
/** Longest delay of an event. */
const LATE_DAYS = 20;

export const pick = <T>({ chance }: Pick<Market, 'chance'>, list: readonly T[]): T | undefined =>
  list[chance(list.length)];

/** True once in `of` times. */
export const oneIn = ({ chance }: Pick<Market, 'chance'>, of: number): boolean => chance(of) === 0;

export const iso = (instant: number): string => new Date(instant).toISOString();
export const nowOf = ({ stage }: Pick<Market, 'stage'>): number => stage.app.services.now();

/** Sends the marketplace's events: most at once, some late, some out of order. */
export async function tell(
  market: Market,
  shop: Shop,
  type: string,
  subject: string | null,
  data: object,
): Promise<Outcome> {
  const late = oneIn(market, 6) ? market.chance(LATE_DAYS * DAY_MS) : 0;
  const more = { time: iso(nowOf(market) - late), ...(subject === null ? { subject: undefined } : {}) };
  const event = orderEvent(market.stage, shop.seller, type, subject ?? '', data, more);
  if (oneIn(market, 12)) {
    market.unsent.push(event);
    return REJECTED;
  }
  return send(market, event);
}

export async function send({ stage, sent }: Market, event: Event): Promise<Outcome> {
  const [result] = await stage.events(event);
  const status = result?.code === 'internal_error' ? 500 : (result?.status ?? 500);
  sent.push({ event, status: String(status) });
  return status;
}

/** Runs an action on a random order of the shop. */
export const withOrder =
  (work: (market: Market, shop: Shop, order: Order) => Promise<Outcome>): Happening =>
  async (market, shop) => {
    const id = pick(market, shop.orders.slice(-12));
    if (id === undefined) return REJECTED;
    const order = await readOrder(shop.seller, id);
    return order.lines === undefined ? REJECTED : work(market, shop, order);
  };

/** Moves the clock by some days. */
export async function passDays(market: Market, days: number): Promise<void> {
  await market.stage.moveTo(nowOf(market) + days * DAY_MS);
}

/** Tokens expire while days pass. */
export async function renewAll({ shops }: Market): Promise<void> {
  for (const shop of shops) shop.seller = await shop.seller.renew();
}

const PRODUCTS = 3;

export async function openMarket(stage: Stage, sellers: number, chance: Chance): Promise<Market> {
  const shops: Shop[] = [];
  for (let index = 0; index < sellers; index += 1) {
    const seller = await stage.seller();
    const skus: string[] = [];
    for (let product = 0; product < PRODUCTS; product += 1)
      skus.push(String((await create(seller, { quantity_on_hand: null }))['seller_sku']));
    shops.push({ seller, skus, orders: [], refunds: [], disputes: [], reserves: [] });
  }
  return { stage, chance, shops, sent: [], unsent: [] };
}
