/** Plans what the shop buys from suppliers, and what they send to its buyers. */
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { dayOf, sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { createRandom } from '../trade/random.ts';
import { PAST_SUPPLIED } from './past-shop.ts';
import type { PastOptions, PastStep, SuppliersDo, SupplyAct } from './past-step.ts';
import { planOrder } from './plan-order.ts';

const HOUR_MS = 3_600_000;
/** The suppliers count at 17:00, when the shop answers its buyers. */
const COUNTED_AT = 17;
/** What the shop does, by the days since it opened. */
const ACTS: readonly (readonly [day: number, hour: number, act: SupplyAct, suppliers: SuppliersDo])[] = [
  [20, 10, 'request', 'answer'],
  [20, COUNTED_AT, 'award', 'answer'],
  [24, 12, 'receive', 'count'],
  [40, 10, 'list', 'count'],
  [43, 10, 'reorder', 'answer'],
  [44, 10, 'request_again', 'answer'],
];
const LISTED_DAY = 40;
/** A buyer orders what a supplier sends. The supplier is asked two minutes later. */
const SOLD = { day: 42, hour: 11, number: 901, askedAfterMs: 180_000 } as const;

export function supplySteps({ beganAt, until, sellerId }: PastOptions): PastStep[] {
  const first = sydneyDate(beganAt);
  const at = (day: number, hour: number): number => dayOf(addDays(first, day)).start + hour * HOUR_MS;
  const steps = ACTS.map(
    ([day, hour, act, suppliers]): PastStep => ({ kind: 'supply', at: at(day, hour), act, suppliers }),
  );
  // A listing without a count of the last 24 hours is paused.
  for (let day = LISTED_DAY; at(day, COUNTED_AT) < until; day += 1)
    steps.push({ kind: 'supply', at: at(day, COUNTED_AT), suppliers: 'count' });
  const { number, askedAfterMs } = SOLD;
  const placedAt = at(SOLD.day, SOLD.hour);
  if (placedAt >= until) return steps;
  const items = [{ product: PAST_SUPPLIED[0].product, quantity: 2 }];
  const random = createRandom(number);
  const order = { number, sellerId, placedAt, random, outcome: 'supplied', promoted: false, items } as const;
  return [...steps, ...planOrder(order), { kind: 'supply', at: placedAt + askedAfterMs, suppliers: 'send' }];
}
