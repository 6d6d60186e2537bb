import Type from 'typebox';
import { described, StringEnum } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import { exportNative, exportStock, exportStorePlatform } from '../actions/export-rows.ts';
import { STORE_GENERATIONS } from '../domain/export/store-platform-export.ts';
import { ProductStatus } from '../schemas/enums.ts';
import { PRODUCT_EXPORT_MEDIA, STOCK_EXPORT_MEDIA } from '../schemas/feed-files.ts';
import { SinceInstant } from '../schemas/parts.ts';

const formats = ['csv', 'json', 'jsonl'] as const;
const day = (ctx: { at(): string }): string => ctx.at().slice(0, 10);

export const exportRoutes = [
  fileRoute({
    id: 'products.export',
    path: '/export',
    summary: 'Export the catalogue',
    description:
      'The whole catalogue from one snapshot. The native shape has the columns of the feed contract: fed back as it is, every row is `unchanged`. The shape `store-platform` is a store platform’s own export; products that were imported from one are `unchanged` when it is imported again. An apostrophe guards text cells that a spreadsheet would run as a formula.',
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
          description: 'Header of the shape `store-platform`: D of 2024, E the newer names',
        }),
      ),
      include: Type.Optional(StringEnum(['archived'], { description: '`archived`: archived products too' })),
      status: Type.Optional(described('Products in this state', ProductStatus)),
      updated_since: Type.Optional(SinceInstant('Products changed at or after this instant')),
    },
    open: (ctx, db, { query, format }) => {
      const { shape = 'native', generation = 'D', status, updated_since } = query;
      const filter = { include_archived: query.include === 'archived', status, updated_since };
      return shape === 'native'
        ? { name: `products-${day(ctx)}`, text: exportNative(db, filter, format) }
        : {
            name: `products-store-platform-${day(ctx)}`,
            text: exportStorePlatform(db, filter, format, generation),
          };
    },
  }),
  fileRoute({
    id: 'products.inventory.export',
    path: '/inventory/export',
    summary: 'Export the stock of all products that are not archived',
    description:
      'From one snapshot. Columns whose names begin with an underscore are notes, which `POST /products/inventory/import` ignores.',
    access: reads('catalogue'),
    formats,
    media: STOCK_EXPORT_MEDIA,
    open: (ctx, db, { format }) => ({ name: `inventory-${day(ctx)}`, text: exportStock(db, format) }),
  }),
];
