import Type from 'typebox';
import { readWindow } from '../../../kernel/australia/day-window.ts';
import type { Period } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { minor } from '../../../kernel/money.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { firstLineDays, NO_SKU, orderSums, skusSold } from '../../account/index.ts';
import { type AccountScope, accountList, Day } from '../../reconciliation/index.ts';
import { ordersWithCosts } from '../actions/read-costs.ts';
import { addOrder, type SkuTotal } from '../domain/by-sku.ts';
import { type Amounts, NO_AMOUNTS } from '../domain/components.ts';
import { NOTHING_KNOWN } from '../domain/costs.ts';
import { componentFields, componentsJson, frameOf, sumFields, sumsJson } from '../schemas/components.ts';
import { otherCurrencies } from '../store/order-costs.ts';

const CONTRACT = 'profitability.skus.v1';
const frame = frameOf(CONTRACT);
/** All orders of a year of a large seller may be read. */
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

const rowJson = (sku: string | null, { orders, units, amounts, ...known }: SkuTotal) => ({
  sku,
  order_count: orders,
  unit_count: units,
  ...sumsJson(amounts, known),
  ...componentsJson(amounts, known),
});

const SOLD: Amounts = {
  ...NO_AMOUNTS,
  gross: minor(5_985),
  platform_fee: minor(-599),
  seller_order_fee: minor(-26),
  payment_processing: minor(-131),
};

/** The figures of some SKUs, from all orders that have sold one of them. */
async function totalsOf(
  of: AccountScope,
  days: Period,
  skus: readonly string[],
): Promise<ReadonlyMap<string | null, SkuTotal>> {
  const totals = new Map<string | null, SkuTotal>();
  const wanted = skus.includes(NO_SKU) ? undefined : skus;
  if (skus.length > 0)
    for await (const { parts, costs } of ordersWithCosts(of, orderSums(of, days, { skus: wanted })))
      addOrder(
        totals,
        parts,
        parts.every(({ fee_captured }) => fee_captured),
        costs,
      );
  return totals;
}

export const skuRoutes = [
  accountList({
    id: 'profitability.skus.list',
    path: '/skus',
    summary: 'List the known and missing costs of each SKU',
    description:
      'Covers the orders whose first line counts within the window; the window defaults to the last thirty days. Amounts of a whole order are shared over its lines in proportion to their sales. Sorted by SKU. All SKUs together have the same sums as the orders of `GET /profitability/components`.',
    timeoutMs: TIMEOUT_MS,
    contract: CONTRACT,
    filters: firstLineDays,
    schema: Row,
    example: rowJson('TIN-S', { orders: 1, units: 3, amounts: SOLD, captured: true, covered: NOTHING_KNOWN }),
    more: {
      properties: {
        window: Type.Object(
          { from: Day('First day'), to: Day('Last day, included') },
          { description: 'The days that the figures cover' },
        ),
        ...frame.properties,
      },
      example: { window: { from: '2026-07-01', to: '2026-07-30' }, ...frame.example },
    },
    accept: ({ from, to }, now) => readWindow(from, to, sydneyDate(now)),
    read: (of, days, after, limit) =>
      skusSold(of, days, after === undefined ? null : String(after[0]), limit + 1),
    position: (sku) => [sku],
    show: async (skus, of, days) => {
      const totals = await totalsOf(of, days, skus);
      const others = await otherCurrencies(of, days);
      const data = skus.flatMap((sku) => {
        const name = sku === NO_SKU ? null : sku;
        const total = totals.get(name);
        return total === undefined ? [] : [rowJson(name, total)];
      });
      return { data, window: { from: days.start, to: days.end }, ...frame.of(data, others) };
    },
  }),
];
