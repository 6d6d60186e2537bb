import Type from 'typebox';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { readTrading } from '../../sellers/index.ts';
import type { StockRow } from '../domain/product.ts';
import { quantityAvailable } from '../domain/visibility.ts';
import { Suggestion } from '../schemas/inventory.ts';
import { listLowStock } from '../store/list-inventory.ts';

/** Without a sales history the reorder point is the only known measure of demand. */
const FORMULA = 'suggested_quantity = max(1, 2 × reorder_point − quantity_available)';
/** Facts that the suggestions lack: the lead time of products is known when the seller has set one. */
const basisOf = (rows: readonly Suggested[]) => ({
  formula: FORMULA,
  missing_components: [
    'sales_history',
    ...(rows.some(({ lead_time_days }) => lead_time_days === null) ? ['lead_time'] : []),
  ],
});

interface Suggested extends StockRow {
  readonly lead_time_days: number | null;
}

function toSuggestion(row: Suggested) {
  const quantity_available = quantityAvailable(row) ?? 0;
  const reorder_point = row.reorder_point ?? 0;
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    quantity_available,
    reorder_point,
    suggested_quantity: Math.max(1, 2 * reorder_point - quantity_available),
    lead_time_days: row.lead_time_days,
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
      'Products whose available units are at or below their reorder point, newest first. `formula` says how the quantity is computed; `missing_components` lists the facts that are unknown. Without a sales history the days of cover are null, not zero.',
    access: reads('catalogue'),
    schema: Suggestion,
    example: {
      product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
      seller_sku: 'MUG-BLU',
      title: 'Blue stoneware mug, 350 ml',
      quantity_available: 2,
      reorder_point: 3,
      suggested_quantity: 4,
      lead_time_days: 14,
      sales_per_day: null,
      days_of_cover: null,
    },
    read: async (ctx, { after, limit }) => {
      const [rows, { default_lead_time_days: lead_time_days }] = await Promise.all([
        listLowStock(ctx, after && String(after[0]), limit),
        readTrading(ctx),
      ]);
      return rows.map((row): Suggested => ({ ...row, lead_time_days }));
    },
    position: ({ product_id }) => [product_id],
    view: toSuggestion,
    more: {
      properties: {
        formula: Type.String({ description: 'How `suggested_quantity` is computed' }),
        missing_components: Type.Array(Type.String(), { description: 'Facts that are unknown' }),
      },
      example: basisOf([]),
      read: async (_ctx, _filters, rows) => basisOf(rows),
    },
  }),
];
