import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { productEventTypes, stockEventTypes } from '../domain/event-types.ts';
import type { StockRow, StoredProduct } from '../domain/product.ts';
import { productEvents, stockEvents } from '../events.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { type Shop, toWire } from '../schemas/to-wire.ts';

/** Keys that every write changes; events do not list them as changed. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['version', 'updated_at', 'source']);

/** The values before the change, of the keys that changed. */
function previousOf(before: object, after: object): Readonly<Record<string, unknown>> {
  const now = after as Record<string, unknown>;
  const changed = Object.entries(before).filter(
    ([key, value]) => !BOOKKEEPING.has(key) && JSON.stringify(value) !== JSON.stringify(now[key]),
  );
  return Object.fromEntries(changed);
}

const OF_REVIEW: ReadonlySet<string> = new Set(['curation', 'live', 'visible', 'hidden_reasons']);

const isReviewOnly = (previous: object): boolean =>
  ('curation' in previous || 'live' in previous) && Object.keys(previous).every((key) => OF_REVIEW.has(key));

function eventsOfContent(before: StoredProduct | null, after: StoredProduct, shop: Shop): DeclaredEvent[] {
  const object = toWire(after, shop);
  const previous = before === null ? undefined : previousOf(toWire(before, shop), object);
  const reviewOnly = previous !== undefined && isReviewOnly(previous);
  return productEventTypes(before, after, reviewOnly).map((type) =>
    productEvents[type].of(object, { previous }),
  );
}

/** @param oversold an order needs more units than are in stock */
export function eventsOfStock(before: StockRow | null, after: StockRow, oversold = false): DeclaredEvent[] {
  const object = inventoryToWire(after);
  const previous = before === null ? undefined : previousOf(inventoryToWire(before), object);
  const types = stockEventTypes(before, after);
  if (oversold) types.push('inventory.oversold');
  return types.map((type) => stockEvents[type].of(object, { previous }));
}

const stockOf = (product: StoredProduct, at: string): StockRow => ({ ...product, stock_updated_at: at });

/** The events of one write, in the order in which receivers get them. */
export function eventsOf(
  before: StoredProduct | null,
  after: StoredProduct,
  at: string,
  shop: Shop,
): DeclaredEvent[] {
  const content =
    before === null || before.version !== after.version ? eventsOfContent(before, after, shop) : [];
  if ((before?.stock_version ?? 0) === after.stock_version) return content;
  return [...content, ...eventsOfStock(before && stockOf(before, at), stockOf(after, at))];
}
