import type { RowMatch } from '../identity/evidence.ts';
import type { CatalogueProduct } from '../product.ts';
import type { ProductPatch, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { PlanContext, PlanInput } from './plan-context.ts';

/**
 * Checks whether a row can be planned: it names a product, fits the mode, and has the seller's currency.
 *
 * @returns the first reason to reject the row, or `null`
 */
export function refuseRow(
  existing: CatalogueProduct | null,
  patch: ProductPatch,
  role: PlanInput['role'],
  context: PlanContext,
  match: RowMatch,
): RowMessage | null {
  const { fields } = context.columns;
  const column = fields.seller_sku;
  const sku = patch.seller_sku === '' ? undefined : patch.seller_sku;
  const { mode } = context;
  if (existing === null) {
    if (mode === 'update_only' || mode === 'inventory' || role === 'deactivate') {
      const value = sku ?? patch.external_key ?? undefined;
      return rowMessage(value === undefined ? 'sku_required' : 'sku_not_found', { column, value });
    }
    if (sku === undefined && role !== 'staged') return rowMessage('sku_required', { column });
  } else if (mode === 'create_only') {
    return rowMessage('sku_exists', { column, value: sku ?? existing.seller_sku ?? undefined });
  } else if (patch.seller_sku === '' && !context.from_file) {
    // A row of a file may name the product in another column; a request must not clear the SKU.
    return rowMessage('sku_required', { column });
  }
  if (patch.currency !== undefined && patch.currency !== context.currency) {
    const expected = context.currency;
    return rowMessage('currency_mismatch', { column: fields.currency, value: patch.currency, expected });
  }
  if (sku === undefined) return null;
  const other = match.candidates.find(
    ({ reason, product_id }) => reason === 'seller_sku' && product_id !== existing?.product_id,
  );
  return other === undefined ? null : rowMessage('sku_taken', { column, value: sku });
}

/**
 * The row with the known SKU of its product, where a spreadsheet has removed the zeros at its beginning. The row names
 * the product by another key, so the rest of it is right.
 *
 * @param messages where a SKU that is kept is told
 */
export function withKnownSku(
  existing: CatalogueProduct | null,
  patch: ProductPatch,
  { profile, columns }: PlanContext,
  messages: RowMessage[],
): ProductPatch {
  const [known, value] = [existing?.seller_sku, patch.seller_sku];
  if (profile === null || known == null || value == null || !hasLostZeros(known, value)) return patch;
  messages.push(
    rowMessage('sku_damaged', {
      ...{ column: columns.fields.seller_sku, value, expected: known },
      message: `The product keeps its SKU ${known}; a spreadsheet has probably removed the zeros.`,
      hint: 'If the other SKU is right, change it in the product.',
    }),
  );
  return { ...patch, seller_sku: known };
}

/** Whether a SKU is the known one without the zeros at its beginning. */
const hasLostZeros = (known: string, sku: string): boolean =>
  /^\d+$/.test(sku) && sku !== known && known.replace(/^0+(?=\d)/, '') === sku;
