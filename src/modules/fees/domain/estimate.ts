/**
 * The charges that a sale would have, and how they are computed. Source: docs/design/money.md#rounding-and-sharing.
 */
import {
  atRate,
  formatDecimal,
  lessMinor,
  type Minor,
  minor,
  sumMinor,
  timesUnits,
} from '../../../kernel/money.ts';
import { type FeeSchedule, type RateSource, rateOfLine } from './schedule.ts';

export interface EstimateItem {
  readonly reference: string | null;
  readonly price: Minor;
  readonly quantity: number;
  readonly category: string | null;
  readonly shipping: Minor;
  readonly discount: Minor;
  readonly loyalty: boolean;
}

export const ESTIMATED_COMPONENTS = [
  'platform_fee',
  'loyalty_program_fund',
  'seller_order_fee',
  'payment_processing',
] as const;
export type EstimatedComponent = (typeof ESTIMATED_COMPONENTS)[number];

/** One rate on one amount. */
interface Step {
  readonly on: 'item' | 'shipping';
  readonly basis: Minor;
  readonly rate_bps: number;
  readonly source: RateSource | 'schedule';
  /** Before rounding, in minor units. */
  readonly exact: string;
  readonly amount: Minor;
}

interface ComponentEstimate {
  readonly component: EstimatedComponent;
  readonly status: 'known' | 'not_captured' | 'not_applicable';
  /** Null if it is not known before the sale. */
  readonly amount: Minor | null;
  readonly formula: string;
  readonly steps: readonly Step[];
}

interface Estimate {
  readonly gross: Minor;
  readonly components: readonly ComponentEstimate[];
  /** The sum of the known charges. */
  readonly fees: Minor;
}

const BPS_DECIMALS = 4;

function step(on: Step['on'], basis: Minor, rate_bps: number, source: Step['source']): Step {
  const exact = formatDecimal(timesUnits(basis, rate_bps), BPS_DECIMALS);
  return { on, basis, rate_bps, source, exact, amount: atRate(basis, rate_bps) };
}

const textOf = ({ basis, rate_bps }: Step): string => `half_up(${basis} × ${rate_bps} / 10000)`;
const sumOf = (steps: readonly Step[]): Minor => sumMinor(steps.map(({ amount }) => amount));

function rated(component: EstimatedComponent, steps: readonly Step[]): ComponentEstimate {
  const amount = sumOf(steps);
  return {
    component,
    status: 'known',
    amount,
    formula: `${steps.map(textOf).join(' + ')} = ${amount}`,
    steps,
  };
}

/** The cost of selling an item under a schedule. The provider's fee is unknown before the sale, and is left out. */
export function estimateItem(schedule: FeeSchedule, item: EstimateItem): Estimate {
  const goods = lessMinor(timesUnits(item.price, item.quantity), item.discount);
  const { platform_fee_bps, source } = rateOfLine(schedule, {
    kind: 'item',
    category: item.category,
    platform_fee_bps: null,
  });
  const platform = rated('platform_fee', [
    step('item', goods, platform_fee_bps, source),
    ...(item.shipping > 0n ? [step('shipping', item.shipping, schedule.shipping_fee_bps, 'shipping')] : []),
  ]);
  const loyalty: ComponentEstimate = item.loyalty
    ? rated('loyalty_program_fund', [step('item', goods, schedule.loyalty_program_fund_bps, 'schedule')])
    : {
        component: 'loyalty_program_fund',
        status: 'not_applicable',
        amount: minor(0),
        formula: 'only of orders in the loyalty program',
        steps: [],
      };
  const fixed = schedule.seller_order_fee_minor;
  const components: ComponentEstimate[] = [
    platform,
    loyalty,
    {
      component: 'seller_order_fee',
      status: 'known',
      amount: fixed,
      formula: `fixed per order = ${fixed}`,
      steps: [],
    },
    {
      component: 'payment_processing',
      status: 'not_captured',
      amount: null,
      formula: 'provider_pass_through: what the payment provider charges, known once the payment is captured',
      steps: [],
    },
  ];
  return {
    gross: sumMinor([goods, item.shipping]),
    components,
    fees: sumMinor(components.flatMap(({ amount }) => amount ?? [])),
  };
}
