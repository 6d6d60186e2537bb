/** What has to be true before a seller can order from a supplier. Source: docs/design/supply.md#prices. */
import { fail } from '../../../kernel/errors.ts';
import { type ItemTerms, quantityProblem } from '../domain/terms.ts';
import { supplyErrors } from '../errors.ts';
import type { SupplierRow } from '../store.ts';

/**
 * @param seller_currency the currency of the seller's account
 * @throws ApiError 409 `supplier_not_available`, `currency_mismatch`
 */
export function requireAvailable({ supplier_id, status, currency }: SupplierRow, seller_currency: string) {
  if (status !== 'active')
    throw fail(supplyErrors.supplier_not_available, { facts: { supplier_id, status } });
  if (currency !== seller_currency)
    throw fail(supplyErrors.currency_mismatch, { facts: { currency, seller_currency } });
}

/** @throws ApiError 409 `quantity_below_minimum`, `quantity_above_maximum`, `quantity_not_in_packs` */
export function requireQuantity(terms: ItemTerms, supplier_item_id: string | null, quantity: number): void {
  const problem = quantityProblem(terms, quantity);
  if (problem === undefined) return;
  throw fail(supplyErrors[problem.code], { facts: { supplier_item_id, ...problem.facts } });
}
