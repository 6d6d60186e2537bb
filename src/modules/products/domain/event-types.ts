/**
 * Which events a write calls for, in the order in which a receiver should see them. One rule for requests, which
 * send the whole object along, and for feeds, whose events are filled in when somebody reads them.
 */
import type { CatalogueProduct } from './product.ts';
import { isLowStock, isVisible, quantityAvailable } from './visibility.ts';

type Before = CatalogueProduct | null;

const ended = ({ status }: CatalogueProduct): boolean => status === 'inactive' || status === 'archived';

function contentEvent(before: Before, after: CatalogueProduct): string {
  if (before === null) return 'product.created';
  return before.status === 'active' && ended(after) ? 'product.deactivated' : 'product.updated';
}

/** @param judgementOnly nothing but the marketplace's judgement differs */
export function productEventTypes(before: Before, after: CatalogueProduct, judgementOnly: boolean): string[] {
  const types = judgementOnly ? [] : [contentEvent(before, after)];
  if (before !== null && before.curation_state !== after.curation_state)
    types.push('product.curation_changed');
  if (isVisible(after) !== (before !== null && isVisible(before))) types.push('product.visibility_changed');
  return types;
}

/** Who listens to stock alone hears of a new product's as well; it begins with what it has and does not run low. */
export function stockEventTypes(before: Before, after: CatalogueProduct): string[] {
  const types = ['inventory.updated'];
  if (before === null) return types;
  if (quantityAvailable(after) === 0 && quantityAvailable(before) !== 0) types.push('inventory.out_of_stock');
  else if (isLowStock(after) && !isLowStock(before)) types.push('inventory.low_stock');
  return types;
}
