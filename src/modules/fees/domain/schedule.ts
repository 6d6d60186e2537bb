/**
 * The marketplace's rates, by versions that take effect on a Sydney day. Source: docs/design/money.md#fees.
 */
import { isWithin, levelsOf } from '../../../kernel/category-levels.ts';
import { type Minor, minor } from '../../../kernel/money.ts';

export interface CategoryOverride {
  readonly category: string;
  readonly bps: number;
}

/** Rates in hundredths of a per cent. Amounts include taxes. */
export interface FeeSchedule {
  readonly version: string;
  /** The currency of its orders and amounts. */
  readonly currency: string;
  /** The first Sydney day on which it is in force, `YYYY-MM-DD`. */
  readonly effective_from: string;
  readonly platform_fee_default_bps: number;
  readonly category_overrides: readonly CategoryOverride[];
  readonly shipping_fee_bps: number;
  readonly loyalty_program_fund_bps: number;
  readonly seller_order_fee_minor: Minor;
  readonly dispute_fee_minor: Minor;
  /** When the marketplace published it, RFC 3339; null for the default schedule. */
  readonly published_at: string | null;
}

/** The schedule of its currency that is in force until the marketplace publishes one. Other currencies have none. */
export const DEFAULT_SCHEDULE: FeeSchedule = {
  version: 'default',
  currency: 'AUD',
  effective_from: '2000-01-01',
  platform_fee_default_bps: 1_000,
  category_overrides: [{ category: 'electronics', bps: 1_250 }],
  shipping_fee_bps: 1_000,
  loyalty_program_fund_bps: 200,
  seller_order_fee_minor: minor(30),
  dispute_fee_minor: minor(2_500),
  published_at: null,
};

/**
 * The category that a schedule gives two rates, or one without a name; undefined when each has one rate.
 */
export function unclearCategory(overrides: readonly CategoryOverride[]): string | undefined {
  const seen = new Set<string>();
  return overrides.find(({ category }) => {
    const path = levelsOf(category).join('>');
    const known = path === '' || seen.has(path);
    seen.add(path);
    return known;
  })?.category;
}

/** The sources of a line's platform fee; the first that has a rate decides. */
const RATE_SOURCES = ['order', 'shipping', 'category', 'default'] as const;
export type RateSource = (typeof RATE_SOURCES)[number];

interface PlatformFeeRate {
  readonly platform_fee_bps: number;
  readonly source: RateSource;
}

/** The facts of a line that decide its rate. */
export interface RatedLine {
  readonly kind: 'item' | 'shipping';
  readonly category: string | null;
  /** The rate that the marketplace has set for this line. */
  readonly platform_fee_bps: number | null;
}

/**
 * The override of a category, or else of the closest level above it. The case does not matter.
 */
function overrideFor(schedule: FeeSchedule, category: string | null): CategoryOverride | undefined {
  if (category === null) return undefined;
  const levels = levelsOf(category);
  const fits = schedule.category_overrides
    .map((override) => ({ override, path: levelsOf(override.category) }))
    .filter(({ path }) => isWithin(levels, path));
  return fits.reduce<(typeof fits)[number] | undefined>(
    (best, one) => (best === undefined || one.path.length > best.path.length ? one : best),
    undefined,
  )?.override;
}

/** The rate of a line's platform fee: the line's own rate, that of shipping, of the category, or the general rate. */
export function rateOfLine(schedule: FeeSchedule, line: RatedLine): PlatformFeeRate {
  if (line.platform_fee_bps !== null) return { platform_fee_bps: line.platform_fee_bps, source: 'order' };
  if (line.kind === 'shipping') return { platform_fee_bps: schedule.shipping_fee_bps, source: 'shipping' };
  const override = overrideFor(schedule, line.category);
  return override === undefined
    ? { platform_fee_bps: schedule.platform_fee_default_bps, source: 'default' }
    : { platform_fee_bps: override.bps, source: 'category' };
}

/** The frozen rates of an order. */
export interface OrderRates {
  readonly fee_schedule_version: string;
  readonly loyalty_program_fund_bps: number;
  readonly seller_order_fee_minor: Minor;
  readonly line_rates: readonly (PlatformFeeRate & { readonly order_line_id: string })[];
}

/** The charges of an order under a schedule. */
export function ratesOfOrder(
  schedule: FeeSchedule,
  lines: readonly (RatedLine & { readonly order_line_id: string })[],
): OrderRates {
  return {
    fee_schedule_version: schedule.version,
    loyalty_program_fund_bps: schedule.loyalty_program_fund_bps,
    seller_order_fee_minor: schedule.seller_order_fee_minor,
    line_rates: lines.map((line) => ({ order_line_id: line.order_line_id, ...rateOfLine(schedule, line) })),
  };
}
