/** The price of a rule for a basket, the part of the rule that decided, and the reason. */
import { formatDecimal, type Minor, minor } from '../../../kernel/money.ts';
import type { PriceRule } from './profile.ts';

export interface Basket {
  readonly weight_g: number;
  /** The price of the goods, without shipping. */
  readonly goods: Minor;
  /** The decimal places of the currency, for texts. */
  readonly exponent: number;
}

export type RuleMatch = 'flat' | 'weight_tier' | 'price_tier' | 'free_over';

type RulePrice =
  | {
      readonly ok: true;
      readonly price: Minor;
      readonly matched: RuleMatch;
      /** The index of the tier in its list; null if there are no tiers. */
      readonly tier: number | null;
      readonly why: string;
    }
  | { readonly ok: false; readonly reason: 'above_last_tier'; readonly why: string };

/** The tiers of a rule by bound and price, and the texts for a bound and for the basket. */
function tiersOf(rule: Exclude<PriceRule, { kind: 'flat' }>, { weight_g, goods, exponent }: Basket) {
  const plain = (amount: Minor): string => formatDecimal(amount, exponent);
  if (rule.kind === 'weight_tiers')
    return {
      matched: 'weight_tier' as const,
      value: BigInt(weight_g),
      words: `${weight_g} g`,
      tiers: rule.tiers.map(({ up_to_g: bound, price_minor }) => ({
        price_minor,
        bound: bound === null ? null : BigInt(bound),
        name: `${bound} g`,
      })),
    };
  return {
    matched: 'price_tier' as const,
    value: goods,
    words: `Goods of ${plain(goods)}`,
    tiers: rule.tiers.map(({ up_to_minor: bound, price_minor }) => ({
      price_minor,
      bound,
      name: bound === null ? '' : plain(bound),
    })),
  };
}

/** The price of a basket under a rule. A bound belongs to the tier that ends there. Goods that reach the free-over amount pay nothing. */
export function priceOf(rule: PriceRule, basket: Basket): RulePrice {
  const { goods, exponent } = basket;
  const plain = (amount: Minor): string => formatDecimal(amount, exponent);
  if (rule.free_over_minor !== null && goods >= rule.free_over_minor) {
    const why = `Goods of ${plain(goods)} reach ${plain(rule.free_over_minor)}, from which shipping is free.`;
    return { ok: true, price: minor(0), matched: 'free_over', tier: null, why };
  }
  if (rule.kind === 'flat') {
    const why = 'One price for every basket.';
    return { ok: true, price: rule.price_minor, matched: 'flat', tier: null, why };
  }
  const { matched, value, words, tiers } = tiersOf(rule, basket);
  const tier = tiers.findIndex(({ bound }) => bound === null || value <= bound);
  const found = tiers[tier];
  if (found === undefined)
    return { ok: false, reason: 'above_last_tier', why: `${words} are more than the last tier takes.` };
  const named = found.bound === null ? 'the open last tier' : `the tier up to ${found.name}`;
  return { ok: true, price: found.price_minor, matched, tier, why: `${words} fall into ${named}.` };
}
