import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { described, StringEnum } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import { exportNative, exportStock, exportStorePlatform } from '../actions/export-rows.ts';
import { resumeSince } from '../actions/resume-since.ts';
import { STORE_GENERATIONS } from '../domain/export/store-platform-export.ts';
import { ProductStatus } from '../schemas/enums.ts';
import { PRODUCT_EXPORT_MEDIA, STOCK_EXPORT_MEDIA } from '../schemas/feed-files.ts';
import { SinceInstant } from '../schemas/parts.ts';
import { mediaUrl } from '../settings.ts';

const formats = ['csv', 'json', 'jsonl'] as const;
const day = (ctx: { now(): number }): string => sydneyDate(ctx.now());

export const exportRoutes = [
  fileRoute({
    id: 'products.export',
    path: '/export',
    summary: 'Export the catalogue',
    description:
      'Returns the whole catalogue from one snapshot. The shape `native` has the columns of the feed contract: sent back as a feed, every row is `unchanged`. The shape `store-platform` has the columns of a store platform’s own export: products that were imported from such an export are `unchanged` when you import it again. An apostrophe precedes text cells that a spreadsheet would run as a formula.',
    access: reads('catalogue'),
    formats,
    media: PRODUCT_EXPORT_MEDIA,
    query: {
      shape: Type.Optional(
        StringEnum(['native', 'store-platform'], { default: 'native', description: 'Columns of the file' }),
      ),
      generation: Type.Optional(
        StringEnum(STORE_GENERATIONS, {
          default: 'D',
          description:
            'Header of the shape `store-platform`: D has the column names of 2024, E the newer ones',
        }),
      ),
      include: Type.Optional(
        StringEnum(['archived'], { description: '`archived` includes archived products' }),
      ),
      status: Type.Optional(described('Products with this status', ProductStatus)),
      updated_since: Type.Optional(SinceInstant('Products changed at or after this instant')),
    },
    resume: resumeSince,
    open: (ctx, db, { query, format }) => {
      const at = { db, seller_id: ctx.seller_id };
      const { shape = 'native', generation = 'D', status, updated_since } = query;
      const filter = { include_archived: query.include === 'archived', status, updated_since };
      return shape === 'native'
        ? { name: `products-${day(ctx)}`, text: exportNative(at, filter, format, mediaUrl(ctx.config)) }
        : {
            name: `products-store-platform-${day(ctx)}`,
            text: exportStorePlatform(at, filter, { format, generation, mediaUrl: mediaUrl(ctx.config) }),
          };
    },
  }),
  fileRoute({
    id: 'products.inventory.export',
    path: '/inventory/export',
    summary: 'Export the stock of all products that are not archived',
    description:
      'Returns the stock from one snapshot. Columns whose names begin with an underscore are notes; `POST /products/inventory/import` ignores them.',
    access: reads('catalogue'),
    formats,
    media: STOCK_EXPORT_MEDIA,
    open: (ctx, db, { format }) => ({
      name: `inventory-${day(ctx)}`,
      text: exportStock({ db, seller_id: ctx.seller_id }, format),
    }),
  }),
];
