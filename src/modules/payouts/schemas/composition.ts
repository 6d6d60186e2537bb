/** How the amount of a payout is composed: the figures of its settlement, from the opening balance to the amount. */

import Type, { type Static } from 'typebox';
import { lessMinor, minor, negated, sumMinor } from '../../../kernel/money.ts';
import { Amount } from '../../reconciliation/index.ts';
import {
  AdjustmentComponents,
  adjustmentComponentsOf,
  allJson,
  bucketSums,
  byTypeOf,
  FeeComponents,
  feeComponentsOf,
} from '../../settlements/index.ts';
import type { PayoutRow } from '../store/payouts.ts';

export const CompositionSchema = Type.Object(
  {
    opening_balance_minor: Amount('Carried in from the period before'),
    gross_amount_minor: Amount('Sales'),
    fees_minor: Amount('Above zero: kept by the marketplace'),
    fee_components: FeeComponents,
    adjustments_minor: Amount('Refunds, chargebacks, corrections; signed from the seller’s side'),
    adjustment_components: AdjustmentComponents,
    reserve_change_minor: Amount('Below zero: held in reserve; above: released'),
    closing_balance_minor: Amount('Carried out'),
    total_minor: Amount(
      'opening balance + gross − fees + adjustments + reserve change − closing balance: `amount_minor`, to the cent',
    ),
  },
  { title: 'PayoutComposition', description: 'Everything that the amount is made of' },
);
type CompositionWire = Static<typeof CompositionSchema>;

/** The sum of the lines by type, to compare it with the amount. */
export function compositionOf({ by_type, opening, closing }: PayoutRow['settled']): CompositionWire {
  const byType = byTypeOf(by_type);
  const { gross, fees, adjustments, reserve } = bucketSums(byType);
  const [carriedIn, carriedOut] = [minor(opening), minor(closing)];
  return {
    ...allJson({
      opening_balance_minor: carriedIn,
      gross_amount_minor: gross,
      fees_minor: negated(fees),
      adjustments_minor: adjustments,
      reserve_change_minor: reserve,
      closing_balance_minor: carriedOut,
      total_minor: lessMinor(sumMinor([carriedIn, gross, fees, adjustments, reserve]), carriedOut),
    }),
    fee_components: allJson(feeComponentsOf(byType)),
    adjustment_components: allJson(adjustmentComponentsOf(byType)),
  };
}
