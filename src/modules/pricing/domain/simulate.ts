/** Compares a sale at a price with one at the present price. See docs/design/pricing.md#simulation. */
import { costOfUnits, lessMinor, type Minor, rateOf } from '../../../kernel/money.ts';
import type { floorOf } from './evaluate.ts';
import { type Fees, feesOf, type Sale } from './margin.ts';

/** What a sale would leave. */
export function outcomeOf(fees: Fees, sale: Sale, unitMicros: bigint | null) {
  const { gross, components, net } = feesOf(fees, sale);
  const contribution =
    unitMicros === null
      ? null
      : lessMinor(net, costOfUnits(unitMicros, sale.quantity, fees.schedule.currency));
  return {
    price: sale.price,
    components,
    net,
    unit_micros: unitMicros,
    contribution,
    margin_bps: contribution === null || gross <= 0n ? null : rateOf(contribution, gross),
  };
}
export type Outcome = ReturnType<typeof outcomeOf>;

/** How many more units must be sold at the other price for the same contribution, in hundredths of a per cent. */
export function breakEven(now: Outcome | null, then: Outcome): number | null {
  if (now === null || now.contribution === null || then.contribution === null) return null;
  if (then.contribution <= 0n) return null;
  return rateOf(lessMinor(now.contribution, then.contribution), then.contribution);
}

export const FLOOR_CHECKS = ['ok', 'below_floor', 'no_floor'] as const;
/** A price above the floor may still be below that of the least margin, if that is not known. */
export const floorCheck = (
  price: Minor,
  { effective, isMarginUnknown }: Pick<ReturnType<typeof floorOf>, 'effective' | 'isMarginUnknown'>,
): (typeof FLOOR_CHECKS)[number] => {
  if (effective !== null && price < effective) return 'below_floor';
  return effective === null || isMarginUnknown ? 'no_floor' : 'ok';
};
