/** Prices, quantities and freight of what suppliers offer. Source: docs/design/supply.md#prices. */
import { type Minor, minor, timesUnits } from '../../../kernel/money.ts';

/** The price of a pack from a quantity on. */
export interface PriceBreak {
  readonly min_quantity: number;
  readonly pack_price_minor: number;
}

/** How an item can be ordered. Quantities are units of the product. */
export interface ItemTerms {
  readonly pack_size: number;
  readonly minimum_quantity: number;
  readonly maximum_quantity: number | null;
  readonly price_breaks: readonly PriceBreak[];
}

/** What is wrong with the price breaks of an item; undefined if nothing is. */
export function breaksProblem({ pack_size, minimum_quantity, price_breaks }: ItemTerms): string | undefined {
  const [first] = price_breaks;
  if (first === undefined || first.min_quantity > minimum_quantity)
    return 'the first must count from minimum_quantity on or before';
  for (const [index, { min_quantity, pack_price_minor }] of price_breaks.entries()) {
    const before = price_breaks[index - 1];
    if (min_quantity % pack_size !== 0) return `${min_quantity} is not a multiple of pack_size`;
    if (before !== undefined && before.min_quantity >= min_quantity) return 'min_quantity must ascend';
    if (before !== undefined && before.pack_price_minor < pack_price_minor) return 'prices must not rise';
  }
  return undefined;
}

/** The smallest quantity that can be ordered and is not less than the wanted one; null if it is above the maximum. */
export function orderable({ pack_size, minimum_quantity, maximum_quantity }: ItemTerms, wanted: number) {
  const quantity = Math.ceil(Math.max(wanted, minimum_quantity) / pack_size) * pack_size;
  return maximum_quantity !== null && quantity > maximum_quantity ? null : quantity;
}

/** Why a quantity cannot be ordered, with the nearest ones that can; undefined if it can. */
export function quantityProblem(terms: ItemTerms, quantity: number) {
  const { pack_size, minimum_quantity, maximum_quantity } = terms;
  const most = maximum_quantity ?? quantity;
  const below = Math.floor(Math.min(quantity, most) / pack_size) * pack_size;
  const down = below >= minimum_quantity ? below : null;
  const facts = { quantity, minimum_quantity, maximum_quantity, pack_size };
  const refuse = (code: 'quantity_below_minimum' | 'quantity_above_maximum' | 'quantity_not_in_packs') => ({
    code,
    facts: { ...facts, nearest: { down, up: orderable(terms, quantity) } },
  });
  if (quantity < minimum_quantity) return refuse('quantity_below_minimum');
  if (quantity > most) return refuse('quantity_above_maximum');
  return quantity % pack_size === 0 ? undefined : refuse('quantity_not_in_packs');
}

/** The price of each pack of a line: that of its whole quantity. @param quantity one that can be ordered */
export function packPriceOf({ price_breaks }: Pick<ItemTerms, 'price_breaks'>, quantity: number): Minor {
  const tier = price_breaks.findLast(({ min_quantity }) => min_quantity <= quantity) ?? price_breaks[0];
  return minor(tier?.pack_price_minor ?? 0);
}

/** The price of a line: its packs at the price of the whole quantity. @param quantity one that can be ordered */
export const goodsOf = (terms: ItemTerms, quantity: number): Minor =>
  timesUnits(packPriceOf(terms, quantity), quantity / terms.pack_size);

/** The freight of an order; null if the supplier has not stated it, which is not zero. */
export function freightOf(
  { flat, free_from }: { readonly flat: Minor | null; readonly free_from: Minor | null },
  goods: Minor,
): Minor | null {
  return free_from !== null && goods >= free_from ? minor(0) : flat;
}
