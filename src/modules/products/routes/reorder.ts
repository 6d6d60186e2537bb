import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import type { StockRow } from '../domain/product.ts';
import { quantityAvailable } from '../domain/visibility.ts';
import { SuggestionPage } from '../schemas/inventory.ts';
import { listLowStock } from '../store/list-inventory.ts';

/** Without sales nothing says how fast units go: the reorder point is all that the seller has told. */
const FORMULA = 'suggested_quantity = max(1, 2 × reorder_point − quantity_available)';
const MISSING = ['sales_history', 'lead_time'];

function toSuggestion(row: StockRow) {
  const quantity_available = quantityAvailable(row) ?? 0;
  const reorder_point = row.reorder_point ?? 0;
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    quantity_available,
    reorder_point,
    suggested_quantity: Math.max(1, 2 * reorder_point - quantity_available),
    sales_per_day: null,
    days_of_cover: null,
  };
}

export const reorderRoutes = [
  defineRoute({
    id: 'products.reorder_suggestions.list',
    method: 'GET',
    path: '/reorder-suggestions',
    summary: 'Products to order again',
    description:
      'Products whose available units have come down to their reorder point. `formula` says how the quantity was found, `missing_components` what was not known: without a sales history the days of cover are null, not zero.',
    access: { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'none' },
    query: Type.Object(pageQuery),
    ok: [
      {
        status: 200,
        description: 'One page, newest product first',
        schema: SuggestionPage,
        example: {
          data: [
            {
              product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
              seller_sku: 'MUG-BLU',
              title: 'Blue stoneware mug, 350 ml',
              quantity_available: 2,
              reorder_point: 3,
              suggested_quantity: 4,
              sales_per_day: null,
              days_of_cover: null,
            },
          ],
          page: { limit: 50, next_cursor: null, has_more: false },
          formula: FORMULA,
          missing_components: MISSING,
        },
      },
    ],
    errors: [],
    handler: async (ctx, { query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
      const { cursors } = ctx.services;
      const scope = {
        seller_id: ctx.seller.seller_id,
        route: 'products.reorder_suggestions.list',
        filters: {},
      };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listLowStock(ctx.db, before, limit);
      const { data, page } = pageOf(rows, limit, ({ product_id }) => cursors.encode(scope, [product_id]));
      return { body: { data: data.map(toSuggestion), page, formula: FORMULA, missing_components: MISSING } };
    },
  }),
];
