/**
 * Plans the past of the demo marketplace: 45 days of one shop, by seeded random numbers. Each plan with the same
 * beginning has the same steps; a later end only adds steps.
 */
import { endOfBusinessDay } from '../../src/kernel/australia/business-days.ts';
import { addDays, periodOf } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { demoEvent } from '../demo-event.ts';
import { createRandom, type Random } from '../trade/random.ts';
import type { PastOptions, PastStep } from './past-step.ts';
import { insightSteps } from './plan-insights.ts';
import { drawOutcome, type Outcome, planOrder } from './plan-order.ts';
import { supplySteps } from './plan-supply.ts';
import { planTalks } from './plan-talks.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SEED = 4_177;
/** Buyers order in these hours, so that the seller answers at 17:00 of the same day. */
const FROM_MINUTE = 6 * 60;
const TO_MINUTE = 16 * 60 + 30;
/** How many orders a day has, each as likely as the others. */
const ORDERS_A_DAY = [0, 1, 1, 1, 2, 2, 3] as const;
/** A settlement is paid within this many days of its close. */
const PAID_WITHIN_DAYS = 8;
/** The first ordinary order from this day on gets this outcome, so that every past has one of each. */
const FIXED_OUTCOMES: readonly (readonly [fromDay: number, outcome: Outcome])[] = [
  [4, 'refunded'],
  [6, 'dispute_won'],
  [11, 'dispute_lost'],
  [14, 'late'],
];

/** The shop proposes its promotion on this day, two hours before it begins, and it lasts 75 days. */
const PROMOTED_DAY = 24;
const PROMOTED_DAYS = 75;

/** When the shop's promotion begins and ends, milliseconds. */
export function promotedFrom(beganAt: number): { readonly start: number; readonly end: number } {
  const first = addDays(sydneyDate(beganAt), PROMOTED_DAY);
  return { start: dayOf(first).start + 2 * HOUR_MS, end: dayOf(addDays(first, PROMOTED_DAYS)).start };
}

/** The first instant of the Sydney day that is `days` days before the day of `at`. */
export const daysBefore = (at: number, days: number): number => dayOf(addDays(sydneyDate(at), -days)).start;

/** Instants at which buyers place the orders of a day, the earliest first. */
function placements(random: Random, day: number, until: number): number[] {
  return Array.from(
    { length: random.pick(ORDERS_A_DAY) ?? 1 },
    () => day + random.between(FROM_MINUTE, TO_MINUTE) * MINUTE_MS,
  )
    .sort((a, b) => a - b)
    .filter((at) => at < until);
}

function orderSteps({ beganAt, until, sellerId }: PastOptions): PastStep[] {
  const first = sydneyDate(beganAt);
  const steps: PastStep[] = [];
  const fixed = [...FIXED_OUTCOMES];
  const promotion = promotedFrom(beganAt);
  let number = 0;
  for (let index = 1; ; index += 1) {
    const day = dayOf(addDays(first, index)).start;
    if (day >= until) return steps;
    // A generator for each day: a later end does not change the days before.
    const random = createRandom(SEED + index * 7_919);
    for (const placedAt of placements(random, day, until)) {
      number += 1;
      const drawn = drawOutcome(random);
      const next = fixed[0];
      const chosen = drawn === 'ordinary' && next !== undefined && index >= next[0];
      if (chosen) fixed.shift();
      const outcome = chosen ? next[1] : drawn;
      const promoted = placedAt >= promotion.start && placedAt < promotion.end;
      steps.push(...planOrder({ number, sellerId, placedAt, random, outcome, promoted }));
    }
  }
}

/** Steps of the whole account: a fee schedule, a reserve and an adjustment. */
function accountSteps({ beganAt, sellerId }: PastOptions): PastStep[] {
  const first = sydneyDate(beganAt);
  const event = (day: number, type: string, subject: string, data: object, own = true): PastStep => {
    const at = dayOf(addDays(first, day)).start + 11 * HOUR_MS;
    const id = `past-${type}`;
    return {
      kind: 'event',
      at,
      event: demoEvent({ id, type, subject, at, data, ...(own ? { sellerId } : {}) }),
    };
  };
  const version = `demo-${addDays(first, 20)}`;
  return [
    event(
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
    event(17, 'reserve.held', sellerId, {
      reserve_id: 'rsv_past_1',
      amount_minor: 5_000,
      reason_code: 'risk',
      release_on: addDays(first, 33),
    }),
    event(22, 'adjustment.recorded', sellerId, {
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

/** The marketplace pays at 12:00 of the business days after a close, and at the end reports the provider's bookings. */
function marketplaceSteps({ beganAt, until }: PastOptions): PastStep[] {
  const steps: PastStep[] = [
    { kind: 'report', at: until },
    { kind: 'promote', at: promotedFrom(beganAt).start - 2 * HOUR_MS },
  ];
  for (let end = endOfBusinessDay(beganAt, 1); ; end = endOfBusinessDay(end - HOUR_MS, 1)) {
    const at = end - 12 * HOUR_MS;
    if (at >= until) return steps;
    const today = sydneyDate(at);
    const closed = addDays(periodOf(today, 'semi_monthly').start, PAID_WITHIN_DAYS);
    if (today < closed) steps.push({ kind: 'pay', at });
  }
}

/** All steps by their instants; those after `until` are still to come. */
export function planPast(options: PastOptions): readonly PastStep[] {
  const orders = orderSteps(options);
  return [
    ...orders,
    ...planTalks(orders, options),
    ...accountSteps(options),
    ...marketplaceSteps(options),
    ...insightSteps(options),
    ...supplySteps(options),
  ].sort((a, b) => a.at - b.at);
}
