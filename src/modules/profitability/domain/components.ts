/** The known and the unknown costs of an order. Source: docs/design/money.md#figures. */
import { type Minor, minor, negated, splitMinor, sumMinor } from '../../../kernel/money.ts';

/** A line of the statement, or the sum of several lines of one kind. */
export interface Posted {
  readonly component: string | null;
  readonly bucket: 'gross' | 'fees' | 'adjustments' | 'reserve';
  /** Null for an amount of the whole order. */
  readonly order_line_id: string | null;
  readonly seller_sku: string | null;
  /** Above zero if the seller gains. */
  readonly amount: Minor;
}

export const COMPONENT_STATUSES = ['known', 'partial', 'not_captured', 'missing'] as const;
type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** Components that the marketplace records: sales and their deductions. */
const RECORDED = [
  'gross',
  'platform_fee',
  'loyalty_program_fund',
  'seller_order_fee',
  'payment_processing',
  'adjustments',
] as const;
type Recorded = (typeof RECORDED)[number];
/** Costs outside the marketplace, which the service does not know. */
export const NEVER_KNOWN = ['supplier_cost', 'external_freight'] as const;
export const COST_COMPONENTS = [...RECORDED, ...NEVER_KNOWN] as const;

export interface CostComponent {
  readonly component: (typeof COST_COMPONENTS)[number];
  readonly status: ComponentStatus;
  /** From the seller's side; null when unknown. */
  readonly amount: Minor | null;
}

/** The sums by component, above zero if the seller gains. */
export type Amounts = Readonly<Record<Recorded, Minor>>;

const amountsOf = (of: (component: Recorded) => Minor): Amounts =>
  Object.fromEntries(RECORDED.map((component) => [component, of(component)])) as Amounts;
export const NO_AMOUNTS: Amounts = amountsOf(() => minor(0));

const isOf = ({ bucket, component }: Posted, wanted: Recorded): boolean =>
  wanted === 'gross' ? bucket === 'gross' : component === wanted;

/** The sums of lines by component. */
export const sumLines = (lines: readonly Posted[]): Amounts =>
  amountsOf((component) =>
    sumMinor(lines.filter((line) => isOf(line, component)).map(({ amount }) => amount)),
  );

export const addAmounts = (one: Amounts, other: Amounts): Amounts =>
  amountsOf((component) => sumMinor([one[component], other[component]]));

/** Sales, fees (above zero), adjustments, and the remaining amount. */
export function totalsOf({ gross, adjustments, ...fees }: Amounts) {
  const charged = sumMinor(Object.values(fees));
  return { gross, fees: negated(charged), adjustments, net: sumMinor([gross, charged, adjustments]) };
}

/**
 * The components. Those with an amount sum to the net amount of {@link totalsOf}. If the fee of a dispute is recorded
 * but the provider's own fee is not, payment processing is partial.
 *
 * @param captured whether the provider's fee is known
 */
export function componentsOf(amounts: Amounts, captured: boolean): CostComponent[] {
  return COST_COMPONENTS.map((component): CostComponent => {
    const recorded = RECORDED.find((name) => name === component);
    if (recorded === undefined) return { component, status: 'missing', amount: null };
    const amount = amounts[recorded];
    if (recorded !== 'payment_processing' || captured) return { component, status: 'known', amount };
    return amount === 0n
      ? { component, status: 'not_captured', amount: null }
      : { component, status: 'partial', amount };
  });
}

export interface LineShare {
  readonly order_line_id: string;
  readonly sku: string | null;
  readonly amounts: Amounts;
}

/**
 * The figures of each line of an order. An amount of the whole order is shared over its lines by their sales, by
 * largest remainder. So the lines sum to the order for each component.
 *
 * @returns an empty list for an order without a sale
 */
export function shareOverLines(lines: readonly Posted[]): LineShare[] {
  const sold = Map.groupBy(
    lines.filter(({ bucket, order_line_id }) => bucket === 'gross' && order_line_id !== null),
    ({ order_line_id }) => String(order_line_id),
  );
  const ids = [...sold.keys()];
  if (ids.length === 0) return [];
  const weights = ids.map((id) => sumLines(sold.get(id) ?? []).gross);
  const isOwn = ({ order_line_id }: Posted) => order_line_id !== null && sold.has(order_line_id);
  const whole = sumLines(lines.filter((line) => !isOwn(line)));
  const shares = new Map(RECORDED.map((component) => [component, splitMinor(whole[component], weights)]));
  return ids.map((id, at) => {
    const own = lines.filter(({ order_line_id }) => order_line_id === id);
    const share = amountsOf((component) => shares.get(component)?.[at] ?? minor(0));
    return {
      order_line_id: id,
      sku: own[0]?.seller_sku ?? null,
      amounts: addAmounts(sumLines(own), share),
    };
  });
}
