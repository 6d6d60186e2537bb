/** What one unit of a listing leaves at the live price. Source: docs/design/supply.md#listings. */
import { lessMinor, type Minor, minor, rateOf } from '../../../kernel/money.ts';
import { estimateItem } from '../../fees/domain/estimate.ts';
import type { FeeSchedule } from '../../fees/domain/schedule.ts';

interface Cost {
  readonly unit_cost_minor: Minor;
  readonly fee_minor: Minor;
}

/** The estimate of `POST /fees/estimates` for one unit, less what the supplier asks for an order of one. */
export function earningsOf(
  schedule: FeeSchedule,
  { price, category }: { readonly price: Minor; readonly category: string | null },
  { unit_cost_minor, fee_minor }: Cost,
) {
  const none = { reference: null, shipping: minor(0), discount: minor(0), loyalty: false };
  const { gross, fees } = estimateItem(schedule, { ...none, price, category, quantity: 1 });
  const net = lessMinor(gross, fees);
  const margin = lessMinor(net, unit_cost_minor, fee_minor);
  return { net, margin, margin_bps: rateOf(margin, price) };
}
