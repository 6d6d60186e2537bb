import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { Nullable, PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import {
  type EntryPosition,
  ORDER_STATEMENT_EXAMPLE,
  OrderStatementSchema,
  orderStatementJson,
  pageOfOrders,
  readOrders,
} from '../../account/index.ts';
import {
  accountScope,
  currencyQuery,
  Day,
  describeFigures,
  metadata,
  metadataExample,
} from '../../reconciliation/index.ts';
import { compareOrders } from '../actions/compare-orders.ts';
import { COMPARISON_EXAMPLE, ComparisonSchema, comparisonJson } from '../schemas/comparison.ts';
import { access } from './access.ts';

const figures = { tx: 'snapshot', cache: 'no-store' } as const;
const page = { limit: 50, next_cursor: null, has_more: false };
const windowQuery = {
  from: Type.Optional(Day('The order’s first line counts on this day or later')),
  to: Type.Optional(Day('The order’s first line counts on this day or earlier')),
};
const envelope = { currency: Type.String(), currency_exponent: Type.Integer(), ...metadata };

const list = defineRoute({
  id: 'fees.transactions.list',
  method: 'GET',
  path: '/transactions',
  summary: 'The figures of each order: gross, fees by component, adjustments, net payout, every line',
  description: 'By the first line of an order, the latest first; money in hold is shown too.',
  access,
  ...figures,
  query: Type.Object({ ...windowQuery, ...currencyQuery, ...pageQuery }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(OrderStatementSchema, envelope),
      example: {
        data: [ORDER_STATEMENT_EXAMPLE],
        page,
        currency: 'AUD',
        currency_exponent: 2,
        ...metadataExample('fees.transactions.v1'),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, from, to } = query;
    requireDays({ from, to });
    const of = await accountScope(ctx, query.currency);
    const { currency } = of;
    const { cursors } = ctx.services;
    const scope = {
      seller_id: of.sellerId,
      route: 'fees.transactions.list',
      filters: { from, to, currency },
    };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as EntryPosition);
    const { orders, next } = await pageOfOrders(of, { from, to }, after, limit);
    const today = sydneyDate(ctx.now());
    return {
      body: {
        data: orders.map((order) => orderStatementJson(order, today)),
        page: {
          limit,
          next_cursor: next === undefined ? null : cursors.encode(scope, next),
          has_more: next !== undefined,
        },
        currency,
        currency_exponent: currencyExponent(currency),
        ...(await describeFigures(of, 'fees.transactions.v1')),
      },
    };
  },
});

const OrderFees = Type.Object(
  {
    order_id: Type.String(),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    transaction: Nullable(OrderStatementSchema),
    comparison: ComparisonSchema,
    ...metadata,
  },
  { title: 'OrderFees', description: '`transaction` is null as long as nothing is posted' },
);

const get = defineRoute({
  id: 'fees.orders.get',
  method: 'GET',
  path: '/orders/{order_id}',
  summary: 'What an order was charged against its estimate, and why they differ',
  access,
  ...figures,
  params: Type.Object({ order_id: Type.String({ maxLength: 200, description: 'Id of the order' }) }),
  ok: [
    {
      status: 200,
      description: 'The order’s fees',
      schema: OrderFees,
      example: {
        order_id: 'ord_1004',
        currency: 'AUD',
        currency_exponent: 2,
        transaction: ORDER_STATEMENT_EXAMPLE,
        comparison: COMPARISON_EXAMPLE,
        ...metadataExample('fees.order.v1'),
      },
    },
  ],
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { order_id } }) => {
    const { seller_id: sellerId } = ctx.seller;
    const { db } = ctx;
    const [statement] = await readOrders({ db, sellerId }, [order_id]);
    const compared = (await compareOrders(db, sellerId, [{ order_id, statement }])).get(order_id);
    if (compared === undefined) throw fail(coreErrors.not_found);
    const { currency } = compared.sold;
    const of = await accountScope(ctx, currency);
    const shown = {
      order_id,
      currency,
      currency_exponent: currencyExponent(currency),
      transaction: statement === undefined ? null : orderStatementJson(statement, sydneyDate(ctx.now())),
      comparison: comparisonJson(compared),
    };
    const body = {
      ...shown,
      ...(await describeFigures(of, 'fees.order.v1')),
    };
    return { body, etag: shownTag('1', shown) };
  },
});

const Audit = Page(
  Type.Object(
    { order_id: Type.String(), comparison: ComparisonSchema },
    { title: 'FeeAuditFinding', description: 'An order whose fees differ from the estimate.' },
  ),
  {
    checked_count: Type.Integer({ description: 'Orders that this page has looked at' }),
    ...envelope,
  },
);
/** A difference that published rates and the facts of the order explain is no finding. */
const FINDINGS = new Set(['rate_changed', 'category_changed', 'rounding']);

const audit = defineRoute({
  id: 'fees.audit.list',
  method: 'GET',
  path: '/audit',
  summary: 'Orders whose charges are not what the rates of their day say',
  description:
    'A page looks at as many orders as its limit says and shows those with a difference; follow the cursor to the end.',
  access,
  ...figures,
  query: Type.Object({ ...windowQuery, ...currencyQuery, ...pageQuery }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Audit,
      example: {
        data: [
          {
            order_id: 'ord_1004',
            comparison: {
              ...COMPARISON_EXAMPLE,
              components: [
                {
                  component: 'platform_fee' as const,
                  estimated_minor: 684,
                  actual_minor: 854,
                  variance_minor: 170,
                  causes: [{ cause: 'category_changed' as const, amount_minor: 170 }],
                },
              ],
            },
          },
        ],
        page,
        checked_count: 50,
        currency: 'AUD',
        currency_exponent: 2,
        ...metadataExample('fees.audit.v1'),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, from, to } = query;
    requireDays({ from, to });
    const of = await accountScope(ctx, query.currency);
    const { currency, db, sellerId } = of;
    const { cursors } = ctx.services;
    const scope = { seller_id: sellerId, route: 'fees.audit.list', filters: { from, to, currency } };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as EntryPosition);
    const { orders, next } = await pageOfOrders(of, { from, to }, after, limit);
    const asked = orders.map((statement) => ({ order_id: statement.order_id, statement }));
    const compared = await compareOrders(db, sellerId, asked);
    const found = [...compared].filter(([, { comparison }]) =>
      comparison.components.some(({ causes }) => causes.some(({ cause }) => FINDINGS.has(cause))),
    );
    return {
      body: {
        data: found.map(([order_id, one]) => ({ order_id, comparison: comparisonJson(one) })),
        page: {
          limit,
          next_cursor: next === undefined ? null : cursors.encode(scope, next),
          has_more: next !== undefined,
        },
        checked_count: orders.length,
        currency,
        currency_exponent: currencyExponent(currency),
        ...(await describeFigures(of, 'fees.audit.v1')),
      },
    };
  },
});

export const orderRoutes = [list, get, audit];
