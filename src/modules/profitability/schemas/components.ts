/** Cost components as the API shows them. Source: docs/design/money.md#figures. */
import Type from 'typebox';
import { minorToJson } from '../../../kernel/money.ts';
import { described, StringEnum } from '../../../kernel/schema.ts';
import { Amount, NullableAmount, payload } from '../../reconciliation/index.ts';
import {
  type Amounts,
  COMPONENT_STATUSES,
  COST_COMPONENTS,
  componentsOf,
  NEVER_KNOWN,
  totalsOf,
} from '../domain/components.ts';

export const sumFields = {
  gross_minor: Amount('Delivered goods, after discounts'),
  fees_minor: Amount('Charged less given back; above zero is a cost'),
  adjustments_minor: Amount('Below zero is a cost'),
  net_payout_minor: Amount('Gross less fees plus adjustments'),
  supplier_cost_minor: NullableAmount('Not known to the marketplace'),
  margin_minor: NullableAmount('Null while a component is missing'),
};

/** The sums of a row; an unknown amount is null. */
export function sumsJson(amounts: Amounts) {
  const { gross, fees, adjustments, net } = totalsOf(amounts);
  return {
    gross_minor: minorToJson(gross),
    fees_minor: minorToJson(fees),
    adjustments_minor: minorToJson(adjustments),
    net_payout_minor: minorToJson(net),
    supplier_cost_minor: null,
    margin_minor: null,
  };
}

export const componentFields = {
  components: described(
    'The costs by component',
    Type.Array(
      Type.Object(
        {
          component: StringEnum(COST_COMPONENTS, { description: 'Which cost it is' }),
          status: StringEnum(COMPONENT_STATUSES, {
            description:
              'partial: the amount is incomplete because the provider’s fee of an order was not reported; not_captured: the fee was not reported and nothing is recorded; missing: the marketplace does not record it',
          }),
          amount_minor: NullableAmount(
            'From the seller’s side; null where nothing is known. The others sum to `net_payout_minor`',
          ),
        },
        { title: 'CostComponent', description: 'One cost of the sale.' },
      ),
    ),
  ),
  coverage: Type.Object(
    {
      known_components: Type.Array(Type.String(), { description: 'Costs that are known' }),
      missing_components: Type.Array(Type.String()),
    },
    { title: 'CostCoverage', description: 'Which costs are known.' },
  ),
};

/** @param captured whether the provider's fee is known */
export function componentsJson(amounts: Amounts, captured: boolean) {
  const components = componentsOf(amounts, captured);
  const named = (known: boolean) =>
    components
      .filter(({ status }) => (status === 'known') === known)
      .map(({ component }): string => component);
  return {
    components: components.map(({ amount, ...component }) => ({
      ...component,
      amount_minor: amount === null ? null : minorToJson(amount),
    })),
    coverage: { known_components: named(true), missing_components: named(false) },
  };
}

/** Fields that all lists of the area have, with the same values in each answer. */
export const frameOf = (contract: string) => ({
  properties: payload,
  example: {
    cache_status: 'live' as const,
    source_contract: contract,
    missing_components: [...NEVER_KNOWN],
  },
});
