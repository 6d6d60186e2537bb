/** Refunds and returns of all orders, as lists. */
import Type, { type Static, type TSchema } from 'typebox';
import { described, Instant } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { RefundStatus, ReturnStatus } from '../schemas/enums.ts';
import { REFUND_EXAMPLE, RETURN_EXAMPLE } from '../schemas/examples.ts';
import { RefundSchema, ReturnSchema, type WireRefund, type WireReturn } from '../schemas/order.ts';
import { ORDER_ID_CHARS_MAX } from '../schemas/parts.ts';
import { refundToWire, returnToWire } from '../schemas/to-wire.ts';
import { listParts, type PartPosition } from '../store/list-parts.ts';

const orderId = Type.Optional(
  Type.String({ maxLength: ORDER_ID_CHARS_MAX, description: 'Only those of this order, by its `order_id`' }),
);
const instant = (description: string) => Type.Optional(Instant({ description }));

export const refundFilters = {
  status: Type.Optional(described('Refunds in this state', RefundStatus)),
  order_id: orderId,
  created_since: instant('Refunds recorded at or after this instant'),
  created_before: instant('Refunds recorded before this instant'),
};
export const returnFilters = {
  status: Type.Optional(described('Returns in this state', ReturnStatus)),
  order_id: orderId,
  requested_since: instant('Returns requested at or after this instant'),
  requested_before: instant('Returns requested before this instant'),
};

type Asked<F extends Readonly<Record<string, TSchema>>> = {
  readonly [K in keyof F]?: Static<F[K]> | undefined;
};

export const refundFilter = ({ status, order_id, ...of }: Asked<typeof refundFilters>) => ({
  status,
  order_id,
  since: of.created_since,
  before: of.created_before,
});
export const returnFilter = ({ status, order_id, ...of }: Asked<typeof returnFilters>) => ({
  status,
  order_id,
  since: of.requested_since,
  before: of.requested_before,
});

export const listedPartRoutes = [
  pageRoute({
    id: 'orders.refunds.list',
    path: '/refunds',
    summary: 'List the refunds of all orders',
    description:
      'Newest first, including refunds that the seller has requested and the marketplace has not made yet.',
    access: reads('orders'),
    filters: refundFilters,
    schema: RefundSchema,
    example: REFUND_EXAMPLE as WireRefund,
    read: (ctx, { filters, after, limit }) =>
      listParts(ctx, 'refunds', refundFilter(filters), after as PartPosition | undefined, limit),
    position: ({ position }) => position,
    view: (row) => refundToWire(row.order, row.part),
  }),
  pageRoute({
    id: 'orders.returns.list',
    path: '/returns',
    summary: 'List the returns of all orders',
    description: 'Latest request first.',
    access: reads('orders'),
    filters: returnFilters,
    schema: ReturnSchema,
    example: RETURN_EXAMPLE as WireReturn,
    read: (ctx, { filters, after, limit }) =>
      listParts(ctx, 'returns', returnFilter(filters), after as PartPosition | undefined, limit),
    position: ({ position }) => position,
    view: (row) => returnToWire(row.order, row.part),
  }),
];
