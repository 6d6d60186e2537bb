/** The comparison of charges with estimates, as the API shows it. */
import Type from 'typebox';
import { jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { described, StringEnum } from '../../../kernel/schema.ts';
import { Amount, NullableAmount } from '../../reconciliation/index.ts';
import { CAUSES, type Comparison } from '../domain/compare.ts';
import { ESTIMATED_COMPONENTS } from '../domain/estimate.ts';

export const EstimatedComponent = StringEnum(ESTIMATED_COMPONENTS, {
  title: 'EstimatedFeeComponent',
  description: 'A component of the fees that can be estimated',
});

export const ComparisonSchema = Type.Object(
  {
    basis: StringEnum(['delivered', 'ordered'], {
      description: 'What the estimate is of; `ordered` as long as nothing is delivered',
    }),
    estimated_by: Type.String({ description: 'Schedule version that counted on the day of the order' }),
    charged_by: Type.String({ description: 'Schedule version that is frozen with the order' }),
    components: described(
      'The fees by component',
      Type.Array(
        Type.Object(
          {
            component: EstimatedComponent,
            estimated_minor: NullableAmount('Before discounts; null: it could not be known'),
            actual_minor: NullableAmount('Charged less given back; null: not recorded'),
            variance_minor: NullableAmount('Actual less estimated; null if one of them is null'),
            causes: Type.Array(
              Type.Object(
                {
                  cause: StringEnum(CAUSES, { description: 'Why the amounts differ' }),
                  amount_minor: Amount('Its share of the variance: above zero costs more'),
                },
                { title: 'FeeVarianceCause', description: 'A cause of a difference.' },
              ),
              {
                description:
                  'They sum to the variance. Payment processing is not estimated: its causes are amounts that were shared or belong to disputes',
              },
            ),
          },
          { title: 'FeeVariance', description: 'One component: estimated and charged.' },
        ),
      ),
    ),
    missing_components: Type.Array(EstimatedComponent),
  },
  { title: 'FeeComparison', description: 'Fees of an order as estimated and as charged.' },
);

export interface ComparedOrder {
  readonly comparison: Comparison;
  readonly estimated_by: string;
  readonly charged_by: string;
}

export const comparisonJson = ({ comparison, estimated_by, charged_by }: ComparedOrder) => ({
  basis: comparison.basis,
  estimated_by,
  charged_by,
  components: comparison.components.map(({ component, estimated, actual, variance, causes }) => ({
    component,
    estimated_minor: jsonOrNull(estimated),
    actual_minor: jsonOrNull(actual),
    variance_minor: jsonOrNull(variance),
    causes: causes.map(({ cause, amount }) => ({ cause, amount_minor: minorToJson(amount) })),
  })),
  missing_components: comparison.components.flatMap(({ component, actual }) =>
    comparison.basis === 'delivered' && actual === null ? [component] : [],
  ),
});

export const COMPARISON_EXAMPLE = {
  basis: 'delivered' as const,
  estimated_by: '2026-07',
  charged_by: '2026-07',
  components: [
    {
      component: 'platform_fee' as const,
      estimated_minor: 684,
      actual_minor: 484,
      variance_minor: -200,
      causes: [{ cause: 'refund_credit' as const, amount_minor: -200 }],
    },
    {
      component: 'payment_processing' as const,
      estimated_minor: null,
      actual_minor: 150,
      variance_minor: null,
      causes: [],
    },
  ],
  missing_components: [],
};
