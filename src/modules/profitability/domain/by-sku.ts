/** Computes the figures of each SKU from the orders that have sold it. */
import { type Amounts, addAmounts, type Known, NO_AMOUNTS, shareOverLines, sumLines } from './components.ts';
import { addCovered, costParts, coverageOf, NOTHING_NEEDED, type OrderCosts } from './costs.ts';
import type { Posted } from './posted.ts';

/** The sum of a line, or of the amounts of the whole order. */
interface OrderPart extends Posted {
  /** The number of sold units. */
  readonly units: number;
}

export interface SkuTotal extends Known {
  /** The number of orders with a sale of the SKU. */
  readonly orders: number;
  readonly units: number;
  readonly amounts: Amounts;
}

const NO_SALES: SkuTotal = {
  orders: 0,
  units: 0,
  amounts: NO_AMOUNTS,
  captured: true,
  covered: NOTHING_NEEDED,
};

/**
 * Adds an order to the totals of its SKUs. Lines without a SKU are shipping. Amounts of the whole order are shared over
 * all lines, so the totals sum to the orders.
 *
 * @param totals the totals by SKU (null for lines without one), which this function changes
 */
export function addOrder(
  totals: Map<string | null, SkuTotal>,
  parts: readonly OrderPart[],
  captured: boolean,
  costs: OrderCosts | undefined,
): void {
  const all = [...parts, ...costParts(costs)];
  const lines = shareOverLines(all);
  const counted = new Set<string | null>();
  const add = (sku: string | null, line: string | null, amounts: Amounts, units: number): void => {
    const known = totals.get(sku) ?? NO_SALES;
    const isFirst = lines.length > 0 && !counted.has(sku);
    counted.add(sku);
    totals.set(sku, {
      orders: known.orders + (isFirst ? 1 : 0),
      units: known.units + units,
      amounts: addAmounts(known.amounts, amounts),
      captured: known.captured && captured,
      covered: addCovered(known.covered, coverageOf(costs, line)),
    });
  };
  for (const { order_line_id, sku, amounts } of lines) {
    const own = parts.filter((part) => part.order_line_id === order_line_id);
    add(
      sku,
      order_line_id,
      amounts,
      own.reduce((sum, { units }) => sum + units, 0),
    );
  }
  if (lines.length === 0) add(null, null, sumLines(all), 0);
}
