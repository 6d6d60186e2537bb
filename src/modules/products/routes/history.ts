import { coreErrors, fail } from '../../../kernel/errors.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { productIdOf } from '../domain/product-id.ts';
import { HistoryItem } from '../schemas/history.ts';
import { productParams } from '../schemas/parts.ts';
import { listHistory } from '../store/list-history.ts';
import { loadProduct } from '../store/load-products.ts';

export const historyRoutes = [
  pageRoute({
    id: 'products.history.list',
    path: '/{product_id}/history',
    summary: 'List the changes of a product',
    description: 'Last change first. Members, feed rows, connected stores and the marketplace make changes.',
    access: reads('catalogue'),
    params: productParams,
    schema: HistoryItem,
    example: {
      at: '2026-07-01T02:15:00.000Z',
      action: 'updated',
      version: 2,
      actor: { kind: 'member', id: 'mbr_06fh5m2k9x0001a2b3c4d5e6f7' },
      request_id: 'req_5f0c9e3b7a',
      delivery_id: null,
      run_id: null,
      row: null,
      changes: [{ field: 'price_minor', before: 2499, after: 2299 }],
    },
    errors: [coreErrors.not_found],
    read: async (ctx, { after, limit }, params) => {
      const productId = productIdOf({ product_id: params['product_id'] ?? '' });
      if ((await loadProduct(ctx, productId)) === undefined) throw fail(coreErrors.not_found);
      return listHistory(ctx, productId, after as readonly [string, string] | undefined, limit);
    },
    position: ({ at, key }) => [at, key],
    view: ({ key: _key, actor_kind: kind, actor_id: id, ...entry }) => ({ ...entry, actor: { kind, id } }),
  }),
];
