import Type from 'typebox';
import { readWindow } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { minor } from '../../../kernel/money.ts';
import { Nullable, PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { NO_SKU, type OrdersOfDays, orderSums, skusSold } from '../../account/index.ts';
import { accountScope, currencyQuery, Day, figures } from '../../reconciliation/index.ts';
import { addOrder, type SkuTotal } from '../domain/by-sku.ts';
import { type Amounts, NO_AMOUNTS } from '../domain/components.ts';
import {
  componentFields,
  componentsJson,
  frameExample,
  frameFields,
  frameJson,
  sumFields,
  sumsJson,
} from '../schemas/components.ts';

const CONTRACT = 'profitability.skus.v1';
/** A year of a large seller is read order by order. */
const TIMEOUT_MS = 120_000;

const Row = Type.Object(
  {
    sku: Nullable(Type.String({ description: 'null: shipping, and orders without a sale' })),
    order_count: Type.Integer({ description: 'Orders with a sale of it' }),
    unit_count: Type.Integer({ description: 'Units delivered' }),
    ...sumFields,
    ...componentFields,
  },
  { title: 'SkuProfitability', description: 'What a SKU brought and cost.' },
);

const rowJson = (sku: string | null, { orders, units, amounts, captured }: SkuTotal) => ({
  sku,
  order_count: orders,
  unit_count: units,
  ...sumsJson(amounts),
  ...componentsJson(amounts, captured),
});

const SOLD: Amounts = {
  ...NO_AMOUNTS,
  gross: minor(5_985),
  platform_fee: minor(-599),
  seller_order_fee: minor(-26),
  payment_processing: minor(-131),
};

/** The figures of some SKUs, from every order with a sale of one of them. */
async function totalsOf(
  db: CursorDb,
  of: OrdersOfDays,
  skus: readonly string[],
): Promise<ReadonlyMap<string | null, SkuTotal>> {
  const totals = new Map<string | null, SkuTotal>();
  const every = skus.includes(NO_SKU);
  if (skus.length > 0)
    for await (const parts of orderSums(db, of, every ? null : skus))
      addOrder(
        totals,
        parts,
        parts.every(({ fee_captured }) => fee_captured),
      );
  return totals;
}

const list = defineRoute({
  id: 'profitability.skus.list',
  method: 'GET',
  path: '/skus',
  summary: 'What is known of the costs of each SKU, and what is not',
  description:
    'Orders whose first line counts within the window, by default the last thirty days; what concerns a whole order is shared over its lines by what they sold for. In the order of the SKUs; all of them sum to the orders of `GET /profitability/components`.',
  access: { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' },
  ...figures,
  timeoutMs: TIMEOUT_MS,
  query: Type.Object({
    from: Type.Optional(Day('The order’s first line counts on this day or later')),
    to: Type.Optional(Day('The order’s first line counts on this day or earlier')),
    ...currencyQuery,
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page of SKUs',
      schema: Page(Row, {
        window: Type.Object(
          { from: Day('First day'), to: Day('Last day, included') },
          { description: 'The days that the figures cover' },
        ),
        ...frameFields,
      }),
      example: {
        data: [rowJson('TIN-S', { orders: 1, units: 3, amounts: SOLD, captured: true })],
        page: { limit: 50, next_cursor: null, has_more: false },
        window: { from: '2026-07-01', to: '2026-07-30' },
        ...frameExample(CONTRACT),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor } = query;
    const window = readWindow(query.from, query.to, sydneyDate(ctx.now()));
    const asked = await accountScope(ctx, query.currency);
    const { sellerId, currency } = asked;
    const of = { sellerId, currency, ...window };
    const { cursors } = ctx.services;
    const filters = { ...window, currency };
    const scope = { seller_id: sellerId, route: 'profitability.skus.list', filters };
    const after = cursor === undefined ? null : String(cursors.decode(scope, cursor)[0]);
    const found = await skusSold(ctx.db, of, after, limit + 1);
    const { data: skus, page } = pageOf(found, limit, (sku) => cursors.encode(scope, [sku]));
    const totals = await totalsOf(ctx.db, of, skus);
    return {
      body: {
        data: skus.flatMap((sku) => {
          const name = sku === NO_SKU ? null : sku;
          const total = totals.get(name);
          return total === undefined ? [] : [rowJson(name, total)];
        }),
        page,
        window: { from: window.start, to: window.end },
        ...(await frameJson(asked, CONTRACT)),
      },
    };
  },
});

export const skuRoutes = [list];
