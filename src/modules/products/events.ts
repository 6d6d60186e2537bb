/**
 * Events that sellers receive from the catalogue. `object_version` counts the changes of the object that the
 * event shows: the version of the product, or of its stock.
 */
import { defineEvent, type OutgoingEventDef } from '../../kernel/events.ts';
import { PRODUCT_EXAMPLE } from './schemas/examples.ts';
import { RUN_EXAMPLE } from './schemas/feed-examples.ts';
import { FeedRunSchema } from './schemas/feed-run.ts';
import { INVENTORY_EXAMPLE, Inventory } from './schemas/inventory.ts';
import { Product } from './schemas/product.ts';

type More = Pick<OutgoingEventDef, 'notification' | 'marketplace'>;

const ofProduct = (type: string, summary: string, example: object, more: More = {}): OutgoingEventDef =>
  defineEvent({
    type,
    summary,
    schema: Product,
    mayBeGone: true,
    example: { ...PRODUCT_EXAMPLE, ...example },
    ...more,
  });
const ofInventory = (type: string, summary: string, example: object, more: More = {}): OutgoingEventDef =>
  defineEvent({
    type,
    summary,
    schema: Inventory,
    mayBeGone: true,
    example: { ...INVENTORY_EXAMPLE, ...example },
    ...more,
  });
const ofRun = (type: string, summary: string, example: object, more: More = {}): OutgoingEventDef =>
  defineEvent({
    type,
    summary,
    schema: FeedRunSchema,
    mayBeGone: true,
    example: { ...RUN_EXAMPLE, ...example },
    ...more,
  });

/** What sellers change in their catalogue, the marketplace shows. */
const told = { marketplace: true } as const;

export const productEvents: readonly OutgoingEventDef[] = [
  ofProduct('product.created', 'A product was added to the catalogue', {}, told),
  ofProduct('product.updated', 'Something about a product changed', { version: 2 }, told),
  ofProduct(
    'product.deactivated',
    'A product was taken out of sale or archived',
    { status: 'inactive', version: 3 },
    told,
  ),
  ofProduct(
    'product.curation_changed',
    'The marketplace decided, or has to decide, about a product',
    {
      curation: { state: 'rejected', reasons: [{ code: 'image_quality', detail: 'The image is blurred.' }] },
      version: 2,
    },
    { notification: { severity: 'info', title: 'The review of {title} ({seller_sku}) moved on' } },
  ),
  ofProduct('product.visibility_changed', 'Buyers can find a product now, or cannot any more', {
    curation: { state: 'approved', reasons: [] },
    visible: true,
    version: 2,
  }),
];

export const stockEvents: readonly OutgoingEventDef[] = [
  ofInventory(
    'inventory.updated',
    'Units on hand, reserved units or the reorder point of a product changed',
    {},
    told,
  ),
  ofInventory(
    'inventory.low_stock',
    'The units that can be sold came down to the reorder point',
    { quantity_on_hand: 5, quantity_available: 3, low_stock: true },
    {
      notification: {
        severity: 'warning',
        title: '{title} ({seller_sku}) runs low: {quantity_available} left',
      },
    },
  ),
  ofInventory(
    'inventory.out_of_stock',
    'No unit is left that can be sold',
    { quantity_on_hand: 2, quantity_available: 0, low_stock: true },
    { notification: { severity: 'warning', title: '{title} ({seller_sku}) is sold out' } },
  ),
  ofInventory(
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
];

export const feedRunEvents: readonly OutgoingEventDef[] = [
  ofRun(
    'feed_run.completed',
    'A feed run has ended and what it accepted is in the catalogue',
    {},
    { notification: { severity: 'info', title: 'Feed run {run_id} ended: {status}' } },
  ),
  ofRun(
    'feed_run.failed',
    'A feed run has ended and changed nothing',
    { status: 'rejected' },
    { notification: { severity: 'warning', title: 'Feed run {run_id} changed nothing: {status}' } },
  ),
];

export const events: readonly OutgoingEventDef[] = [...productEvents, ...stockEvents, ...feedRunEvents];
