import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { productEventTypes, stockEventTypes } from '../domain/event-types.ts';
import type { StockRow, StoredProduct } from '../domain/product.ts';
import { productEvents, stockEvents } from '../events.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { toWire } from '../schemas/to-wire.ts';

/** Keys that every write changes. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['version', 'updated_at', 'source']);

/** The former values of the keys that have changed. */
function previousOf(before: object, after: object): Readonly<Record<string, unknown>> {
  const now = after as Record<string, unknown>;
  const changed = Object.entries(before).filter(
    ([key, value]) => !BOOKKEEPING.has(key) && JSON.stringify(value) !== JSON.stringify(now[key]),
  );
  return Object.fromEntries(changed);
}

const isReviewOnly = (previous: object): boolean =>
  'curation' in previous && Object.keys(previous).every((key) => key === 'curation' || key === 'visible');

function eventsOfContent(before: StoredProduct | null, after: StoredProduct): DeclaredEvent[] {
  const object = toWire(after);
  const previous = before === null ? undefined : previousOf(toWire(before), object);
  const reviewOnly = previous !== undefined && isReviewOnly(previous);
  return productEventTypes(before, after, reviewOnly).map((type) =>
    productEvents[type].of(object, { previous }),
  );
}

/** @param oversold an order asked for more units than there were */
export function eventsOfStock(before: StockRow | null, after: StockRow, oversold = false): DeclaredEvent[] {
  const object = inventoryToWire(after);
  const previous = before === null ? undefined : previousOf(inventoryToWire(before), object);
  const types = stockEventTypes(before, after);
  if (oversold) types.push('inventory.oversold');
  return types.map((type) => stockEvents[type].of(object, { previous }));
}

const stockOf = (product: StoredProduct, at: string): StockRow => ({ ...product, stock_updated_at: at });

/** Events of one write, in the order in which a receiver should see them. */
export function eventsOf(before: StoredProduct | null, after: StoredProduct, at: string): DeclaredEvent[] {
  const content = before === null || before.version !== after.version ? eventsOfContent(before, after) : [];
  if ((before?.stock_version ?? 0) === after.stock_version) return content;
  return [...content, ...eventsOfStock(before && stockOf(before, at), stockOf(after, at))];
}
