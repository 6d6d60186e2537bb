/** What is known of the costs of an order, and what is not. Design "Money" 1.7 and 2.2. */
import { type Minor, minor, negated, splitMinor, sumMinor } from '../../../kernel/money.ts';

export interface Posted {
  readonly type: string;
  readonly component: string | null;
  readonly bucket: 'gross' | 'fees' | 'adjustments' | 'reserve';
  readonly order_line_id: string | null;
  readonly seller_sku: string | null;
  /** Seen from the seller. */
  readonly amount: Minor;
}

export const COMPONENT_STATUSES = ['known', 'not_captured', 'missing'] as const;
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** Recorded by the marketplace. */
const RECORDED = [
  'platform_fee',
  'loyalty_program_fund',
  'seller_order_fee',
  'payment_processing',
  'adjustments',
] as const;
/** Off the marketplace: nobody tells this service. */
const UNKNOWN = ['supplier_cost', 'external_freight'] as const;
export const COST_COMPONENTS = ['gross', ...RECORDED, ...UNKNOWN] as const;

export interface CostComponent {
  readonly component: (typeof COST_COMPONENTS)[number];
  readonly status: ComponentStatus;
  /** Seen from the seller; null unless it is known. */
  readonly amount: Minor | null;
}

const sumWhere = (lines: readonly Posted[], wanted: (line: Posted) => boolean): Minor =>
  sumMinor(lines.filter(wanted).map(({ amount }) => amount));

/** @param captured what the provider took is known */
export function componentsOf(lines: readonly Posted[], captured: boolean): CostComponent[] {
  return COST_COMPONENTS.map((component): CostComponent => {
    if (UNKNOWN.some((name) => name === component)) return { component, status: 'missing', amount: null };
    if (component === 'payment_processing' && !captured)
      return { component, status: 'not_captured', amount: null };
    const amount = sumWhere(lines, (line) =>
      component === 'gross' ? line.bucket === 'gross' : line.component === component,
    );
    return { component, status: 'known', amount };
  });
}

export interface LineShare {
  readonly order_line_id: string;
  readonly sku: string | null;
  readonly gross: Minor;
  readonly fees: Minor;
  readonly adjustments: Minor;
  readonly net: Minor;
}

/**
 * What each line of an order came to: amounts of the whole order are shared over its lines by what they sold for, by
 * largest remainder, so that the lines sum to the order.
 */
export function shareOverLines(lines: readonly Posted[]): LineShare[] {
  const sales = lines.filter((line) => line.bucket === 'gross' && line.order_line_id !== null);
  const ids = [...new Set(sales.map(({ order_line_id }) => String(order_line_id)))];
  const own = (id: string) => lines.filter(({ order_line_id }) => order_line_id === id);
  const gross = ids.map((id) => sumWhere(own(id), ({ bucket }) => bucket === 'gross'));
  const rest = lines.filter(({ order_line_id }) => order_line_id === null || !ids.includes(order_line_id));
  const shared = (bucket: Posted['bucket']): Minor[] => {
    const amount = sumWhere(rest, (line) => line.bucket === bucket);
    return sumMinor(gross) > 0n ? splitMinor(amount, gross) : gross.map(() => minor(0));
  };
  const fees = shared('fees');
  const adjustments = shared('adjustments');
  return ids.map((id, at) => {
    const sum = (bucket: Posted['bucket'], more: Minor | undefined) =>
      sumMinor([sumWhere(own(id), (line) => line.bucket === bucket), more ?? minor(0)]);
    const [charged, adjusted] = [sum('fees', fees[at]), sum('adjustments', adjustments[at])];
    const sold = gross[at] ?? minor(0);
    return {
      order_line_id: id,
      sku: own(id)[0]?.seller_sku ?? null,
      gross: sold,
      fees: negated(charged),
      adjustments: adjusted,
      net: sumMinor([sold, charged, adjusted]),
    };
  });
}
