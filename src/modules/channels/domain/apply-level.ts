/**
 * What a store's stock does to the stock here. In `pool` both sides move one counter: the difference to the store's last
 * level is applied, so that units sold here do not come back. Source: docs/design/channels.md#stock.
 */
export const STOCK_MODES = ['pool', 'mirror'] as const;
export type StockMode = (typeof STOCK_MODES)[number];

/** A level of an item at a selected, active location. */
export interface Level {
  /** Null: the store does not count there. */
  readonly available: number | null;
}

export interface Stock {
  readonly on_hand: number;
  readonly reserved: number;
  /** How far the stock would be below zero; `on_hand` is then 0. */
  readonly shortfall: number;
  /** The store's quantity when it was last applied; null: never. */
  readonly base: number | null;
}

/** A quantity beyond this, or a fraction, is no stock. */
const QUANTITY_MAX = 1_000_000_000;
export const isQuantity = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= QUANTITY_MAX;

/** The store's quantity over the selected locations; null is not zero: then it is unknown. */
export function storeQuantity(levels: readonly Level[]): number | null {
  let sum = 0;
  for (const { available } of levels) {
    if (available === null) return null;
    sum += available;
  }
  return levels.length === 0 ? null : sum;
}

const split = (net: number): Pick<Stock, 'on_hand' | 'shortfall'> => ({
  on_hand: Math.max(0, net),
  shortfall: Math.max(0, -net),
});

/** The store is right: what is reserved here comes on top. Also what the seller asks for by `stock-sync`. */
export const mirrored = ({ reserved }: Stock, quantity: number): Stock => ({
  ...{ on_hand: Math.max(0, quantity) + reserved, shortfall: 0 },
  ...{ reserved, base: quantity },
});

/** Applies a known quantity of the store. */
export function applyQuantity(stock: Stock, quantity: number, mode: StockMode): Stock {
  if (mode === 'mirror') return mirrored(stock, quantity);
  const { on_hand, shortfall, reserved, base } = stock;
  const net = base === null ? quantity : on_hand - shortfall + (quantity - base);
  return { ...split(net), reserved, base: quantity };
}

export const availableOf = ({ on_hand, reserved }: Stock): number => Math.max(0, on_hand - reserved);

/** Units that were taken here and that the store still counts. */
export const takenHere = (stock: Stock, quantity: number): number => quantity - availableOf(stock);
