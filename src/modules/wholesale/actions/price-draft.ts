/** Prices of drafts: from the catalogue of the supplier, or from the quote that they were made from. */
import { fail, invalid, missing } from '../../../kernel/errors.ts';
import { MINOR_MAX, MINOR_SUM_MAX, type Minor, minorOrNull, sumMinor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import {
  freightOf,
  itemsOf,
  packPriceOf,
  requireQuantity,
  type SupplierRow,
  supplyErrors,
} from '../../supply/index.ts';
import { goodsOfLine, goodsOfLines, unitCosts } from '../domain/priced.ts';
import { type LineRow, type PurchaseRow, skusOf } from '../store/orders.ts';

/** What is ordered, before it has a price. */
export type AskedLine = Pick<LineRow, 'supplier_item_id' | 'product_id' | 'ordered' | 'quoted_terms'>;
type PricedLine = AskedLine &
  Pick<LineRow, 'supplier_sku' | 'title' | 'pack_size' | 'ordered_price_minor' | 'pack_price_minor'>;

/** @throws ApiError 404 if a product does not exist */
async function requireProducts(ctx: SellerDb, asked: readonly AskedLine[]): Promise<void> {
  const ids = [...new Set(asked.flatMap(({ product_id }) => product_id ?? []))];
  const known = await skusOf(ctx, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw missing(`product ${unknown}`);
}

/** The units of an item in all lines without quoted terms: several lines are no way around its maximum. */
function unitsOf(asked: readonly AskedLine[]): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const { supplier_item_id, ordered, quoted_terms } of asked)
    if (quoted_terms === null) units.set(supplier_item_id, (units.get(supplier_item_id) ?? 0) + ordered);
  return units;
}

/**
 * Prices lines as the supplier sells the items now; lines with quoted terms as they were quoted.
 *
 * @throws ApiError 404 for an unknown item or product, 409 `item_discontinued` and the codes of quantities
 */
export async function priceLines(
  ctx: SellerDb,
  { supplier_id }: Pick<SupplierRow, 'supplier_id'>,
  asked: readonly AskedLine[],
): Promise<PricedLine[]> {
  const ids = asked.map(({ supplier_item_id }) => supplier_item_id);
  const items = new Map((await itemsOf(ctx.db, ids)).map((item) => [item.supplier_item_id, item]));
  const units = unitsOf(asked);
  const priced = asked.map((line): PricedLine => {
    const { supplier_item_id, ordered } = line;
    const item = items.get(supplier_item_id);
    if (item?.supplier_id !== supplier_id) throw missing(`item ${supplier_item_id} of the supplier`);
    if (line.quoted_terms === null && item.status === 'discontinued')
      throw fail(supplyErrors.item_discontinued, { facts: { supplier_item_id } });
    const terms = line.quoted_terms ?? item;
    requireQuantity(terms, supplier_item_id, ordered);
    if (line.quoted_terms === null)
      requireQuantity(terms, supplier_item_id, units.get(supplier_item_id) ?? ordered);
    const price = packPriceOf(terms, ordered);
    const { supplier_sku, title } = item;
    return {
      ...{ ...line, supplier_sku, title, pack_size: terms.pack_size },
      ...{ ordered_price_minor: price, pack_price_minor: price },
    };
  });
  await requireProducts(ctx, asked);
  return priced;
}

/** Whether every line has what was quoted. A quote says nothing about other lines. */
export const isQuoted = (lines: readonly Pick<AskedLine, 'quoted_terms'>[]): boolean =>
  lines.every(({ quoted_terms }) => quoted_terms !== null);

/**
 * The amounts of an order.
 *
 * @param quoted the freight of its quote, which holds as long as all lines are of the quote; null: there is no quote
 */
export function amountsOf(
  lines: readonly PricedLine[],
  { flat_freight_minor, free_freight_from_minor }: SupplierRow,
  quoted: PurchaseRow['quoted_freight'],
) {
  const goods_minor = goodsOfLines(lines);
  const terms =
    quoted === null || !isQuoted(lines)
      ? { flat: flat_freight_minor, free_from: free_freight_from_minor }
      : { flat: minorOrNull(quoted.flat), free_from: minorOrNull(quoted.free_from) };
  const freight = freightOf(terms, goods_minor);
  return { goods_minor, stated_freight_minor: freight, freight_minor: freight };
}

/**
 * @param freight the most that the freight can be
 * @throws ApiError 422 `amount_out_of_range`
 */
export function requirePayable(lines: readonly PricedLine[], freight: Minor, currency: string): void {
  const goods = lines.map(goodsOfLine);
  const isTooMuch =
    sumMinor([...goods, freight]) > MINOR_MAX ||
    unitCosts(lines, freight, currency).some(({ cost_micros }) => cost_micros > MINOR_SUM_MAX);
  if (!isTooMuch) return;
  const msg = 'The order is too expensive for one order; split it.';
  throw invalid([{ loc: ['body'], msg, type: 'amount_out_of_range' }]);
}

/** The row of a new line of a draft. */
export const newLine = (
  { ids }: { readonly ids: { next(kind: 'pol_'): string } },
  purchase_order_id: string,
  line: PricedLine,
  index: number,
): LineRow => ({
  ...{ purchase_line_id: ids.next('pol_'), purchase_order_id, line_no: index + 1, ...line },
  ...{ unconfirmed: line.ordered, confirmed: 0, received: 0, cancelled: 0, shipped: 0 },
  ...{ rejected_at_receipt: 0, promised_on: null },
  ...{ cost_from: null, cost_micros: null, cost_missing: [], cost_recorded_at: null },
});
