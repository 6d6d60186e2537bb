/** The figures of each SKU, from the orders with a sale of it. */
import { type Amounts, addAmounts, NO_AMOUNTS, type Posted, shareOverLines, sumLines } from './components.ts';

/** The sum of a line, or of what concerns the whole order. */
export interface OrderPart extends Posted {
  /** Units that were sold with it. */
  readonly units: number;
}

export interface SkuTotal {
  /** Orders with a sale of it. */
  readonly orders: number;
  readonly units: number;
  readonly amounts: Amounts;
  /** The provider's fee is known for every one of the orders. */
  readonly captured: boolean;
}

const NOTHING: SkuTotal = { orders: 0, units: 0, amounts: NO_AMOUNTS, captured: true };

/**
 * Adds an order to the totals of its SKUs. Lines without a SKU are shipping; they share what concerns the whole order
 * with the others, so that the totals sum to the orders.
 *
 * @param totals by SKU, null for what has none; this function changes them
 */
export function addOrder(
  totals: Map<string | null, SkuTotal>,
  parts: readonly OrderPart[],
  captured: boolean,
): void {
  const lines = shareOverLines(parts);
  const counted = new Set<string | null>();
  const add = (sku: string | null, amounts: Amounts, units: number): void => {
    const known = totals.get(sku) ?? NOTHING;
    const isFirst = lines.length > 0 && !counted.has(sku);
    counted.add(sku);
    totals.set(sku, {
      orders: known.orders + (isFirst ? 1 : 0),
      units: known.units + units,
      amounts: addAmounts(known.amounts, amounts),
      captured: known.captured && captured,
    });
  };
  for (const { order_line_id, sku, amounts } of lines) {
    const own = parts.filter((part) => part.order_line_id === order_line_id);
    add(
      sku,
      amounts,
      own.reduce((sum, { units }) => sum + units, 0),
    );
  }
  if (lines.length === 0) add(null, sumLines(parts), 0);
}
