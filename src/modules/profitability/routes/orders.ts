import Type from 'typebox';
import { minor } from '../../../kernel/money.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { firstLineDays, type OrderSum, orderList, sumsOfOrders } from '../../account/index.ts';
import { acceptDays, accountList } from '../../reconciliation/index.ts';
import { costReader } from '../actions/read-costs.ts';
import { type Amounts, NO_AMOUNTS, shareOverLines, sumLines } from '../domain/components.ts';
import { costParts, coverageOf, NOTHING_KNOWN, type OrderCosts } from '../domain/costs.ts';
import { componentFields, componentsJson, frameOf, sumFields, sumsJson } from '../schemas/components.ts';
import { otherCurrencies } from '../store/order-costs.ts';
import { coverageRoutes } from './coverage.ts';
import { skuRoutes } from './skus.ts';
import { unitCostRoutes } from './unit-costs.ts';

const CONTRACT = 'profitability.components.v1';
const frame = frameOf(CONTRACT);

const Row = Type.Object(
  {
    order_id: Type.String(),
    order_number: Nullable(Type.String()),
    ...sumFields,
    ...componentFields,
    lines: Type.Array(
      Type.Object(
        { order_line_id: Type.String(), sku: Nullable(Type.String()), ...sumFields },
        { title: 'ProfitabilityLine', description: 'The share of an order line.' },
      ),
      { description: 'Amounts of the whole order are shared over them in proportion to their sales' },
    ),
  },
  { title: 'OrderProfitability', description: 'What an order brought and cost.' },
);

function rowJson(order_id: string, sums: readonly OrderSum[], costs: OrderCosts | undefined) {
  const all = [...sums, ...costParts(costs)];
  const amounts = sumLines(all);
  const { order_number = null, fee_captured = false } = sums[0] ?? {};
  const known = { captured: fee_captured, covered: coverageOf(costs, null) };
  return {
    order_id,
    order_number,
    ...sumsJson(amounts, known),
    ...componentsJson(amounts, known),
    lines: shareOverLines(all).map((line) => ({
      order_line_id: line.order_line_id,
      sku: line.sku,
      ...sumsJson(line.amounts, { covered: coverageOf(costs, line.order_line_id) }),
    })),
  };
}

/** An order of one line whose provider’s fee was not reported. */
const SOLD: Amounts = {
  ...NO_AMOUNTS,
  gross: minor(5_985),
  platform_fee: minor(-599),
  seller_order_fee: minor(-30),
};
const UNKNOWN = { captured: false, covered: NOTHING_KNOWN };
const Text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const components = accountList({
  id: 'profitability.components.list',
  path: '/components',
  summary: 'List the known and missing costs of each order, line by line',
  description:
    'The costs of goods and freight are those that you enter under `unit-costs` and `order-costs`. A margin is shown only when they are known for every unit.',
  contract: CONTRACT,
  filters: {
    order_id: Text('Only this order'),
    sku: Text('Orders with a line of exactly this SKU'),
    ...firstLineDays,
  },
  schema: Row,
  example: {
    order_id: 'ord_1004',
    order_number: '1004',
    ...sumsJson(SOLD, UNKNOWN),
    ...componentsJson(SOLD, UNKNOWN),
    lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', sku: 'TIN-S', ...sumsJson(SOLD, UNKNOWN) }],
  },
  more: frame,
  accept: acceptDays,
  ...orderList,
  show: async (rows, of, { from, to }) => {
    const ids = rows.map(({ order_id }) => order_id);
    const sums = await sumsOfOrders(of, ids);
    const read = await costReader(of);
    const orders = ids.map((order_id) => ({ order_id, posted: sums.get(order_id) ?? [] }));
    const costs = await read(orders);
    const data = orders.map(({ order_id, posted }) => rowJson(order_id, posted, costs.get(order_id)));
    const others = await otherCurrencies(of, { start: from, end: to });
    return { data, ...frame.of(data, others) };
  },
});

export const routes = [components, ...skuRoutes, ...unitCostRoutes, ...coverageRoutes];
