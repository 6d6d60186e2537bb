import type { EmittedEvent } from '../../../kernel/context.ts';
import { isVisible, quantityAvailable } from '../domain/visibility.ts';
import { inventoryToWire, isLowStock } from '../schemas/inventory-to-wire.ts';
import { toWire } from '../schemas/to-wire.ts';
import type { StoredProduct } from '../store/product-columns.ts';

/** Keys that differ after every write and say nothing about it. */
const ALWAYS_MOVING: ReadonlySet<string> = new Set(['version', 'updated_at', 'source']);

/** Values of before, for the keys whose value is another now. */
function previousOf(before: object | null, after: object): Readonly<Record<string, unknown>> {
  const now = after as Record<string, unknown>;
  const changed = Object.entries(before ?? {}).filter(
    ([key, value]) => !ALWAYS_MOVING.has(key) && JSON.stringify(value) !== JSON.stringify(now[key]),
  );
  return Object.fromEntries(changed);
}

/** Nothing but the marketplace's judgement differs. */
const isJudgementOnly = (previous: object): boolean =>
  'curation' in previous && Object.keys(previous).every((key) => key === 'curation' || key === 'visible');

function productEvents(before: StoredProduct | null, after: StoredProduct): EmittedEvent[] {
  const object = toWire(after);
  const previous = previousOf(before === null ? null : toWire(before), object);
  const event = (type: string): EmittedEvent => ({
    type,
    object_id: after.product_id,
    object_version: after.version,
    data: before === null ? { object } : { object, previous },
  });
  const ended = after.status === 'inactive' || after.status === 'archived';
  const first =
    before === null
      ? 'product.created'
      : before.status === 'active' && ended
        ? 'product.deactivated'
        : 'product.updated';
  const events = isJudgementOnly(previous) ? [] : [event(first)];
  if (before !== null && before.curation_state !== after.curation_state)
    events.push(event('product.curation_changed'));
  if (isVisible(after) !== (before !== null && isVisible(before)))
    events.push(event('product.visibility_changed'));
  return events;
}

const stockOf = (product: StoredProduct, at: string | null) =>
  inventoryToWire({ ...product, stock_updated_at: at });

function stockEvents(before: StoredProduct | null, after: StoredProduct, at: string): EmittedEvent[] {
  const object = stockOf(after, at);
  const previous = previousOf(before === null ? null : stockOf(before, at), object);
  const event = (type: string): EmittedEvent => ({
    type,
    object_id: after.product_id,
    object_version: after.stock_version,
    data: before === null ? { object } : { object, previous },
  });
  const events = [event('inventory.updated')];
  // A new product does not run low: it begins with what it has.
  if (before === null) return events;
  if (quantityAvailable(after) === 0 && quantityAvailable(before) !== 0)
    events.push(event('inventory.out_of_stock'));
  else if (isLowStock(after) && !isLowStock(before)) events.push(event('inventory.low_stock'));
  return events;
}

/** Events of one write, in the order in which a receiver should see them. */
export function eventsOf(before: StoredProduct | null, after: StoredProduct, at: string): EmittedEvent[] {
  const product = before === null || before.version !== after.version ? productEvents(before, after) : [];
  const stock = (before?.stock_version ?? 0) === after.stock_version ? [] : stockEvents(before, after, at);
  return [...product, ...stock];
}
