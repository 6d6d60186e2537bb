/** Bulk writes leave the objects of their events to be read when the events are read. */
import type { EventObjects } from '../../../kernel/events.ts';
import { productEvents, runCompleted, runFailed, stockEvents } from '../events.ts';
import { toWireRun } from '../schemas/feed-run.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { toWire } from '../schemas/to-wire.ts';
import { loadProductsOf, loadRunsOf, loadStocksOf } from '../store/load-event-objects.ts';

/** A run has one event, at its end. */
const RUN_VERSION = 1;

export const eventObjects: readonly EventObjects[] = [
  {
    types: Object.keys(productEvents),
    load: async (db, sellerId, ids) => {
      const products = await loadProductsOf(db, sellerId, ids);
      return new Map(products.map((one) => [one.product_id, { object: toWire(one), version: one.version }]));
    },
  },
  {
    types: Object.keys(stockEvents),
    load: async (db, sellerId, ids) => {
      const stocks = await loadStocksOf(db, sellerId, ids);
      return new Map(
        stocks.map((one) => [one.product_id, { object: inventoryToWire(one), version: one.stock_version }]),
      );
    },
  },
  {
    types: [runCompleted.type, runFailed.type],
    load: async (db, sellerId, ids) => {
      const runs = await loadRunsOf(db, sellerId, ids);
      return new Map(runs.map((one) => [one.run_id, { object: toWireRun(one), version: RUN_VERSION }]));
    },
  },
];
