import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { startStream } from '../../../platform/http/start-stream.ts';
import { EXPORT_FORMATS, EXPORT_TYPES, type ExportFormat } from '../../../platform/rest/write-rows.ts';
import { exportStock } from '../actions/exports/export-inventory.ts';
import { exportNative, exportStorePlatform } from '../actions/exports/export-products.ts';
import { STORE_GENERATIONS } from '../domain/export/store-platform-export.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { SinceInstant } from '../schemas/parts.ts';

/** Long enough for the largest catalogue over a slow line. */
const EXPORT_TIMEOUT_MS = 600_000;

const access = { auth: 'seller', permission: 'catalogue:read', rate: 'export', idempotency: 'none' } as const;
const format = Type.Optional(StringEnum(EXPORT_FORMATS, { default: 'csv' }));
const contentTypes = EXPORT_FORMATS.map((name) => EXPORT_TYPES[name].split(';', 1)[0] ?? '');

async function file(
  ctx: SellerCtx,
  name: string,
  as: ExportFormat,
  stream: Parameters<SellerCtx['snapshotStream']>[0],
): Promise<RouteResult> {
  const day = new Date(ctx.now()).toISOString().slice(0, 10);
  return {
    headers: { 'content-disposition': `attachment; filename="${name}-${day}.${as}"` },
    content: {
      type: EXPORT_TYPES[as],
      data: await startStream(ctx.snapshotStream(stream) as AsyncGenerator<string>),
    },
  };
}

export const exportRoutes = [
  defineRoute({
    id: 'products.export',
    method: 'GET',
    path: '/export',
    summary: 'Export the catalogue',
    description:
      'From one snapshot, whole. The native shape has the columns of the feed contract: fed back as it is, every row is `unchanged`. The shape `store-platform` is a store platform’s own export; products that were imported from one are `unchanged` when it is imported again. Text cells that a spreadsheet would run are guarded by an apostrophe.',
    access,
    query: Type.Object({
      format,
      shape: Type.Optional(StringEnum(['native', 'store-platform'], { default: 'native' })),
      generation: Type.Optional(
        StringEnum(STORE_GENERATIONS, {
          default: 'D',
          description: 'Header of the shape `store-platform`: D of 2024, E the newer names',
        }),
      ),
      include: Type.Optional(StringEnum(['archived'], { description: 'Archived products too' })),
      status: Type.Optional(StringEnum(PRODUCT_STATUSES)),
      updated_since: Type.Optional(SinceInstant('Products changed at or after this instant')),
    }),
    tx: 'own',
    timeoutMs: EXPORT_TIMEOUT_MS,
    ok: [{ status: 200, description: 'The file, as a stream', contentTypes }],
    errors: [],
    handler: async (ctx, { query }) => {
      const { shape = 'native', generation = 'D', status, updated_since } = query;
      const as = query.format ?? 'csv';
      const filter = { include_archived: query.include === 'archived', status, updated_since };
      return file(ctx, shape === 'native' ? 'products' : 'products-store-platform', as, (db) =>
        shape === 'native' ? exportNative(db, filter, as) : exportStorePlatform(db, filter, as, generation),
      );
    },
  }),
  defineRoute({
    id: 'products.inventory.export',
    method: 'GET',
    path: '/inventory/export',
    summary: 'Export the stock of all products that are not archived',
    description:
      'From one snapshot. Columns whose names begin with an underscore are notes: `POST /products/inventory/import` passes them over.',
    access,
    query: Type.Object({ format }),
    tx: 'own',
    timeoutMs: EXPORT_TIMEOUT_MS,
    ok: [{ status: 200, description: 'The file, as a stream', contentTypes }],
    errors: [],
    handler: async (ctx, { query }) => {
      const as = query.format ?? 'csv';
      return file(ctx, 'inventory', as, (db) => exportStock(db, as));
    },
  }),
];
