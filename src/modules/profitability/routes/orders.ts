import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { minor } from '../../../kernel/money.ts';
import { Nullable, PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { type EntryPosition, type OrderStatement, pageOfOrders } from '../../account/index.ts';
import { accountScope, currencyQuery, Day, figures } from '../../reconciliation/index.ts';
import { type Amounts, NO_AMOUNTS, shareOverLines, sumLines } from '../domain/components.ts';
import {
  componentFields,
  componentsJson,
  frameExample,
  frameFields,
  frameJson,
  sumFields,
  sumsJson,
} from '../schemas/components.ts';
import { skuRoutes } from './skus.ts';

const CONTRACT = 'profitability.components.v1';

const Row = Type.Object(
  {
    order_id: Type.String(),
    ...sumFields,
    ...componentFields,
    lines: Type.Array(
      Type.Object(
        { order_line_id: Type.String(), sku: Nullable(Type.String()), ...sumFields },
        { title: 'ProfitabilityLine', description: 'The share of an order line.' },
      ),
      { description: 'What concerns the whole order is shared over them by what they sold for' },
    ),
  },
  { title: 'OrderProfitability', description: 'What an order brought and cost.' },
);

function rowJson({ order_id, lines, fee_captured }: OrderStatement) {
  const amounts = sumLines(lines);
  return {
    order_id,
    ...sumsJson(amounts),
    ...componentsJson(amounts, fee_captured),
    lines: shareOverLines(lines).map((line) => ({
      order_line_id: line.order_line_id,
      sku: line.sku,
      ...sumsJson(line.amounts),
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
const EXAMPLE = {
  order_id: 'ord_1004',
  ...sumsJson(SOLD),
  ...componentsJson(SOLD, false),
  lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', sku: 'TIN-S', ...sumsJson(SOLD) }],
};
const Text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const components = defineRoute({
  id: 'profitability.components.list',
  method: 'GET',
  path: '/components',
  summary: 'What is known of the costs of each order, line by line, and what is not',
  description:
    'A margin is shown only when every component is known. Costs outside the marketplace are not known to it.',
  access: { auth: 'seller', permission: 'finance:read', rate: 'read', idempotency: 'none' },
  ...figures,
  query: Type.Object({
    order_id: Text('This order only'),
    sku: Text('Orders with a line of exactly this SKU'),
    from: Type.Optional(Day('The order’s first line counts on this day or later')),
    to: Type.Optional(Day('The order’s first line counts on this day or earlier')),
    ...currencyQuery,
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page of orders',
      schema: Page(Row, {
        ...frameFields,
      }),
      example: {
        data: [EXAMPLE],
        page: { limit: 50, next_cursor: null, has_more: false },
        ...frameExample(CONTRACT),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, currency: asked, ...filter } = query;
    requireDays({ from: filter.from, to: filter.to });
    const of = await accountScope(ctx, asked);
    const { sellerId, currency } = of;
    const { cursors } = ctx.services;
    const filters = { ...filter, currency };
    const scope = { seller_id: sellerId, route: 'profitability.components.list', filters };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as EntryPosition);
    const { orders, next } = await pageOfOrders(of, filter, after, limit);
    return {
      body: {
        data: orders.map(rowJson),
        page: {
          limit,
          next_cursor: next === undefined ? null : cursors.encode(scope, next),
          has_more: next !== undefined,
        },
        ...(await frameJson(of, CONTRACT)),
      },
    };
  },
});

export const routes = [components, ...skuRoutes];
