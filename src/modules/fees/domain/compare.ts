/** Compares the charges of an order with the published rates, and names the causes of differences. */
import {
  atRate,
  lessMinor,
  type Minor,
  minor,
  negated,
  shareToDate,
  sumMinor,
} from '../../../kernel/money.ts';
import { isDelivery } from '../../ledger/domain/entry-types.ts';
import type { EstimatedComponent } from './estimate.ts';
import { type FeeSchedule, type OrderRates, type RatedLine, rateOfLine } from './schedule.ts';

/** The closed list of causes for a difference between a charge and its estimate. */
export const CAUSES = [
  'rate_changed',
  'category_changed',
  'discount',
  'refund_credit',
  'dispute',
  'shared_processing',
  'rounding',
] as const;
type Cause = (typeof CAUSES)[number];

export interface SoldLine {
  readonly order_line_id: string;
  readonly kind: 'item' | 'shipping';
  readonly category: string | null;
  readonly gross: Minor;
  readonly net: Minor;
}

export interface Sold {
  readonly order_id: string;
  readonly loyalty: boolean;
  /** Whether the payment was for orders of several sellers. */
  readonly shared: boolean;
  /** Whether the provider's fee is known. */
  readonly fee_captured: boolean;
  readonly lines: readonly SoldLine[];
  /** The frozen rates of the order; null if they are not frozen yet. */
  readonly terms: OrderRates | null;
}

/** A line of the statement, from the seller's side. */
export interface Posted {
  readonly type: string;
  readonly component: string | null;
  readonly bucket: string;
  readonly order_line_id: string | null;
  readonly related_id: string | null;
  readonly amount: Minor;
}

interface Compared {
  readonly component: EstimatedComponent;
  /** The charge by the rates published for the day of the order, before discounts; null if it cannot be known. */
  readonly estimated: Minor | null;
  /** Charges less credits; null if nothing was recorded yet. */
  readonly actual: Minor | null;
  readonly variance: Minor | null;
  /** The causes sum to the variance. */
  readonly causes: readonly { readonly cause: Cause; readonly amount: Minor }[];
}

export interface Comparison {
  /** `ordered` if nothing is delivered yet; the estimate is then for the whole order. */
  readonly basis: 'delivered' | 'ordered';
  readonly components: readonly Compared[];
}

interface Portion {
  readonly line: SoldLine;
  /** The price of the counted units before and after discounts. */
  readonly before: Minor;
  readonly after: Minor;
}

const ZERO = minor(0);
const sumBy = <T>(items: readonly T[], amount: (item: T) => Minor): Minor => sumMinor(items.map(amount));

const hasDelivery = (posted: readonly Posted[]): boolean => posted.some(({ type }) => isDelivery(type));

/** The delivered part of each line, or the whole order if nothing is delivered yet. */
function portionsOf({ lines }: Sold, posted: readonly Posted[]): Portion[] {
  const sales = posted.filter(({ type }) => type === 'sale');
  const isDelivered = hasDelivery(posted);
  return lines.map((line) => {
    if (!isDelivered) return { line, before: line.gross, after: line.net };
    const after = sumBy(
      sales.filter(({ order_line_id }) => order_line_id === line.order_line_id),
      ({ amount }) => amount,
    );
    return { line, before: line.net === 0n ? ZERO : shareToDate(line.gross, after, line.net), after };
  });
}

const rated = ({ kind, category }: SoldLine): RatedLine => ({ kind, category, platform_fee_bps: null });

/** The credits of a component, separately for refunds and for disputes. */
function creditsOf(component: EstimatedComponent, posted: readonly Posted[]) {
  const disputes = new Set(
    posted.filter(({ type }) => type === 'chargeback').map(({ related_id }) => related_id),
  );
  const credits = posted.filter((line) => line.component === component && line.type !== component);
  const sum = (wanted: boolean) =>
    negated(
      sumBy(
        credits.filter(({ related_id }) => disputes.has(related_id) === wanted),
        ({ amount }) => amount,
      ),
    );
  return { refund_credit: sum(false), dispute: sum(true) };
}

const chargedOf = (component: EstimatedComponent, posted: readonly Posted[]): Minor =>
  negated(
    sumBy(
      posted.filter(({ type }) => type === component),
      ({ amount }) => amount,
    ),
  );

/** The steps from the estimate to the charge. Each figure is the charge with this cause and all earlier ones. */
function explain(
  component: EstimatedComponent,
  estimated: Minor,
  figures: readonly (readonly [cause: Cause, amount: Minor])[],
  posted: readonly Posted[],
): Compared {
  const causes = new Map<Cause, Minor>();
  const add = (cause: Cause, amount: Minor) =>
    causes.set(cause, sumMinor([causes.get(cause) ?? ZERO, amount]));
  let at = estimated;
  for (const [cause, amount] of figures) {
    add(cause, lessMinor(amount, at));
    at = amount;
  }
  const isCharged = hasDelivery(posted);
  if (!isCharged) return { component, estimated, actual: null, variance: null, causes: listed(causes) };
  const charged = chargedOf(component, posted);
  add('rounding', lessMinor(charged, at));
  const { refund_credit, dispute } = creditsOf(component, posted);
  add('refund_credit', refund_credit);
  add('dispute', dispute);
  const actual = sumMinor([charged, refund_credit, dispute]);
  return { component, estimated, actual, variance: lessMinor(actual, estimated), causes: listed(causes) };
}

const listed = (causes: ReadonlyMap<Cause, Minor>) =>
  CAUSES.flatMap((cause) => {
    const amount = causes.get(cause) ?? ZERO;
    return amount === 0n ? [] : [{ cause, amount }];
  });

function platformFee(
  sold: Sold,
  portions: readonly Portion[],
  published: FeeSchedule,
  frozen: FeeSchedule,
  posted: readonly Posted[],
): Compared {
  const own = new Map(sold.terms?.line_rates.map((rate) => [rate.order_line_id, rate]));
  const at = (schedule: FeeSchedule) => (line: SoldLine) =>
    rateOfLine(schedule, rated(line)).platform_fee_bps;
  const of = (bps: (line: SoldLine) => number, amount: 'before' | 'after' = 'after') =>
    sumBy(portions, (portion) => atRate(portion[amount], bps(portion.line)));
  /** The frozen rate, if it does not come from the category. */
  const named = (line: SoldLine) => {
    const rate = own.get(line.order_line_id);
    return rate?.source === 'order' ? rate.platform_fee_bps : at(frozen)(line);
  };
  const last = (line: SoldLine) => own.get(line.order_line_id)?.platform_fee_bps ?? at(frozen)(line);
  return explain(
    'platform_fee',
    of(at(published), 'before'),
    [
      ['discount', of(at(published))],
      ['rate_changed', of(named)],
      ['category_changed', of(last)],
    ],
    posted,
  );
}

function loyaltyFund(
  sold: Sold,
  portions: readonly Portion[],
  published: FeeSchedule,
  posted: readonly Posted[],
): Compared {
  const items = sold.loyalty ? portions.filter(({ line }) => line.kind === 'item') : [];
  const of = (bps: number, amount: 'before' | 'after' = 'after') =>
    sumBy(items, (portion) => atRate(portion[amount], bps));
  const bps = published.loyalty_program_fund_bps;
  return explain(
    'loyalty_program_fund',
    of(bps, 'before'),
    [
      ['discount', of(bps)],
      ['rate_changed', of(sold.terms?.loyalty_program_fund_bps ?? bps)],
    ],
    posted,
  );
}

function processing(sold: Sold, posted: readonly Posted[]): Compared {
  const own = posted.filter(({ component }) => component === 'payment_processing');
  const isKnown = sold.fee_captured && posted.length > 0;
  const disputes = negated(
    sumBy(
      own.filter(({ type }) => type.startsWith('dispute_fee')),
      ({ amount }) => amount,
    ),
  );
  const charged = chargedOf('payment_processing', posted);
  const causes = new Map<Cause, Minor>([
    ['dispute', disputes],
    ['shared_processing', sold.shared ? charged : ZERO],
  ]);
  const actual = isKnown ? negated(sumBy(own, ({ amount }) => amount)) : null;
  return { component: 'payment_processing', estimated: null, actual, variance: null, causes: listed(causes) };
}

/**
 * Compares an order's charges with their estimate.
 *
 * @param published the schedule in force on the day of the order
 * @param frozen the schedule with which the order is charged
 * @param posted all lines of the statement for the order
 */
export function compareFees(
  sold: Sold,
  published: FeeSchedule,
  frozen: FeeSchedule,
  posted: readonly Posted[],
): Comparison {
  const portions = portionsOf(sold, posted);
  const fixed = published.seller_order_fee_minor;
  return {
    basis: hasDelivery(posted) ? 'delivered' : 'ordered',
    components: [
      platformFee(sold, portions, published, frozen, posted),
      loyaltyFund(sold, portions, published, posted),
      explain(
        'seller_order_fee',
        fixed,
        [['rate_changed', sold.terms?.seller_order_fee_minor ?? fixed]],
        posted,
      ),
      processing(sold, posted),
    ],
  };
}
