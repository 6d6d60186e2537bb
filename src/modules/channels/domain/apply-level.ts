/**
 * What a store's stock does to the stock here. In `pool` both sides move one counter: the difference to the store's last
 * quantity is applied, so that units sold here do not come back. Source: docs/design/channels.md#stock.
 */
export const STOCK_MODES = ['pool', 'mirror'] as const;
export type StockMode = (typeof STOCK_MODES)[number];

/** A level of an item at a selected location. */
export interface Level {
  /** Null: the store does not count there. */
  readonly available: number | null;
  /** False: the store no longer has the item there. */
  readonly active: boolean;
}

export interface Stock {
  /** Null: the seller does not count here. */
  readonly on_hand: number | null;
  readonly reserved: number;
  /** How far the stock would be below zero; `on_hand` is then 0. */
  readonly shortfall: number;
  /** Whether a quantity of the store was applied since the variant was linked. */
  readonly counted: boolean;
  /** The store's quantity when it was last applied; null: the next one becomes the base. */
  readonly base: number | null;
}

/** A quantity beyond this, or a fraction, is no stock. */
const QUANTITY_MAX = 1_000_000_000;
export const isQuantity = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= QUANTITY_MAX;

/** `untracked`: the store does not count somewhere; `unknown`: it has said nothing about the selected locations. */
export const STOCK_STATES = ['tracked', 'untracked', 'unknown'] as const;
export type StoreQuantity =
  | { readonly state: 'tracked'; readonly quantity: number }
  | { readonly state: 'untracked' | 'unknown'; readonly quantity: null };

/** The store's quantity over the selected, active locations. Null is not zero: then it is not known. */
export function storeQuantity(levels: readonly Level[]): StoreQuantity {
  const active = levels.filter((level) => level.active);
  if (active.some(({ available }) => available === null)) return { state: 'untracked', quantity: null };
  const quantity = active.reduce((sum, { available }) => sum + (available ?? 0), 0);
  return levels.length === 0 || !isQuantity(quantity)
    ? { state: 'unknown', quantity: null }
    : { state: 'tracked', quantity };
}

const atMost = (units: number): number => Math.min(QUANTITY_MAX, Math.max(0, units));

/** The store is right: what is reserved here comes on top. Also what the seller asks for by `stock-sync`. */
export const mirrored = ({ reserved }: Stock, quantity: number): Stock => ({
  ...{ on_hand: atMost(atMost(quantity) + reserved), shortfall: 0, reserved },
  ...{ counted: true, base: quantity },
});

/** Applies a known quantity of the store. The one that is the base already changes nothing. */
export function applyQuantity(stock: Stock, quantity: number, mode: StockMode): Stock {
  const { on_hand, shortfall, counted, base } = stock;
  if (counted && base === quantity) return stock;
  if (counted && base === null) return { ...stock, base: quantity };
  if (mode === 'mirror') return mirrored(stock, quantity);
  const next = { ...stock, counted: true, base: quantity };
  // An unknown stock stays unknown whatever is added to it.
  if (counted && on_hand === null) return next;
  const net = counted ? (on_hand ?? 0) - shortfall + quantity - (base ?? 0) : quantity;
  return { ...next, on_hand: atMost(net), shortfall: atMost(-net) };
}
