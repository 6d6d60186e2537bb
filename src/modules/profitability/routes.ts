import Type from 'typebox';
import { currencyExponent, minorToJson, negated, sumMinor } from '../../kernel/money.ts';
import { Nullable, PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../kernel/schema.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import {
  Amount,
  currencyQuery,
  Day,
  described,
  describeFigures,
  figures,
  type LinePosition,
  metadata,
  metadataExample,
  type OrderStatement,
  pageOfOrders,
  payload,
  readOrders,
  requireDays,
  sumByBucket,
} from '../financials/index.ts';
import { COMPONENT_STATUSES, COST_COMPONENTS, componentsOf, shareOverLines } from './domain/components.ts';
import { capturedOrders } from './store/captured.ts';

const CONTRACT = 'profitability.components.v1';
const MISSING = ['supplier_cost', 'external_freight'];
const Null = (description: string) => Nullable(Type.Integer({ description }));
const sums = {
  gross_minor: Amount('What was delivered, after discounts'),
  fees_minor: Amount('Charged less given back; above zero is a cost'),
  adjustments_minor: Amount('Below zero is a cost'),
  net_payout_minor: Amount('Gross less fees plus adjustments'),
};
const unknown = {
  supplier_cost_minor: Null('Not known to the marketplace'),
  margin_minor: Null('null as long as a component is missing'),
};

const Row = Type.Object(
  {
    order_id: Type.String(),
    ...sums,
    ...unknown,
    components: Type.Array(
      Type.Object(
        {
          component: StringEnum(COST_COMPONENTS),
          status: StringEnum(COMPONENT_STATUSES, {
            description: 'not_captured: the provider’s fee was not told; missing: nobody records it',
          }),
          amount_minor: Null('Seen from the seller; null unless it is known'),
        },
        { title: 'CostComponent' },
      ),
    ),
    coverage: Type.Object(
      { known_components: Type.Array(Type.String()), missing_components: Type.Array(Type.String()) },
      { title: 'CostCoverage' },
    ),
    lines: Type.Array(
      Type.Object(
        { order_line_id: Type.String(), sku: Nullable(Type.String()), ...sums, ...unknown },
        { title: 'ProfitabilityLine' },
      ),
      { description: 'What concerns the whole order is shared over them by what they sold for' },
    ),
  },
  { title: 'ProfitabilityRow' },
);

const nothing = { supplier_cost_minor: null, margin_minor: null };

function rowJson({ order_id, lines }: OrderStatement, captured: boolean) {
  const components = componentsOf(lines, captured);
  const { gross, fees, adjustments } = sumByBucket(lines);
  const known = components.filter(({ status }) => status === 'known');
  return {
    order_id,
    gross_minor: minorToJson(gross),
    fees_minor: minorToJson(negated(fees)),
    adjustments_minor: minorToJson(adjustments),
    net_payout_minor: minorToJson(sumMinor([gross, fees, adjustments])),
    ...nothing,
    components: components.map(({ amount, ...component }) => ({
      ...component,
      amount_minor: amount === null ? null : minorToJson(amount),
    })),
    coverage: {
      known_components: known.map(({ component }) => component),
      missing_components: components
        .filter(({ status }) => status !== 'known')
        .map(({ component }) => component),
    },
    lines: shareOverLines(lines).map((line) => ({
      order_line_id: line.order_line_id,
      sku: line.sku,
      gross_minor: minorToJson(line.gross),
      fees_minor: minorToJson(line.fees),
      adjustments_minor: minorToJson(line.adjustments),
      net_payout_minor: minorToJson(line.net),
      ...nothing,
    })),
  };
}

const lineExample = {
  gross_minor: 5_985,
  fees_minor: 857,
  adjustments_minor: 0,
  net_payout_minor: 5_128,
  ...nothing,
};
const EXAMPLE = {
  order_id: 'ord_1004',
  ...lineExample,
  components: [
    { component: 'gross' as const, status: 'known' as const, amount_minor: 5_985 },
    { component: 'payment_processing' as const, status: 'not_captured' as const, amount_minor: null },
    { component: 'supplier_cost' as const, status: 'missing' as const, amount_minor: null },
  ],
  coverage: { known_components: ['gross'], missing_components: ['payment_processing', 'supplier_cost'] },
  lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', sku: 'TIN-S', ...lineExample }],
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
      schema: Type.Object({
        ...Page(Row).properties,
        currency: Type.String(),
        currency_exponent: Type.Integer(),
        ...payload,
        ...metadata,
      }),
      example: {
        data: [EXAMPLE],
        page: { limit: 50, next_cursor: null, has_more: false },
        currency: 'AUD',
        currency_exponent: 2,
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: MISSING,
        ...metadataExample(CONTRACT),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, currency: asked, order_id, ...filter } = query;
    requireDays({ from: filter.from, to: filter.to });
    const of = await described(ctx, asked);
    const { db, sellerId, currency } = of;
    const { cursors } = ctx.services;
    const filters = { ...filter, order_id, currency };
    const scope = { seller_id: sellerId, route: 'profitability.components.list', filters };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as LinePosition);
    const { orders, next } =
      order_id === undefined
        ? await pageOfOrders(of, filter, after, limit)
        : { orders: await readOrders(of, [order_id]), next: undefined };
    const ids = orders.map((order) => order.order_id);
    const captured = await capturedOrders(db, sellerId, ids);
    return {
      body: {
        data: orders.map((order) => rowJson(order, captured.has(order.order_id))),
        page: {
          limit,
          next_cursor: next === undefined ? null : cursors.encode(scope, next),
          has_more: next !== undefined,
        },
        currency,
        currency_exponent: currencyExponent(currency),
        cache_status: 'live',
        source_contract: CONTRACT,
        missing_components: MISSING,
        ...(await describeFigures(of, CONTRACT, new Date(ctx.now()).toISOString())),
      },
    };
  },
});

export const routes = [components];
