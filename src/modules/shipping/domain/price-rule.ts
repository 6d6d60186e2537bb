/** What a rule says for a basket, which part of it decided, and why. */
import { formatDecimal, type Minor, minor } from '../../../kernel/money.ts';
import type { PriceRule } from './profile.ts';

export interface Basket {
  readonly weight_g: number;
  /** What the goods come to, without shipping. */
  readonly goods: Minor;
  /** Decimal places of the currency, for what people read. */
  readonly exponent: number;
}

export type RuleMatch = 'flat' | 'weight_tier' | 'price_tier' | 'free_over';

export type RulePrice =
  | {
      readonly ok: true;
      readonly price: Minor;
      readonly matched: RuleMatch;
      /** Place of the tier in its list, from 0; null where there are none. */
      readonly tier: number | null;
      readonly why: string;
    }
  | { readonly ok: false; readonly reason: 'above_last_tier'; readonly why: string };

/** The first tier whose bound is not passed. */
function tierFor<Tier>(
  tiers: readonly Tier[],
  isWithin: (tier: Tier) => boolean,
): [number, Tier] | undefined {
  const index = tiers.findIndex(isWithin);
  const tier = tiers[index];
  return tier === undefined ? undefined : [index, tier];
}

/** The price of a basket under a rule. Bounds belong to the tier that they end, free-over to what is free. */
export function priceOf(rule: PriceRule, { weight_g, goods, exponent }: Basket): RulePrice {
  const plain = (amount: Minor): string => formatDecimal(amount, exponent);
  const worth = plain(goods);
  if (rule.free_over_minor !== null && goods >= rule.free_over_minor) {
    const why = `Goods of ${worth} reach ${plain(rule.free_over_minor)}, from which shipping is free.`;
    return { ok: true, price: minor(0), matched: 'free_over', tier: null, why };
  }
  if (rule.kind === 'flat')
    return {
      ok: true,
      price: rule.price_minor,
      matched: 'flat',
      tier: null,
      why: 'One price for every basket.',
    };
  if (rule.kind === 'weight_tiers') {
    const found = tierFor(rule.tiers, ({ up_to_g }) => up_to_g === null || weight_g <= up_to_g);
    if (found === undefined)
      return {
        ok: false,
        reason: 'above_last_tier',
        why: `${weight_g} g are more than the last tier takes.`,
      };
    const [tier, { up_to_g, price_minor }] = found;
    const bound = up_to_g === null ? 'the open last tier' : `the tier up to ${up_to_g} g`;
    return {
      ok: true,
      price: price_minor,
      matched: 'weight_tier',
      tier,
      why: `${weight_g} g fall into ${bound}.`,
    };
  }
  const found = tierFor(rule.tiers, ({ up_to_minor }) => up_to_minor === null || goods <= up_to_minor);
  if (found === undefined)
    return {
      ok: false,
      reason: 'above_last_tier',
      why: `Goods of ${worth} are more than the last tier takes.`,
    };
  const [tier, { up_to_minor, price_minor }] = found;
  const bound = up_to_minor === null ? 'the open last tier' : `the tier up to ${plain(up_to_minor)}`;
  return {
    ok: true,
    price: price_minor,
    matched: 'price_tier',
    tier,
    why: `Goods of ${worth} fall into ${bound}.`,
  };
}
