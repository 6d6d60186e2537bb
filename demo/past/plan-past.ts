/**
 * The past of the demo marketplace: 45 days of one shop, drawn by chance that repeats itself. The same beginning
 * gives the same past, whenever and however often it is drawn; a later end only adds to it.
 */
import { endOfBusinessDay } from '../../src/kernel/australia/business-days.ts';
import { addDays, periodOf } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { demoEvent } from '../demo-event.ts';
import { type Chance, createChance } from '../trade/random.ts';
import type { Deed } from './past-step.ts';
import { drawFate, type Fate, tellOrder } from './plan-order.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SEED = 4_177;
/** Buyers are asleep before; what comes after is left for the next day. */
const FROM_MINUTE = 6 * 60;
const TO_MINUTE = 16 * 60 + 30;
/** How many orders a day has, each as likely as the others. */
const ORDERS_A_DAY = [0, 1, 1, 1, 2, 2, 3] as const;
/** A settlement is paid within so many days of its close. */
const PAID_WITHIN_DAYS = 8;
/** The first ordinary order from these days on comes to this. */
const FATES: readonly (readonly [fromDay: number, fate: Fate])[] = [
  [4, 'refunded'],
  [6, 'dispute_won'],
  [11, 'dispute_lost'],
];

export interface PastOptions {
  /** First instant of the first day, milliseconds. */
  readonly beganAt: number;
  /** Orders are placed until then; what becomes of them may come later. */
  readonly until: number;
  readonly sellerId: string;
}

/** The first instant of the Sydney day so many days before the one of an instant. */
export const daysBefore = (at: number, days: number): number => dayOf(addDays(sydneyDate(at), -days)).start;

/** Instants at which orders of a day are placed, the earliest first. */
function placements(chance: Chance, day: number, until: number): number[] {
  return Array.from(
    { length: chance.pick(ORDERS_A_DAY) ?? 1 },
    () => day + chance.between(FROM_MINUTE, TO_MINUTE) * MINUTE_MS,
  )
    .sort((a, b) => a - b)
    .filter((at) => at < until);
}

function ordersOf({ beganAt, until, sellerId }: PastOptions): Deed[] {
  const first = sydneyDate(beganAt);
  const deeds: Deed[] = [];
  const waiting = [...FATES];
  let number = 0;
  for (let index = 1; ; index += 1) {
    const day = dayOf(addDays(first, index)).start;
    if (day >= until) return deeds;
    // A generator for each day: a later end changes nothing of the days before.
    const chance = createChance(SEED + index * 7_919);
    for (const placedAt of placements(chance, day, until)) {
      number += 1;
      const drawn = drawFate(chance);
      const next = waiting[0];
      const chosen = drawn === 'ordinary' && next !== undefined && index >= next[0];
      if (chosen) waiting.shift();
      const fate = chosen ? next[1] : drawn;
      deeds.push(...tellOrder({ number, sellerId, placedAt, chance, fate }));
    }
  }
}

/** What concerns the whole account: rates, goodwill, money that is kept back for a while. */
function accountOf({ beganAt, sellerId }: PastOptions): Deed[] {
  const first = sydneyDate(beganAt);
  const tell = (day: number, type: string, subject: string, data: object, own = true): Deed => {
    const at = dayOf(addDays(first, day)).start + 11 * HOUR_MS;
    const id = `past-${type}`;
    return {
      kind: 'tell',
      at,
      event: demoEvent({ id, type, subject, at, data, ...(own ? { sellerId } : {}) }),
    };
  };
  const version = `demo-${addDays(first, 20)}`;
  return [
    tell(
      13,
      'fee_schedule.published',
      version,
      {
        version,
        effective_from: addDays(first, 20),
        platform_fee_default_bps: 1_000,
        category_overrides: [
          { category: 'electronics', bps: 1_250 },
          { category: 'lighting', bps: 1_150 },
        ],
        shipping_fee_bps: 1_000,
        loyalty_program_fund_bps: 200,
        seller_order_fee_minor: 30,
        dispute_fee_minor: 2_500,
      },
      false,
    ),
    tell(17, 'reserve.held', sellerId, {
      reserve_id: 'rsv_past_1',
      amount_minor: 5_000,
      reason_code: 'risk',
      release_on: addDays(first, 33),
    }),
    tell(22, 'adjustment.recorded', sellerId, {
      adjustment_id: 'adj_past_1',
      kind: 'manual_adjustment',
      amount_minor: 1_200,
      order_id: null,
      corrects_settlement_id: null,
      reason_code: 'goodwill',
      description: 'Carrier damage goodwill',
      actor: 'ops:7',
    }),
  ];
}

/** The marketplace's own rounds: payouts at 12:00 of business days after a close, and at last the provider's list. */
function roundsOf({ beganAt, until }: PastOptions): Deed[] {
  const deeds: Deed[] = [{ kind: 'report', at: until }];
  for (let end = endOfBusinessDay(beganAt, 1); ; end = endOfBusinessDay(end - HOUR_MS, 1)) {
    const at = end - 12 * HOUR_MS;
    if (at >= until) return deeds;
    const today = sydneyDate(at);
    const closed = addDays(periodOf(today, 'semi_monthly').start, PAID_WITHIN_DAYS);
    if (today < closed) deeds.push({ kind: 'pay', at });
  }
}

/** Everything that happens, in its order; what lies behind `until` has not happened yet. */
export function planHistory(options: PastOptions): readonly Deed[] {
  return [...ordersOf(options), ...accountOf(options), ...roundsOf(options)].sort((a, b) => a.at - b.at);
}
