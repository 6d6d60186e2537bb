/**
 * Events that sellers receive from the catalogue. `object_version` counts the changes of the object that the
 * event shows: the version of the product, or of its stock.
 */
import { defineEvent, type OutgoingEventDef } from '../../kernel/events.ts';
import { PRODUCT_EXAMPLE } from './schemas/examples.ts';
import { INVENTORY_EXAMPLE, Inventory } from './schemas/inventory.ts';
import { Product } from './schemas/product.ts';

const ofProduct = (type: string, summary: string, example: object = {}): OutgoingEventDef =>
  defineEvent({ type, summary, schema: Product, example: { ...PRODUCT_EXAMPLE, ...example } });
const ofInventory = (type: string, summary: string, example: object = {}): OutgoingEventDef =>
  defineEvent({ type, summary, schema: Inventory, example: { ...INVENTORY_EXAMPLE, ...example } });

export const events: readonly OutgoingEventDef[] = [
  ofProduct('product.created', 'A product was added to the catalogue'),
  ofProduct('product.updated', 'Something about a product changed', { version: 2 }),
  ofProduct('product.deactivated', 'A product was taken out of sale or archived', {
    status: 'inactive',
    version: 3,
  }),
  ofProduct('product.curation_changed', 'The marketplace decided, or has to decide, about a product', {
    curation: { state: 'rejected', reasons: [{ code: 'image_quality', detail: 'The image is blurred.' }] },
    version: 2,
  }),
  ofProduct('product.visibility_changed', 'Buyers can find a product now, or cannot any more', {
    curation: { state: 'approved', reasons: [] },
    visible: true,
    version: 2,
  }),
  ofInventory('inventory.updated', 'Units on hand or the reorder point of a product changed'),
  ofInventory('inventory.low_stock', 'The units that can be sold came down to the reorder point', {
    quantity_on_hand: 5,
    quantity_available: 3,
    low_stock: true,
  }),
  ofInventory('inventory.out_of_stock', 'No unit is left that can be sold', {
    quantity_on_hand: 2,
    quantity_available: 0,
    low_stock: true,
  }),
];
