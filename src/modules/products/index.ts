/** The products and the stock of a seller: see README.md. */
import { defineModule } from '../../kernel/route.ts';
import { eventObjects } from './actions/event-objects.ts';
import { events } from './events.ts';
import { curationDecided } from './intake/curation-decided.ts';
import { searchLoop } from './jobs/search-loop.ts';
import { jobs } from './jobs.ts';
import { counters } from './metrics.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { catalogueReadRoutes } from './routes/catalogue-reads.ts';
import { catalogueWriteRoutes } from './routes/catalogue-writes.ts';
import { exportRoutes } from './routes/exports.ts';
import { feedRoutes } from './routes/feed-runs.ts';
import { historyRoutes } from './routes/history.ts';
import { identityRoutes } from './routes/identity.ts';
import { imageRoutes } from './routes/images.ts';
import { profileRoutes } from './routes/import-profiles.ts';
import { inventoryRoutes } from './routes/inventory.ts';
import { mediaRoutes } from './routes/media.ts';
import { reorderRoutes } from './routes/reorder.ts';
import { productSettings } from './settings.ts';

export {
  beginChannelRun,
  type ChannelRun,
  failChannelRun,
  fillChannelRun,
  findApplyingRun,
  findChannelRun,
  type ImportedRow,
  isReverted,
  lastImportOf,
  noteRowsRead,
  readChannelRows,
  readChannelRun,
  revertedProducts,
} from './actions/feeds/channel-runs.ts';
export { CHANNEL_RUN_JOB } from './actions/feeds/run-end.ts';
export { changeStockSource, moveStock, reserveStock, setUnits } from './actions/move-stock.ts';
export { findStoreProducts, type StoreMatch } from './actions/store-rows/find-store-products.ts';
export { readStoreRows } from './actions/store-rows/read-store-rows.ts';
export { type WrittenStoreRow, writeStoreRows } from './actions/store-rows/write-store-rows.ts';
export { writeProduct } from './actions/write-product.ts';
export type { StoredProduct } from './domain/product.ts';
export type { FeedRow } from './domain/row.ts';
export { errors as productErrors } from './errors.ts';
export { readBody as readProductBody } from './routes/read-body.ts';
export { FindingSeverity } from './schemas/enums.ts';
export { RUN_EXAMPLE } from './schemas/feed-examples.ts';
export { FeedRunSchema } from './schemas/feed-run.ts';
export { holdProducts, loadByIds as productsById } from './store/load-products.ts';
export { STOCK_JOB } from './store/offer-stock.ts';
export { availableUnits, holdStock, productsBySku, type SkuProduct } from './store/stock-moves.ts';

export const productsModule = defineModule({
  name: 'products',
  base: '/products',
  title: 'Products',
  summary: 'Catalogue, images, bulk operations, inventory, reorder points',
  availability: 'available',
  ids: ['prd_', 'img_', 'frn_'],
  settings: productSettings,
  routes: [
    ...catalogueReadRoutes,
    ...catalogueWriteRoutes,
    ...bulkRoutes,
    ...identityRoutes,
    ...historyRoutes,
    ...imageRoutes,
    ...mediaRoutes,
    ...exportRoutes,
    ...inventoryRoutes,
    ...reorderRoutes,
    ...feedRoutes,
    ...profileRoutes,
  ],
  events,
  eventObjects,
  jobs,
  loops: [searchLoop],
  systemReasons: ['public-image', 'search-index'],
  marketplaceEvents: [curationDecided],
  counters,
});
