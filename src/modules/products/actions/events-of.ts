import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { productEventTypes, stockEventTypes } from '../domain/event-types.ts';
import type { StoredProduct } from '../domain/product.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { toWire } from '../schemas/to-wire.ts';

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

function productEvents(before: StoredProduct | null, after: StoredProduct): DeclaredEvent[] {
  const object = toWire(after);
  const previous = previousOf(before === null ? null : toWire(before), object);
  const event = (type: string): DeclaredEvent => ({
    type,
    object_id: after.product_id,
    object_version: after.version,
    data: before === null ? { object } : { object, previous },
  });
  return productEventTypes(before, after, isJudgementOnly(previous)).map(event);
}

const stockOf = (product: StoredProduct, at: string | null) =>
  inventoryToWire({ ...product, stock_updated_at: at });

function stockEvents(before: StoredProduct | null, after: StoredProduct, at: string): DeclaredEvent[] {
  const object = stockOf(after, at);
  const previous = previousOf(before === null ? null : stockOf(before, at), object);
  const event = (type: string): DeclaredEvent => ({
    type,
    object_id: after.product_id,
    object_version: after.stock_version,
    data: before === null ? { object } : { object, previous },
  });
  return stockEventTypes(before, after).map(event);
}

/** Events of one write, in the order in which a receiver should see them. */
export function eventsOf(before: StoredProduct | null, after: StoredProduct, at: string): DeclaredEvent[] {
  const product = before === null || before.version !== after.version ? productEvents(before, after) : [];
  const stock = (before?.stock_version ?? 0) === after.stock_version ? [] : stockEvents(before, after, at);
  return [...product, ...stock];
}
