import Type from 'typebox';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { StockRow } from '../domain/product.ts';
import { quantityAvailable } from '../domain/visibility.ts';
import { Suggestion } from '../schemas/inventory.ts';
import { listLowStock } from '../store/list-inventory.ts';

/** Without a sales history the reorder point is the only known measure of demand. */
const FORMULA = 'suggested_quantity = max(1, 2 × reorder_point − quantity_available)';
const basis = { formula: FORMULA, missing_components: ['sales_history', 'lead_time'] };

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
  pageRoute({
    id: 'products.reorder_suggestions.list',
    path: '/reorder-suggestions',
    summary: 'List products to reorder',
    description:
      'Products whose available units have come down to their reorder point, the newest first. `formula` is the rule for the quantity, `missing_components` names the unknown facts: without a sales history the days of cover are null, not zero.',
    access: reads('catalogue'),
    schema: Suggestion,
    example: {
      product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
      seller_sku: 'MUG-BLU',
      title: 'Blue stoneware mug, 350 ml',
      quantity_available: 2,
      reorder_point: 3,
      suggested_quantity: 4,
      sales_per_day: null,
      days_of_cover: null,
    },
    read: ({ db }, { after, limit }) => listLowStock(db, after && String(after[0]), limit),
    position: ({ product_id }) => [product_id],
    view: toSuggestion,
    more: {
      properties: {
        formula: Type.String({ description: 'Rule for the suggested quantity' }),
        missing_components: Type.Array(Type.String(), { description: 'Facts that are not known' }),
      },
      example: basis,
      read: async () => basis,
    },
  }),
];
