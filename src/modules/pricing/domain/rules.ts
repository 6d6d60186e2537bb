/** Which rule applies to a product. */
import { isWithin, levelsOf } from '../../../kernel/category-levels.ts';

export const STRATEGIES = ['match_lowest', 'hold_margin'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** One of the three. */
export interface Scope {
  readonly skus?: readonly string[];
  readonly categories?: readonly string[];
  readonly all?: true;
}

export interface Params {
  readonly below_minor?: number;
  readonly margin_bps?: number;
}

export interface Rule {
  readonly rule_id: string;
  readonly priority: number;
  readonly scope: Scope;
  readonly strategy: Strategy;
  readonly params: Params;
  readonly active: boolean;
}

/** The levels of a category, `Home > Kitchen` as `home>kitchen`. */
export const categoryPath = (category: string | null): string => levelsOf(category ?? '').join('>');

interface Named {
  readonly seller_sku: string | null;
  readonly category: string | null;
}

function matcher({ skus, categories = [], all }: Scope): (product: Named) => boolean {
  if (all === true) return () => true;
  if (skus !== undefined) {
    const wanted = new Set(skus);
    return ({ seller_sku }) => seller_sku !== null && wanted.has(seller_sku);
  }
  const wanted = categories.map(levelsOf);
  return ({ category }) => {
    const levels = levelsOf(category ?? '');
    return wanted.some((one) => isWithin(levels, one));
  };
}

/** Finds the active rule of a product: the one with the smallest priority, and of two the older one. */
export function ruleFinder<R extends Rule>(rules: readonly R[]): (product: Named) => R | undefined {
  const inOrder = rules
    .filter(({ active }) => active)
    .sort((a, b) => a.priority - b.priority || (a.rule_id < b.rule_id ? -1 : 1))
    .map((rule) => ({ rule, matches: matcher(rule.scope) }));
  return (product) => inOrder.find(({ matches }) => matches(product))?.rule;
}
