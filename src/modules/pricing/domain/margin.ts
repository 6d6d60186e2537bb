/** What a sale leaves after fees and cost, and the smallest price with a margin. See docs/design/pricing.md#margin. */
import { atRate, costOfUnits, lessMinor, type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { estimateItem } from '../../fees/domain/estimate.ts';
import { type FeeSchedule, rateOfLine } from '../../fees/domain/schedule.ts';

const BPS_WHOLE = 10_000;
const BPS_HALF = 5_000n;

/** What decides the fees of a sale. */
export interface Fees {
  readonly schedule: FeeSchedule;
  /** What the payment provider keeps of a sale, in hundredths of a per cent; null: not known. */
  readonly processing_bps: number | null;
}

export interface Sale {
  readonly price: Minor;
  readonly quantity: number;
  readonly category: string | null;
  readonly shipping: Minor;
  readonly discount: Minor;
}

/** The fees of a sale, and what it leaves of them that are known. */
export function feesOf({ schedule, processing_bps }: Fees, sale: Sale) {
  const { gross, components } = estimateItem(schedule, { ...sale, reference: null, loyalty: false });
  const charged = components.map(({ component, status, amount }) =>
    component === 'payment_processing' && processing_bps !== null
      ? { component, status: 'estimated' as const, amount: atRate(gross, processing_bps) }
      : { component, status, amount },
  );
  const net = lessMinor(gross, ...charged.flatMap(({ amount }) => amount ?? []));
  return { gross, components: charged, net };
}

/**
 * The smallest price from which on each price leaves the margin, with fees rounded as they are booked.
 *
 * A rounded fee is at most half a unit above its exact amount, so the closed form is never too low. The price is then
 * lowered for as long as it still leaves the margin. A step down loses a unit less its margin, and gains each fee that
 * falls by a unit. With a margin near the limit there are ten thousands of steps, so they use plain numbers.
 *
 * @param unitMicros cost of a unit, in millionths of the currency's unit
 * @returns null if the rates and the margin together are 100 % or more
 */
export function marginPrice(
  fees: Fees,
  { category, unit_micros }: { readonly category: string | null; readonly unit_micros: bigint },
  marginBps: number,
): Minor | null {
  const { schedule, processing_bps } = fees;
  const cost = costOfUnits(unit_micros, 1, schedule.currency);
  const { platform_fee_bps } = rateOfLine(schedule, { kind: 'item', category, platform_fee_bps: null });
  const rates = [platform_fee_bps, processing_bps ?? 0].filter((rate) => rate > 0);
  const left = BPS_WHOLE - rates.reduce((sum, rate) => sum + rate, marginBps);
  if (left <= 0) return null;
  const doubled = sumMinor([cost, cost, schedule.seller_order_fee_minor, schedule.seller_order_fee_minor]);
  const dividend = (doubled + BigInt(rates.length)) * BigInt(BPS_WHOLE);
  const divisor = BigInt(2 * left);
  const highest = (dividend + divisor - 1n) / divisor;
  const start = minor(highest < 1n ? 1n : highest);
  const charged = rates.map((rate) => atRate(start, rate));
  const rest = lessMinor(start, schedule.seller_order_fee_minor, cost, ...charged);
  let excess = Number(rest * BigInt(BPS_WHOLE) - start * BigInt(marginBps));
  const fractions = rates.map((rate) => Number((start * BigInt(rate) + BPS_HALF) % BigInt(BPS_WHOLE)));
  let steps = 0;
  for (const most = Number(start) - 1; steps < most; steps += 1) {
    excess -= BPS_WHOLE - marginBps;
    for (const [index, rate] of rates.entries()) {
      const fraction = (fractions[index] ?? 0) - rate;
      fractions[index] = fraction < 0 ? fraction + BPS_WHOLE : fraction;
      if (fraction < 0) excess += BPS_WHOLE;
    }
    if (excess < 0) break;
  }
  return minor(start - BigInt(steps));
}
