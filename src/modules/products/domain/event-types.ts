/**
 * Lists the events of a write in the order in which receivers get them. Requests write the object into the event; feeds
 * write events without objects, and the service adds the object when it sends them. Both use these lists.
 */
import type { CatalogueProduct } from './product.ts';
import { isLowStock, isVisible, quantityAvailable } from './visibility.ts';

export type ProductEventType =
  `product.${'created' | 'updated' | 'deactivated' | 'curation_changed' | 'visibility_changed' | 'issue_raised' | 'issue_resolved'}`;
export type StockEventType = `inventory.${'updated' | 'low_stock' | 'out_of_stock' | 'oversold'}`;

type Before = CatalogueProduct | null;
type Stock = Parameters<typeof isLowStock>[0];

const ended = ({ status }: CatalogueProduct): boolean => status === 'inactive' || status === 'archived';

function contentEvent(before: Before, after: CatalogueProduct): ProductEventType {
  if (before === null) return 'product.created';
  return before.status === 'active' && ended(after) ? 'product.deactivated' : 'product.updated';
}

/** @param reviewOnly whether only the result of the marketplace's review has changed */
export function productEventTypes(
  before: Before,
  after: CatalogueProduct,
  reviewOnly: boolean,
): ProductEventType[] {
  const types = reviewOnly ? [] : [contentEvent(before, after)];
  if (
    before !== null &&
    (before.curation_state !== after.curation_state || before.live_version !== after.live_version)
  )
    types.push('product.curation_changed');
  if (isVisible(after) !== (before !== null && isVisible(before))) types.push('product.visibility_changed');
  // A new product shows its issues in `product.created`.
  if (before !== null && lacks(before, after)) types.push('product.issue_raised');
  if (before !== null && lacks(after, before)) types.push('product.issue_resolved');
  return types;
}

/** Whether the second state has an issue that the first one lacks. */
function lacks(one: CatalogueProduct, other: CatalogueProduct): boolean {
  return other.issues.some(
    ({ code, attribute }) =>
      !one.issues.some((issue) => issue.code === code && issue.attribute === attribute),
  );
}

/** A new product gets `inventory.updated` only: its stock cannot have fallen. */
export function stockEventTypes(before: Stock | null, after: Stock): StockEventType[] {
  const types: StockEventType[] = ['inventory.updated'];
  if (before === null) return types;
  if (quantityAvailable(after) === 0 && quantityAvailable(before) !== 0) types.push('inventory.out_of_stock');
  else if (isLowStock(after) && !isLowStock(before)) types.push('inventory.low_stock');
  return types;
}
