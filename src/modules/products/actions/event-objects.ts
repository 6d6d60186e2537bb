/** Loads the objects of events that bulk writes stored without them. */
import type { EventObjects } from '../../../kernel/events.ts';
import { productEvents, runCompleted, runFailed, stockEvents } from '../events.ts';
import { toWireRun } from '../schemas/feed-run.ts';
import { inventoryToWire } from '../schemas/inventory-to-wire.ts';
import { toWire } from '../schemas/to-wire.ts';
import { loadProductsOf, loadRunsOf, loadStocksOf } from '../store/load-event-objects.ts';
import { shopOf } from './shop-of.ts';

/** A run has one event, at its end. */
const RUN_VERSION = 1;

export const eventObjects: readonly EventObjects[] = [
  {
    types: Object.keys(productEvents),
    load: async (db, sellerId, ids, services) => {
      const [products, shop] = await Promise.all([
        loadProductsOf(db, sellerId, ids),
        shopOf({ db, seller_id: sellerId, ...services }),
      ]);
      return new Map(
        products.map((one) => [one.product_id, { object: toWire(one, shop), version: one.version }]),
      );
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
