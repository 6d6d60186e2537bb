import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { productIdOf } from '../domain/product-id.ts';
import { HistoryPage } from '../schemas/history.ts';
import { productParams } from '../schemas/parts.ts';
import { type HistoryEntry, listHistory } from '../store/list-history.ts';
import { loadProduct } from '../store/load-products.ts';

const toWire = (entry: HistoryEntry) => ({
  at: entry.at,
  action: entry.action,
  version: entry.version,
  actor: { kind: entry.actor_kind, id: entry.actor_id },
  request_id: entry.request_id,
  run_id: entry.run_id,
  row: entry.row,
  changes: entry.changes,
});

export const historyRoutes = [
  defineRoute({
    id: 'products.history.list',
    method: 'GET',
    path: '/{product_id}/history',
    summary: 'Who changed what about a product',
    description: 'The last change first: by members, by rows of feeds, by the marketplace.',
    access: { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'none' },
    params: productParams,
    query: Type.Object(pageQuery),
    ok: [
      {
        status: 200,
        description: 'One page',
        schema: HistoryPage,
        example: {
          data: [
            {
              at: '2026-07-01T02:15:00.000Z',
              action: 'updated',
              version: 2,
              actor: { kind: 'member', id: 'mbr_06fh5m2k9x0001a2b3c4d5e6f7' },
              request_id: 'req_5f0c9e3b7a',
              run_id: null,
              row: null,
              changes: [{ field: 'price_minor', before: 2499, after: 2299 }],
            },
          ],
          page: { limit: 50, next_cursor: null, has_more: false },
        },
      },
    ],
    errors: [coreErrors.not_found],
    handler: async (ctx, { params, query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
      const product_id = productIdOf(params);
      const scope = {
        seller_id: ctx.seller.seller_id,
        route: 'products.history.list',
        filters: { product_id },
      };
      const after =
        cursor === undefined
          ? undefined
          : (ctx.services.cursors.decode(scope, cursor) as readonly [string, string]);
      if ((await loadProduct(ctx.db, product_id)) === undefined) throw fail(coreErrors.not_found);
      const rows = await listHistory(ctx.db, product_id, after, limit);
      const { data, page } = pageOf(rows, limit, ({ at, key }) =>
        ctx.services.cursors.encode(scope, [at, key]),
      );
      return { body: { data: data.map(toWire), page } };
    },
  }),
];
