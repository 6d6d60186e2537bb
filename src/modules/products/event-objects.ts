/** Feeds write many events at once and leave their objects to be read when somebody reads the events. */
import type { EventObjects } from '../../kernel/events.ts';
import { feedRunEvents, productEvents, stockEvents } from './events.ts';
import { toWireRun } from './schemas/feed-run.ts';
import { inventoryToWire } from './schemas/inventory-to-wire.ts';
import { toWire } from './schemas/to-wire.ts';
import { loadProductsOf, loadRunsOf, loadStocksOf } from './store/load-event-objects.ts';

/** A run has one end: its event shows the only version that anybody is told of. */
const RUN_VERSION = 1;

const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

export const eventObjects: readonly EventObjects[] = [
  {
    types: typesOf(productEvents),
    load: async (db, sellerId, ids) => {
      const products = await loadProductsOf(db, sellerId, ids);
      return new Map(
        products.map((one) => [one.product_id, { object: toWire(one), version: one.version }] as const),
      );
    },
  },
  {
    types: typesOf(stockEvents),
    load: async (db, sellerId, ids) => {
      const stocks = await loadStocksOf(db, sellerId, ids);
      return new Map(
        stocks.map(
          (one) => [one.product_id, { object: inventoryToWire(one), version: one.stock_version }] as const,
        ),
      );
    },
  },
  {
    types: typesOf(feedRunEvents),
    load: async (db, sellerId, ids) => {
      const runs = await loadRunsOf(db, sellerId, ids);
      return new Map(
        runs.map((one) => [one.run_id, { object: toWireRun(one), version: RUN_VERSION }] as const),
      );
    },
  },
];
