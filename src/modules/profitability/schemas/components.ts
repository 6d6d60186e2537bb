/** Cost components as the API shows them. Source: docs/design/money.md#figures. */
import Type from 'typebox';
import type { MissingComponent } from '../../../kernel/frame.ts';
import { jsonOrNull, minorToJson, negated } from '../../../kernel/money.ts';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { Amount, NullableAmount, payload } from '../../reconciliation/index.ts';
import {
  type Amounts,
  COMPONENT_STATUSES,
  COST_COMPONENTS,
  componentsOf,
  type Known,
  marginOf,
  OUTSIDE,
  totalsOf,
} from '../domain/components.ts';
import { lacksFreight, statusOf } from '../domain/costs.ts';

export const sumFields = {
  gross_minor: Amount('Delivered goods, after discounts'),
  fees_minor: Amount('Charged less given back; above zero is a cost'),
  adjustments_minor: Amount('Below zero is a cost'),
  net_payout_minor: Amount('Gross less fees plus adjustments'),
  supplier_cost_minor: NullableAmount('What the goods have cost; null unless the cost of each unit is known'),
  margin_minor: NullableAmount(
    'Net payout less the costs of goods and freight; null unless both are known for every unit and order',
  ),
  margin_bps: Nullable(
    Type.Integer({ description: 'The margin as hundredths of a per cent of the sales less refunds' }),
  ),
};

/** The sums of a row; an unknown amount is null. */
export function sumsJson(amounts: Amounts, { covered }: Pick<Known, 'covered'>) {
  const { gross, fees, adjustments, net } = totalsOf(amounts);
  const { margin, margin_bps } = marginOf(amounts, covered);
  const status = statusOf(covered.supplier_cost);
  const isWhole = status !== 'missing' && status !== 'partial';
  return {
    gross_minor: minorToJson(gross),
    fees_minor: minorToJson(fees),
    adjustments_minor: minorToJson(adjustments),
    net_payout_minor: minorToJson(net),
    supplier_cost_minor: isWhole ? minorToJson(negated(amounts.supplier_cost)) : null,
    margin_minor: jsonOrNull(margin),
    margin_bps,
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
              'seller_supplied: you entered the cost, or some of it; partial: the amount is incomplete, because the provider’s fee of an order was not reported or some cost was not entered; not_captured: the fee was not reported and nothing is recorded; not_applicable: there is no such cost; missing: it was not entered',
          }),
          amount_minor: NullableAmount(
            'From the seller’s side; null where nothing is known. Without the costs of goods and freight they sum to `net_payout_minor`',
          ),
        },
        { title: 'CostComponent', description: 'One cost of the sale.' },
      ),
    ),
  ),
  basis: StringEnum(['latest_cost'], {
    title: 'CostBasis',
    description: 'A unit costs what was last entered for the day of its order; stock is not valued',
  }),
  coverage: Type.Object(
    {
      known_components: Type.Array(Type.String(), { description: 'Costs that are known' }),
      missing_components: Type.Array(Type.String(), {
        description: '`inbound_freight`: a supplier has not stated the freight of goods',
      }),
    },
    { title: 'CostCoverage', description: 'Which costs are known.' },
  ),
};

const INBOUND = 'inbound_freight';
const HAVE: ReadonlySet<string> = new Set(['known', 'seller_supplied', 'not_applicable']);

export function componentsJson(amounts: Amounts, known: Known) {
  const components = componentsOf(amounts, known);
  const named = (has: boolean) =>
    components.filter(({ status }) => HAVE.has(status) === has).map(({ component }): string => component);
  return {
    components: components.map(({ amount: value, ...component }) => ({
      ...component,
      amount_minor: jsonOrNull(value),
    })),
    basis: 'latest_cost' as const,
    coverage: {
      known_components: named(true),
      missing_components: [...named(false), ...(lacksFreight(known.covered) ? [INBOUND] : [])],
    },
  };
}

interface Shown {
  readonly coverage: { readonly missing_components: readonly string[] };
}

/** Fields that all lists of the area have. A cost is missing if some row lacks it. @param more what all rows lack */
export const frameOf = (contract: string) => {
  const of = (rows: readonly Shown[], more: readonly MissingComponent[] = []) => ({
    cache_status: 'live' as const,
    source_contract: contract,
    missing_components: [
      ...(rows.length === 0 ? OUTSIDE : rows.flatMap(({ coverage }) => coverage.missing_components)),
      ...more,
    ]
      .sort()
      .filter((name, place, all) => name !== all[place - 1]),
  });
  return { properties: payload, example: of([]), of };
};
