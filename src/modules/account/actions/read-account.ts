/** The balances of an account as the API shows them. */

import { lessMinor, type Minor, minorToJson, sumMinor } from '../../../kernel/money.ts';
import { type AccountScope, describeFigures } from '../../reconciliation/index.ts';
import type { AsOf } from '../domain/as-of.ts';
import { type Account, type AccountFigures, figuresAt, lacksProcessing } from '../store/figures.ts';

export const netOf = ({ sales, fees, adjustments }: Pick<AccountFigures, 'sales' | 'fees' | 'adjustments'>) =>
  sumMinor([lessMinor(sales, fees), adjustments]);

/** The amount that the seller is still owed. */
export const pendingOf = ({ in_hold, available, reserved, settled, in_transit }: AccountFigures): Minor =>
  sumMinor([in_hold, available, reserved, settled, in_transit]);

/** Payouts that have arrived and were not returned. */
export const completedOf = ({ paid, returned }: AccountFigures): Minor => sumMinor([paid, returned]);

const toBalances = ({ at }: AsOf, figures: AccountFigures) => ({
  as_of: at,
  delivered_sales_minor: minorToJson(figures.sales),
  delivered_order_count: figures.orders,
  recorded_fees_minor: minorToJson(figures.fees),
  adjustments_minor: minorToJson(figures.adjustments),
  net_activity_minor: minorToJson(netOf(figures)),
  pending_payout_minor: minorToJson(pendingOf(figures)),
  pending_breakdown: {
    in_hold_minor: minorToJson(figures.in_hold),
    available_minor: minorToJson(figures.available),
    reserved_minor: minorToJson(figures.reserved),
    settled_unpaid_minor: minorToJson(figures.settled),
    in_transit_minor: minorToJson(figures.in_transit),
  },
  completed_payout_minor: minorToJson(completedOf(figures)),
});

/**
 * The account at an instant, with its source.
 *
 * @param by the day of `available_by`; by default the day of the instant
 */
export async function readBalances(of: AccountScope, asOf: AsOf, contract: string, by?: string) {
  const figures = await figuresAt(of, asOf, by);
  const source = await describeFigures(of, contract, asOf.at, figures.entries);
  return { figures, view: { ...toBalances(asOf, figures), ...source } };
}

/**
 * Components that orders of a window should have and that were not recorded.
 *
 * @param window Sydney days, both included. Without a start it begins with the first line.
 */
export async function missingComponents(
  of: Account,
  { orders, processed }: Pick<AccountFigures, 'orders' | 'processed'>,
  window: { readonly start: string | null; readonly end: string },
): Promise<string[]> {
  // A known fee of zero has no line. So a fee can be unknown only if there are fewer lines than orders.
  return processed < orders && (await lacksProcessing(of, window)) ? ['payment_processing'] : [];
}
