import { currencyExponent, formatDecimal, type Minor, percentChange } from '../../../../kernel/money.ts';
import type { CatalogueProduct } from '../product.ts';
import type { RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { PlanContext } from './plan-context.ts';

/** A price that changes by half or more is usually a wrong decimal point. */
const PRICE_SPIKE_PERCENT = 50;

/** Warns about amounts and stock that are valid but unusual for the product. */
export function checkAmounts(
  before: CatalogueProduct | null,
  after: CatalogueProduct,
  context: PlanContext,
  messages: RowMessage[],
): void {
  const { fields } = context.columns;
  const price = after.price_minor;
  const old = before?.price_minor ?? null;
  if (old !== null && price !== null && old !== price)
    checkSpike(old, price, after, fields.price_minor, messages);
  const compareAt = after.compare_at_minor;
  const changed = price !== old || compareAt !== (before?.compare_at_minor ?? null);
  if (changed && compareAt !== null && price !== null && compareAt <= price) {
    messages.push(rowMessage('compare_at_not_above_price', { column: fields.compare_at_minor }));
  }
  const quantity = after.quantity_on_hand;
  if (quantity !== null && quantity !== before?.quantity_on_hand && quantity < after.quantity_reserved) {
    messages.push(
      rowMessage('stock_below_reserved', {
        column: fields.quantity,
        value: String(quantity),
        expected: `at least ${after.quantity_reserved}`,
      }),
    );
  }
}

function checkSpike(
  old: Minor,
  price: Minor,
  { currency }: CatalogueProduct,
  column: string,
  messages: RowMessage[],
): void {
  if (old <= 0n) return;
  const percent = percentChange(old, price);
  if (Math.abs(percent) < PRICE_SPIKE_PERCENT) return;
  const exponent = currencyExponent(currency);
  const [from, to] = [formatDecimal(old, exponent), formatDecimal(price, exponent)];
  const change = `${percent > 0 ? '+' : ''}${percent} %`;
  const message = `The price changes by ${change}, from ${from} to ${to}.`;
  messages.push(rowMessage('price_spike', { column, value: to, message }));
}
