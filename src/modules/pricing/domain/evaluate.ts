/** Evaluates the rule of a product, with every step. It changes nothing. See docs/design/pricing.md#evaluation. */
import { jsonOrNull, lesserMinor, lessMinor, type Minor, minor } from '../../../kernel/money.ts';
import { type Fees, marginPrice } from './margin.ts';
import type { Rule } from './rules.ts';

/** An older observation says nothing about the present. */
export const OBSERVED_WITHIN_MS = 24 * 3_600_000;
/** A smaller difference is not worth a change: hundredths of a per cent of the price, and one minor unit. */
const DIFFERENCE_BPS = 50n;

export const STATUSES = ['recommended', 'blocked', 'no_change', 'no_rule'] as const;
export type Status = (typeof STATUSES)[number];
export const BLOCK_CODES = [
  'price_missing',
  'product_not_visible',
  'competition_missing',
  'competition_stale',
  'no_other_offers',
  'outlier_price',
  'floor_missing',
  'margin_not_evaluable',
  'floor_above_ceiling',
] as const;
export type BlockCode = (typeof BLOCK_CODES)[number];
export const STEP_CODES = [
  'live_price',
  'lowest_offer',
  'wanted_price',
  'floor',
  'margin_floor',
  'effective_floor',
  'ceiling',
  'target_price',
  ...BLOCK_CODES,
] as const;

export interface Step {
  readonly code: (typeof STEP_CODES)[number];
  /** Minor units; null where the step has no amount, or it is not known. */
  readonly value: number | null;
}

interface Guardrails {
  readonly floor_minor: Minor | null;
  readonly ceiling_minor: Minor | null;
  readonly min_margin_bps: number | null;
}

/** What others ask, in the currency of the product. */
interface Competition {
  readonly observed_at: string;
  readonly offers_count: number;
  readonly lowest_minor: Minor | null;
}

/** What is known of a product. */
export interface Facts extends Guardrails {
  readonly category: string | null;
  readonly price_minor: Minor | null;
  readonly is_visible: boolean;
  readonly competition: Competition | null;
  /** Cost of a unit today, in millionths of the currency's unit. */
  readonly unit_micros: bigint | null;
}

export interface Evaluation {
  readonly rule_id: string | null;
  readonly status: Status;
  readonly code: BlockCode | null;
  readonly target_minor: Minor | null;
  readonly effective_floor_minor: Minor | null;
  readonly steps: readonly Step[];
}

const larger = (one: Minor | null, other: Minor | null): Minor | null => {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
};

const priceOfMargin = (facts: Facts, fees: Fees, marginBps: number): Minor | null =>
  facts.unit_micros === null
    ? null
    : marginPrice(fees, { category: facts.category, unit_micros: facts.unit_micros }, marginBps);

/** The lower limit of a recommendation: the larger of the floor and the price of the least margin. */
export function floorOf(facts: Facts, fees: Fees) {
  const { floor_minor, min_margin_bps } = facts;
  const margin = min_margin_bps === null ? null : priceOfMargin(facts, fees, min_margin_bps);
  return {
    margin,
    effective: larger(floor_minor, margin),
    /** A least margin is set, and no price is known to have it. */
    isMarginUnknown: min_margin_bps !== null && margin === null,
  };
}

/** The price that a rule of offers wants, or why there is none. */
function belowLowest({ competition, price_minor }: Facts, { params }: Rule, now: number): Minor | BlockCode {
  if (competition === null) return 'competition_missing';
  if (now - Date.parse(competition.observed_at) > OBSERVED_WITHIN_MS) return 'competition_stale';
  const { lowest_minor: lowest, offers_count } = competition;
  if (lowest === null || offers_count === 0) return 'no_other_offers';
  // A penny offer is somebody's mistake and no market.
  if (2n * lowest < (price_minor ?? 0n)) return 'outlier_price';
  return lessMinor(lowest, minor(params.below_minor ?? 0));
}

/** @param now milliseconds */
export function evaluate(facts: Facts, rule: Rule | undefined, fees: Fees, now: number): Evaluation {
  const { price_minor: price, competition, floor_minor, ceiling_minor: ceiling, min_margin_bps } = facts;
  const floor = floorOf(facts, fees);
  const steps: Step[] = [];
  const note = (code: Step['code'], value: Minor | null): void =>
    void steps.push({ code, value: jsonOrNull(value) });
  const end = (status: Status, code: BlockCode | null, target_minor: Minor | null): Evaluation => ({
    rule_id: rule?.rule_id ?? null,
    status,
    code,
    target_minor,
    effective_floor_minor: floor.effective,
    steps,
  });
  const block = (code: BlockCode): Evaluation => {
    note(code, null);
    return end('blocked', code, null);
  };

  note('live_price', price);
  if (rule === undefined) return end('no_rule', null, null);
  if (price === null) return block('price_missing');
  if (!facts.is_visible) return block('product_not_visible');
  const matches = rule.strategy === 'match_lowest';
  if (matches) note('lowest_offer', competition?.lowest_minor ?? null);
  const below = matches ? belowLowest(facts, rule, now) : null;
  if (typeof below === 'string') return block(below);
  note('floor', floor_minor);
  if (min_margin_bps !== null) note('margin_floor', floor.margin);
  if (floor_minor === null && min_margin_bps === null) return block('floor_missing');
  const wanted = below ?? priceOfMargin(facts, fees, rule.params.margin_bps ?? 0);
  note('wanted_price', wanted);
  if (wanted === null) return block('margin_not_evaluable');
  const capped = ceiling === null ? wanted : lesserMinor(wanted, ceiling);
  const target = larger(capped, floor.effective) ?? capped;
  if (floor.effective === null || (floor.isMarginUnknown && target < price))
    return block('margin_not_evaluable');
  note('effective_floor', floor.effective);
  note('ceiling', ceiling);
  if (ceiling !== null && floor.effective > ceiling) return block('floor_above_ceiling');
  note('target_price', target);
  const change = lessMinor(target, price);
  const difference = change < 0n ? -change : change;
  const isWorthIt = difference >= 1n && difference * 10_000n >= price * DIFFERENCE_BPS;
  return end(isWorthIt ? 'recommended' : 'no_change', null, target);
}
