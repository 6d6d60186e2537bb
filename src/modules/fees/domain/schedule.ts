/**
 * The marketplace's rates, by versions that take effect on a Sydney day. Source: docs/design/money.md#fees.
 */
import { foldText } from '../../../kernel/fold-text.ts';
import { type Minor, minor } from '../../../kernel/money.ts';

export interface CategoryOverride {
  readonly category: string;
  readonly bps: number;
}

/** Rates in hundredths of a per cent; amounts include whatever tax there is. */
export interface FeeSchedule {
  readonly version: string;
  /** First Sydney day on which it counts, `YYYY-MM-DD`. */
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

/** The schedule that counts until the marketplace publishes one. */
export const DEFAULT_SCHEDULE: FeeSchedule = {
  version: 'default',
  effective_from: '2000-01-01',
  platform_fee_default_bps: 1_000,
  category_overrides: [{ category: 'electronics', bps: 1_250 }],
  shipping_fee_bps: 1_000,
  loyalty_program_fund_bps: 200,
  seller_order_fee_minor: minor(30),
  dispute_fee_minor: minor(2_500),
  published_at: null,
};

/** The sources of a line's platform fee; the first that has a rate decides. */
export const RATE_SOURCES = ['order', 'shipping', 'category', 'default'] as const;
export type RateSource = (typeof RATE_SOURCES)[number];

export interface PlatformFeeRate {
  readonly platform_fee_bps: number;
  readonly source: RateSource;
}

/** The facts of a line that decide its rate. */
export interface RatedLine {
  readonly kind: 'item' | 'shipping';
  readonly category: string | null;
  /** The rate that the marketplace set for this line. */
  readonly platform_fee_bps: number | null;
}

/** Levels of a category's path, as `Home > Kitchen > Mugs` or `home/kitchen` write them. */
const levelsOf = (category: string): string[] =>
  foldText(category)
    .split(/[>/]/)
    .map((level) => level.trim())
    .filter((level) => level !== '');

/**
 * The override of a category or of a level above it, ignoring case; of several the closest one.
 */
export function overrideFor(schedule: FeeSchedule, category: string | null): CategoryOverride | undefined {
  if (category === null) return undefined;
  const levels = levelsOf(category);
  const fits = schedule.category_overrides
    .map((override) => ({ override, path: levelsOf(override.category) }))
    .filter(({ path }) => path.length > 0 && path.every((level, at) => level === levels[at]));
  return fits.reduce<(typeof fits)[number] | undefined>(
    (best, one) => (best === undefined || one.path.length > best.path.length ? one : best),
    undefined,
  )?.override;
}

/** The rate of a line's platform fee: its own, that of shipping, of its category, or of everything else. */
export function rateOfLine(schedule: FeeSchedule, line: RatedLine): PlatformFeeRate {
  if (line.platform_fee_bps !== null) return { platform_fee_bps: line.platform_fee_bps, source: 'order' };
  if (line.kind === 'shipping') return { platform_fee_bps: schedule.shipping_fee_bps, source: 'shipping' };
  const override = overrideFor(schedule, line.category);
  return override === undefined
    ? { platform_fee_bps: schedule.platform_fee_default_bps, source: 'default' }
    : { platform_fee_bps: override.bps, source: 'category' };
}

/** The rates of one order, as they are frozen with it. */
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
