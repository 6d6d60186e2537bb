import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import {
  firstLineDays,
  ORDER_STATEMENT_EXAMPLE,
  OrderStatementSchema,
  orderList,
  orderStatementJson,
  readOrders,
} from '../../account/index.ts';
import {
  acceptDays,
  access,
  accountList,
  accountScope,
  describeFigures,
  figures,
  metadata,
  metadataExample,
  moneyOf,
} from '../../reconciliation/index.ts';
import { compareOrders } from '../actions/compare-orders.ts';
import { COMPARISON_EXAMPLE, ComparisonSchema, comparisonJson } from '../schemas/comparison.ts';

const idsOf = (rows: readonly { readonly order_id: string }[]) => rows.map(({ order_id }) => order_id);

const list = accountList({
  id: 'fees.transactions.list',
  path: '/transactions',
  summary: 'List the figures of each order: gross, fees, adjustments, net payout, every line',
  description:
    'Sorted by the first line of each order, latest first. Includes orders with amounts `in_hold`.',
  contract: 'fees.transactions.v1',
  filters: firstLineDays,
  schema: OrderStatementSchema,
  example: ORDER_STATEMENT_EXAMPLE,
  accept: acceptDays,
  ...orderList,
  show: async (rows, of) => {
    const orders = await readOrders(of, idsOf(rows));
    return { data: orders.map((order) => orderStatementJson(order, sydneyDate(of.now))) };
  },
});

const OrderFees = Type.Object(
  {
    order_id: Type.String(),
    transaction: Nullable(OrderStatementSchema),
    comparison: ComparisonSchema,
    ...metadata,
  },
  { title: 'OrderFees', description: '`transaction` is null until something is posted' },
);

const get = defineRoute({
  id: 'fees.orders.get',
  method: 'GET',
  path: '/orders/{order_id}',
  summary: 'Compare what an order was charged with its estimate',
  description: 'Compares each line and names the causes of a difference.',
  access,
  ...figures,
  params: Type.Object({ order_id: Type.String({ maxLength: 200, description: 'Id of the order' }) }),
  ok: okJson('The order’s fees', OrderFees, {
    order_id: 'ord_1004',
    transaction: ORDER_STATEMENT_EXAMPLE,
    comparison: COMPARISON_EXAMPLE,
    ...metadataExample('fees.order.v1'),
  }),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params: { order_id } }) => {
    const [statement] = await readOrders(ctx, [order_id]);
    const compared = requireFound((await compareOrders(ctx, [{ order_id, statement }])).get(order_id));
    const { currency } = compared.sold;
    const shown = {
      order_id,
      ...moneyOf(currency),
      transaction: statement === undefined ? null : orderStatementJson(statement, sydneyDate(ctx.now())),
      comparison: comparisonJson(compared),
    };
    const source = await describeFigures(await accountScope(ctx, currency), 'fees.order.v1');
    return { body: { ...shown, ...source }, etag: shownTag('1', shown) };
  },
});

/** A difference is not a finding if published rates and the facts of the order explain it. */
const FINDINGS = new Set(['rate_changed', 'category_changed', 'rounding']);

const audit = accountList({
  id: 'fees.audit.list',
  path: '/audit',
  summary: 'List orders whose charges differ from the rates of their day',
  description:
    'A page checks as many orders as its limit and shows those with a difference, so it may be empty before the last page.',
  contract: 'fees.audit.v1',
  filters: firstLineDays,
  schema: Type.Object(
    { order_id: Type.String(), comparison: ComparisonSchema },
    { title: 'FeeAuditFinding', description: 'An order whose fees differ from the estimate.' },
  ),
  example: {
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
  more: {
    properties: { checked_count: Type.Integer({ description: 'Orders that this page has checked' }) },
    example: { checked_count: 50 },
  },
  accept: acceptDays,
  ...orderList,
  show: async (rows, of) => {
    const orders = await readOrders(of, idsOf(rows));
    const asked = orders.map((statement) => ({ order_id: statement.order_id, statement }));
    const found = [...(await compareOrders(of, asked))].filter(([, { comparison }]) =>
      comparison.components.some(({ causes }) => causes.some(({ cause }) => FINDINGS.has(cause))),
    );
    return {
      data: found.map(([order_id, one]) => ({ order_id, comparison: comparisonJson(one) })),
      checked_count: orders.length,
    };
  },
});

export const orderRoutes = [list, get, audit];
