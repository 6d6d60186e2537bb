/** What a sale leaves after fees and cost, and the smallest price with a margin. See docs/design/pricing.md#margin. */
import { atRate, costOfUnits, lessMinor, type Minor, minor, sumMinor } from '../../../kernel/money.ts';
import { estimateItem } from '../../fees/domain/estimate.ts';
import { type FeeSchedule, rateOfLine } from '../../fees/domain/schedule.ts';

const BPS_WHOLE = 10_000;

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
 * lowered for as long as it still leaves the margin.
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
  const holds = (price: bigint): boolean => {
    const sale = minor(price);
    const charged = rates.map((rate) => atRate(sale, rate));
    const rest = lessMinor(sale, schedule.seller_order_fee_minor, cost, ...charged);
    return rest * BigInt(BPS_WHOLE) >= price * BigInt(marginBps);
  };
  const doubled = sumMinor([cost, cost, schedule.seller_order_fee_minor, schedule.seller_order_fee_minor]);
  const dividend = (doubled + BigInt(rates.length)) * BigInt(BPS_WHOLE);
  const divisor = BigInt(2 * left);
  let price = (dividend + divisor - 1n) / divisor;
  if (price < 1n) price = 1n;
  while (price > 1n && holds(price - 1n)) price -= 1n;
  return minor(price);
}
