/** The known and the unknown costs of an order. Source: docs/design/money.md#figures. */
import { type Minor, minor, negated, rateOf, splitMinor, sumMinor } from '../../../kernel/money.ts';
import { type Covered, isCovered, STATUSES, statusOf } from './costs.ts';
import type { Posted } from './posted.ts';

export const COMPONENT_STATUSES = [...STATUSES, 'not_captured'] as const;
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
/** Costs outside the marketplace, which the seller enters. */
export const OUTSIDE = ['supplier_cost', 'external_freight'] as const;
export const COST_COMPONENTS = [...RECORDED, ...OUTSIDE] as const;
type Component = (typeof COST_COMPONENTS)[number];

interface CostComponent {
  readonly component: Component;
  readonly status: ComponentStatus;
  /** From the seller's side; null when unknown. */
  readonly amount: Minor | null;
}

/** The sums by component, above zero if the seller gains. */
export type Amounts = Readonly<Record<Component, Minor>>;

const amountsOf = (of: (component: Component) => Minor): Amounts =>
  Object.fromEntries(COST_COMPONENTS.map((component) => [component, of(component)])) as Amounts;
export const NO_AMOUNTS: Amounts = amountsOf(() => minor(0));

const isOf = ({ bucket, component }: Posted, wanted: Component): boolean =>
  wanted === 'gross' ? bucket === 'gross' : component === wanted;

/** The sums of lines by component. */
export const sumLines = (lines: readonly Posted[]): Amounts =>
  amountsOf((component) =>
    sumMinor(lines.filter((line) => isOf(line, component)).map(({ amount }) => amount)),
  );

export const addAmounts = (one: Amounts, other: Amounts): Amounts =>
  amountsOf((component) => sumMinor([one[component], other[component]]));

/** Sales, fees (above zero), adjustments, what remains for the seller, and the costs outside the marketplace. */
export function totalsOf({ gross, adjustments, supplier_cost, external_freight, ...fees }: Amounts) {
  const charged = sumMinor(Object.values(fees));
  const net = sumMinor([gross, charged, adjustments]);
  return {
    gross,
    fees: negated(charged),
    adjustments,
    net,
    costs: sumMinor([supplier_cost, external_freight]),
  };
}

/** What remains after all costs, and its share of the sales; null unless every cost outside is known. */
export function marginOf(amounts: Amounts, covered: Covered) {
  if (!isCovered(covered)) return { margin: null, margin_bps: null };
  const { gross, adjustments, net, costs } = totalsOf(amounts);
  const margin = sumMinor([net, costs]);
  const sales = sumMinor([gross, adjustments]);
  return { margin, margin_bps: sales <= 0n ? null : rateOf(margin, sales) };
}

/** Payment processing is partial if the fee of a dispute is recorded but the provider's own fee is not. */
function statusOfComponent(
  component: Component,
  amounts: Amounts,
  { captured, covered }: Known,
): ComponentStatus {
  if (component === 'supplier_cost' || component === 'external_freight') return statusOf(covered[component]);
  if (component !== 'payment_processing' || captured) return 'known';
  return amounts[component] === 0n ? 'not_captured' : 'partial';
}

/** What is known besides the recorded amounts. */
export interface Known {
  /** Whether the provider's fee is recorded. */
  readonly captured: boolean;
  readonly covered: Covered;
}

/** The components. The recorded ones sum to the net amount of {@link totalsOf}. */
export function componentsOf(amounts: Amounts, known: Known): CostComponent[] {
  return COST_COMPONENTS.map((component): CostComponent => {
    const status = statusOfComponent(component, amounts, known);
    const unknown = status === 'missing' || status === 'not_captured';
    return { component, status, amount: unknown ? null : amounts[component] };
  });
}

interface LineShare {
  readonly order_line_id: string;
  readonly sku: string | null;
  readonly amounts: Amounts;
}

/** What each line sold in the end. If a lost parcel took all of it back, each line counts alike. */
function weightsOf(sales: readonly Minor[]): Minor[] {
  const left = sales.map((net) => (net > 0n ? net : minor(0)));
  return sumMinor(left) > 0n ? left : sales.map(() => minor(1));
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
  const weights = weightsOf(ids.map((id) => sumLines(sold.get(id) ?? []).gross));
  const isOwn = ({ order_line_id }: Posted) => order_line_id !== null && sold.has(order_line_id);
  const whole = sumLines(lines.filter((line) => !isOwn(line)));
  const shares = new Map(
    COST_COMPONENTS.map((component) => [component, splitMinor(whole[component], weights)]),
  );
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
