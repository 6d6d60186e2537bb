/** Cost components on the wire. Source: docs/design/money.md#figures. */
import Type from 'typebox';
import { currencyExponent, minorToJson } from '../../../kernel/money.ts';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import {
  type AccountScope,
  Amount,
  describeFigures,
  metadata,
  metadataExample,
  payload,
} from '../../reconciliation/index.ts';
import {
  type Amounts,
  COMPONENT_STATUSES,
  COST_COMPONENTS,
  componentsOf,
  NEVER_KNOWN,
  totalsOf,
} from '../domain/components.ts';

const Null = (description: string) => Nullable(Type.Integer({ description }));

export const sumFields = {
  gross_minor: Amount('What was delivered, after discounts'),
  fees_minor: Amount('Charged less given back; above zero is a cost'),
  adjustments_minor: Amount('Below zero is a cost'),
  net_payout_minor: Amount('Gross less fees plus adjustments'),
  supplier_cost_minor: Null('Not known to the marketplace'),
  margin_minor: Null('null as long as a component is missing'),
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
              'partial: the amount is what was recorded, and the provider’s fee of the order, or of some of the orders, was not reported; not_captured: the fee was not reported and nothing was recorded; missing: it is not recorded anywhere',
          }),
          amount_minor: Null(
            'Seen from the seller; null where nothing is known. Those that are not null sum to `net_payout_minor`',
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

/** @param captured the provider's fee is known */
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

/** Fields of every answer of the area. */
export const frameFields = {
  currency: Type.String(),
  currency_exponent: Type.Integer(),
  ...payload,
  ...metadata,
};

const frame = (contract: string, currency: string) => ({
  currency,
  currency_exponent: currencyExponent(currency),
  cache_status: 'live' as const,
  source_contract: contract,
  missing_components: [...NEVER_KNOWN],
});

export const frameExample = (contract: string) => ({
  ...frame(contract, 'AUD'),
  ...metadataExample(contract),
});

export const frameJson = async (of: AccountScope, contract: string) => ({
  ...frame(contract, of.currency),
  ...(await describeFigures(of, contract)),
});
