import Type from 'typebox';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { dueThrough } from '../../../kernel/frame.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { mean28, type ProductSeries, readSeries, usedDays } from '../../facts/index.ts';
import { readTrading } from '../../sellers/index.ts';
import { quantityAvailable } from '../domain/visibility.ts';
import { Suggestion } from '../schemas/inventory.ts';
import { listLowStock, readIncoming } from '../store/list-inventory.ts';
import type { ListedStock } from '../store/stock-columns.ts';

const FORMULA = 'suggested_quantity = max(1, 2 × reorder_point − quantity_available)';
const FACTS = ['sales_history', 'lead_time', 'stock_history', 'recent_days'] as const;
/** Facts that some of the suggestions lack. */
const basisOf = (rows: readonly Suggested[]) => ({
  formula: FORMULA,
  missing_components: FACTS.filter((fact) => rows.some(({ lacks }) => lacks[fact])),
});

interface Suggested extends ListedStock {
  /** Two decimals; null when unknown. */
  readonly sales_per_day: number | null;
  /** Units of open purchase orders; null: there is none. */
  readonly quantity_incoming: number | null;
  readonly lacks: Readonly<Record<(typeof FACTS)[number], boolean>>;
}

const toHundredths = (value: number): number => Math.round(value * 100) / 100;

/** @param due the last day that the sales should count */
function suggestedOf(
  row: ListedStock,
  series: ProductSeries | undefined,
  defaultLead: number | null,
  due: string,
): Omit<Suggested, 'quantity_incoming'> {
  const pace = series && mean28(usedDays(series));
  const lead_time_days = row.lead_time_days ?? defaultLead;
  const lacks = {
    sales_history: !pace?.isWhole,
    lead_time: lead_time_days === null,
    stock_history: series !== undefined && (pace?.days ?? 0) > series.units.length - series.days_unknown,
    recent_days: series !== undefined && addDays(series.from, series.units.length) <= due,
  };
  return { ...row, lead_time_days, lacks, sales_per_day: pace?.isWhole ? toHundredths(pace.perDay) : null };
}

function toSuggestion(row: Suggested) {
  const quantity_available = quantityAvailable(row) ?? 0;
  const reorder_point = row.reorder_point ?? 0;
  const { sales_per_day } = row;
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    title: row.title,
    quantity_available,
    reorder_point,
    suggested_quantity: Math.max(1, 2 * reorder_point - quantity_available),
    lead_time_days: row.lead_time_days,
    sales_per_day,
    quantity_incoming: row.quantity_incoming,
    days_of_cover: sales_per_day ? Math.floor(quantity_available / sales_per_day) : null,
  };
}

export const reorderRoutes = [
  pageRoute({
    id: 'products.reorder_suggestions.list',
    path: '/reorder-suggestions',
    summary: 'List products to reorder',
    description:
      'Products whose available units are at or below their reorder point, newest first. `formula` says how the quantity is computed; `missing_components` lists the facts that some of these products lack; those fields are null, not zero.',
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
      sales_per_day: 0.25,
      quantity_incoming: null,
      days_of_cover: 8,
    },
    read: async (ctx, { after, limit }) => {
      const [rows, { default_lead_time_days }] = await Promise.all([
        listLowStock(ctx, after && String(after[0]), limit),
        readTrading(ctx),
      ]);
      const ids = rows.map(({ product_id }) => product_id);
      const [series, incoming] = await Promise.all([readSeries(ctx, ids), readIncoming(ctx, ids)]);
      const byProduct = new Map(series.map((one) => [one.product_id, one]));
      const due = dueThrough(ctx.now());
      return rows.map((row) => ({
        ...suggestedOf(row, byProduct.get(row.product_id), default_lead_time_days, due),
        quantity_incoming: incoming.get(row.product_id) ?? null,
      }));
    },
    position: ({ product_id }) => [product_id],
    view: toSuggestion,
    more: {
      properties: {
        formula: Type.String({ description: 'How `suggested_quantity` is computed' }),
        missing_components: Type.Array(Type.String(), { description: 'Facts that are unknown' }),
      },
      example: basisOf([]),
      read: async (_ctx, _filters, rows) => basisOf(await rows),
    },
  }),
];
