/**
 * Events that sellers receive from the catalogue. `object_version` is the version of the object that the event
 * shows: of the product, or of its stock.
 */
import { defineEvent, type EventOf, type OutgoingEventDef } from '../../kernel/events.ts';
import type { ProductEventType, StockEventType } from './domain/event-types.ts';
import { PRODUCT_EXAMPLE } from './schemas/examples.ts';
import { RUN_EXAMPLE } from './schemas/feed-examples.ts';
import { FeedRunSchema } from './schemas/feed-run.ts';
import { INVENTORY_EXAMPLE, Inventory, type WireInventory } from './schemas/inventory.ts';
import { Product, type WireProduct } from './schemas/product.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;

const product = (type: ProductEventType, summary: string, example: Partial<WireProduct>, more: More = {}) =>
  defineEvent({
    type,
    summary,
    schema: Product,
    id: 'product_id',
    mayBeGone: true,
    example: { ...PRODUCT_EXAMPLE, ...example },
    ...more,
  });
const stock = (type: StockEventType, summary: string, example: Partial<WireInventory>, more: More) =>
  defineEvent({
    type,
    summary,
    schema: Inventory,
    id: 'product_id',
    mayBeGone: true,
    example: { ...INVENTORY_EXAMPLE, ...example },
    ...more,
  });
const run = (type: string, summary: string, example: object, notification: More['notification'] & object) =>
  defineEvent({
    type,
    summary,
    schema: FeedRunSchema,
    mayBeGone: true,
    example: { ...RUN_EXAMPLE, ...example },
    notification,
  });

/** The marketplace shows what sellers change in their catalogue. */
const forMarketplace = { marketplace: true } as const;

export const productEvents: Readonly<Record<ProductEventType, EventOf<WireProduct>>> = {
  'product.created': product('product.created', 'A product was added to the catalogue', {}, forMarketplace),
  'product.updated': product('product.updated', 'A product changed', { version: 2 }, forMarketplace),
  'product.deactivated': product(
    'product.deactivated',
    'A product was taken out of sale or archived',
    { status: 'inactive', version: 3 },
    forMarketplace,
  ),
  'product.curation_changed': product(
    'product.curation_changed',
    'The marketplace reviewed a product, or must review it',
    {
      curation: { state: 'rejected', reasons: [{ code: 'image_quality', detail: 'The image is blurred.' }] },
      version: 2,
    },
    { notification: { severity: 'info', title: 'The review of {title} ({seller_sku}) changed' } },
  ),
  'product.visibility_changed': product(
    'product.visibility_changed',
    'A product became visible to buyers, or is no longer visible',
    { curation: { state: 'approved', reasons: [] }, visible: true, version: 2 },
  ),
};

export const stockEvents: Readonly<Record<StockEventType, EventOf<WireInventory>>> = {
  'inventory.updated': stock(
    'inventory.updated',
    'Units on hand, reserved units or the reorder point of a product changed',
    {},
    forMarketplace,
  ),
  'inventory.low_stock': stock(
    'inventory.low_stock',
    'The available units came down to the reorder point',
    { quantity_on_hand: 5, quantity_available: 3, low_stock: true },
    {
      notification: {
        severity: 'warning',
        title: '{title} ({seller_sku}) runs low: {quantity_available} left',
      },
    },
  ),
  'inventory.out_of_stock': stock(
    'inventory.out_of_stock',
    'No unit is available any more',
    { quantity_on_hand: 2, quantity_available: 0, low_stock: true },
    { notification: { severity: 'warning', title: '{title} ({seller_sku}) is sold out' } },
  ),
  'inventory.oversold': stock(
    'inventory.oversold',
    'An order asks for more units than are in stock',
    { quantity_on_hand: 2, quantity_available: 0, low_stock: true },
    {
      notification: {
        severity: 'critical',
        title: '{title} ({seller_sku}) was sold beyond its stock: restock it or reject the order',
      },
    },
  ),
};

export const runCompleted = run(
  'feed_run.completed',
  'A feed run has ended and its accepted rows are applied',
  {},
  { severity: 'info', title: 'Feed run {run_id} ended: {status}' },
);
export const runFailed = run(
  'feed_run.failed',
  'A feed run has ended and changed nothing',
  { status: 'rejected' },
  { severity: 'warning', title: 'Feed run {run_id} changed nothing: {status}' },
);

export const events: readonly OutgoingEventDef[] = [
  ...Object.values(productEvents),
  ...Object.values(stockEvents),
  runCompleted,
  runFailed,
];
