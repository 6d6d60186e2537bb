/**
 * The rule by which a channel counts the stock of its store. A change of it writes no link: each link catches up with the
 * rules one after another, before a level of it changes. So the end is as if all links had followed each change at once.
 * Source: docs/design/channels.md#stock.
 */
import {
  applyQuantity,
  type Level,
  type Stock,
  type StockMode,
  type StoreQuantity,
  storeQuantity,
} from './apply-level.ts';

export interface CountingRule {
  /** Rises with every change. */
  readonly no: number;
  /** Selected locations that the store uses. */
  readonly open: readonly string[];
  /** Selected locations that the store has closed: their units are gone. */
  readonly closed: readonly string[];
  readonly mode: StockMode;
  /** Whether the change moved stock: a change by the store does, one by the seller does not. */
  readonly moves: boolean;
}

/** Of a channel whose locations are not known yet. */
export const FIRST_RULE: CountingRule = { no: 0, open: [], closed: [], mode: 'pool', moves: false };

/** A link that is further behind counts anew. */
const RULES_MAX = 100;

export const ruleOf = (rules: readonly CountingRule[]): CountingRule => rules.at(-1) ?? FIRST_RULE;

interface Counting {
  readonly selected: readonly string[];
  readonly locations: readonly { readonly location_id: string; readonly active: boolean }[];
  readonly mode: StockMode;
  readonly moves: boolean;
}

/** @returns the rules, with another one if it counts otherwise; the same array if not */
export function changeRule(
  rules: readonly CountingRule[],
  { selected, locations, mode, moves }: Counting,
): readonly CountingRule[] {
  const last = ruleOf(rules);
  const used = new Set(locations.flatMap(({ location_id: id, active }) => (active ? id : [])));
  const open = selected.filter((id) => used.has(id)).toSorted();
  const closed = selected.filter((id) => !used.has(id)).toSorted();
  if (open.join() === last.open.join() && closed.join() === last.closed.join() && mode === last.mode)
    return rules;
  // A change that moves no stock replaces the last one if that moved none either. The oldest rule is never replaced:
  // links were counted by it.
  const kept = rules.length > 1 && !moves && !last.moves ? rules.slice(0, -1) : rules;
  return [...kept, { no: last.no + 1, open, closed, mode, moves }].slice(-RULES_MAX);
}

/** @param levels all of an item */
export function quantityBy(
  { open, closed }: CountingRule,
  levels: readonly (Level & { readonly location_id: string })[],
): StoreQuantity {
  if (open.length === 0) return storeQuantity([]);
  const selected = levels.filter(({ location_id: id }) => open.includes(id) || closed.includes(id));
  return storeQuantity(
    selected.map(({ available, active, location_id: id }) => ({
      available,
      active: active && !closed.includes(id),
    })),
  );
}

/** Levels of an item. */
type Levels = Parameters<typeof quantityBy>[1];

/**
 * The stock of a link by the present rule.
 *
 * @param countedBy number of the rule by which it was counted last
 * @param levels all of its item
 */
export function catchUp(
  stock: Stock,
  countedBy: number,
  rules: readonly CountingRule[],
  levels: Levels,
): Stock {
  if (!stock.counted) return stock;
  const isKnown = countedBy >= (rules[0] ?? FIRST_RULE).no;
  let now: Stock = isKnown ? stock : { ...stock, base: null };
  for (const rule of rules.filter(({ no }) => no > countedBy)) {
    const { quantity } = quantityBy(rule, levels);
    if (!rule.moves) now = { ...now, base: quantity };
    else if (quantity !== null) now = applyQuantity(now, quantity, rule.mode);
  }
  return now;
}

/** The stock of a link with the quantity of its levels by the present rule, which it catches up with. */
export function countBy(
  stock: Stock,
  countedBy: number,
  rules: readonly CountingRule[],
  levels: Levels,
  apply: typeof applyQuantity = applyQuantity,
): Stock {
  const rule = ruleOf(rules);
  const now = catchUp(stock, countedBy, rules, levels);
  const { quantity } = quantityBy(rule, levels);
  return quantity === null ? now : apply(now, quantity, rule.mode);
}

/** Whether a link must count by the levels that it has before they change: it is behind, or its base waits. */
export const isWaiting = (
  { counted, base }: Stock,
  countedBy: number,
  rules: readonly CountingRule[],
): boolean => counted && (base === null || countedBy !== ruleOf(rules).no);

/** The stock of a link after its levels have changed. */
export const countChange = (
  stock: Stock,
  countedBy: number,
  rules: readonly CountingRule[],
  { before, after }: { readonly before: Levels; readonly after: Levels },
): Stock =>
  countBy(
    isWaiting(stock, countedBy, rules) ? countBy(stock, countedBy, rules, before) : stock,
    ruleOf(rules).no,
    rules,
    after,
  );
