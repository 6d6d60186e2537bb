/** Which rule applies to a product. */
import { levelsOf } from '../../../kernel/category-levels.ts';
import { inScope, type ProductScope } from '../../../kernel/product-scope.ts';

export const STRATEGIES = ['match_lowest', 'hold_margin'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface Params {
  readonly below_minor?: number;
  readonly margin_bps?: number;
}

export interface Rule {
  readonly rule_id: string;
  readonly priority: number;
  readonly scope: ProductScope;
  readonly strategy: Strategy;
  readonly params: Params;
  readonly active: boolean;
}

/** The levels of a category, `Home > Kitchen` as `home>kitchen`. */
export const categoryPath = (category: string | null): string => levelsOf(category ?? '').join('>');

/** Finds the active rule of a product: the one with the smallest priority, and of two the older one. */
export function ruleFinder<R extends Rule>(
  rules: readonly R[],
): (product: Parameters<ReturnType<typeof inScope>>[0]) => R | undefined {
  const inOrder = rules
    .filter(({ active }) => active)
    .sort((a, b) => a.priority - b.priority || (a.rule_id < b.rule_id ? -1 : 1))
    .map((rule) => ({ rule, matches: inScope(rule.scope) }));
  return (product) => inOrder.find(({ matches }) => matches(product))?.rule;
}
