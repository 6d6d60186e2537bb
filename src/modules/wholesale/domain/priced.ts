/** The amounts of a purchase order. Source: docs/design/wholesale.md#amounts. */
import { type Minor, microsOfUnit, minor, splitMinor, sumMinor, timesUnits } from '../../../kernel/money.ts';

/** What a supplier says about the freight of an order. */
export interface FreightTerms {
  readonly flat: Minor | null;
  readonly free_from: Minor | null;
}

interface PricedLine {
  readonly ordered: number;
  readonly pack_size: number;
  readonly pack_price_minor: Minor;
}

/** The price of a line: all of its packs. */
export const goodsOfLine = ({ ordered, pack_size, pack_price_minor }: PricedLine): Minor =>
  timesUnits(pack_price_minor, ordered / pack_size);

export const goodsOfLines = (lines: readonly PricedLine[]): Minor => sumMinor(lines.map(goodsOfLine));

export const totalOf = (goods: Minor, freight: Minor | null): Minor | null =>
  freight === null ? null : sumMinor([goods, freight]);

interface UnitCost {
  readonly cost_micros: bigint;
  readonly cost_missing: readonly 'inbound_freight'[];
}

/**
 * The cost of a unit of each line: its goods with its share of the freight, over all units that were ordered.
 *
 * @param freight null: not stated; then the goods alone, and `inbound_freight` is missing
 * @returns in the order of the lines
 */
export function unitCosts(lines: readonly PricedLine[], freight: Minor | null, currency: string): UnitCost[] {
  const goods = lines.map(goodsOfLine);
  // Goods without a price share the freight evenly.
  const weights = sumMinor(goods) > 0n ? goods : goods.map(() => minor(1));
  const shares = splitMinor(freight ?? minor(0), weights);
  return lines.map(({ ordered }, index) => ({
    cost_micros: microsOfUnit(
      sumMinor([goods[index] ?? minor(0), shares[index] ?? minor(0)]),
      ordered,
      currency,
    ),
    cost_missing: freight === null ? ['inbound_freight'] : [],
  }));
}
