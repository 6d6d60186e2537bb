import Type from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { orderErrors } from '../../orders/index.ts';
import { takeOver } from '../actions/change-dropship.ts';
import { KINDS } from '../domain/fold.ts';
import {
  DROPSHIP_EXAMPLE,
  DropshipAttention,
  DropshipOrderSchema,
  DropshipStatusSchema,
  dropshipOrderToWire,
  type WireDropshipOrder,
} from '../schemas/dropship-order.ts';
import {
  type DropshipOrder,
  dropshipFacts,
  dropshipOrders,
  factsOf,
  listedOrders,
  withParts,
} from '../store/dropship-orders.ts';

const QUANTITY_MAX = 1_000_000;
const read = reads('orders');
const one = {
  path: '/orders/{dropship_order_id}',
  params: Type.Object({
    dropship_order_id: Type.String({ description: 'Id of the dropship order, `dso_…`' }),
  }),
} as const;
const ok = [
  { status: 200, description: 'The dropship order', schema: DropshipOrderSchema, example: DROPSHIP_EXAMPLE },
] as const;

const view = ({ seller }: SellerCtx, dropship: DropshipOrder): WireDropshipOrder =>
  dropshipOrderToWire(dropship, seller.permissions.includes('purchasing:read'));

const tagOf = ({ version }: { readonly version: number }): string => `d${version}`;
const answer = (ctx: SellerCtx, dropship: DropshipOrder) => {
  const body = view(ctx, dropship);
  return { body, etag: shownTag(tagOf(dropship.row), body) };
};

const FactKind = StringEnum(KINDS, {
  title: 'DropshipFactKind',
  description:
    '`no_answer`, `no_time`: units went back to the seller. `cancel_waiting`, `cancel_accepted`: the order closed units. `delivered`: they were delivered without the supplier',
});
const HistoryEntry = Type.Object(
  {
    kind: FactKind,
    lines: Type.Array(
      Type.Object(
        {
          order_line_id: Type.String(),
          quantity: Type.Integer({ description: 'Units; of an answer the accepted ones' }),
          rejected: Type.Integer({ description: 'Units that an answer rejects; else 0' }),
        },
        { title: 'DropshipFactLine', description: 'Units of a line.' },
      ),
      { description: 'The units that it is about' },
    ),
    reason: Nullable(Type.String({ description: 'What the supplier or the order said' })),
    actor: Type.Object(
      {
        kind: StringEnum(['member', 'marketplace', 'buyer', 'channel', 'system'], {
          description: 'Kind of actor',
        }),
        id: Nullable(Type.String({ description: 'Id of the team member; null for all others' })),
      },
      { title: 'DropshipActor', description: 'Who told it.' },
    ),
    occurred_at: Instant({ description: 'When it happened' }),
    recorded_at: Instant({ description: 'When the service learnt of it' }),
  },
  { title: 'DropshipHistoryEntry', description: 'A fact about a dropship order.' },
);

const list = pageRoute({
  id: 'dropship.orders.list',
  path: '/orders',
  summary: 'List dropship orders',
  description: 'Newest first. What suppliers ask is shown with the permission `purchasing:read`.',
  access: read,
  filters: {
    status: Type.Optional(DropshipStatusSchema),
    attention: Type.Optional(DropshipAttention),
    supplier_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Dropship orders of this supplier' }),
    ),
    order_id: Type.Optional(Type.String({ maxLength: 100, description: 'Dropship orders of this order' })),
  },
  schema: DropshipOrderSchema,
  example: DROPSHIP_EXAMPLE,
  read: async (ctx, { filters, after, limit }) =>
    withParts(
      ctx,
      await dropshipOrders.page(ctx, {
        ...{ where: listedOrders(filters), order: ['dropship_order_id'], descending: true, after, limit },
      }),
    ),
  position: ({ row }) => [row.dropship_order_id],
  view: (dropship, ctx) => view(ctx, dropship),
});

const get = defineRoute({
  ...one,
  id: 'dropship.orders.get',
  method: 'GET',
  summary: 'Read a dropship order',
  description: 'Units of one order that one supplier sends.',
  access: read,
  ok,
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const row = requireFound(await dropshipOrders.find(ctx, params));
    const [dropship] = await withParts(ctx, [row]);
    return answer(ctx, requireFound(dropship));
  },
});

const history = pageRoute({
  id: 'dropship.history.list',
  path: '/orders/{dropship_order_id}/history',
  summary: 'Read the history of a dropship order',
  description: 'Latest fact first, as they were told; quantities follow from them by when they happened.',
  access: read,
  params: one.params,
  schema: HistoryEntry,
  example: {
    kind: 'answer',
    lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 9, rejected: 2 }],
    reason: 'out_of_stock',
    actor: { kind: 'marketplace', id: null },
    occurred_at: '2026-06-28T01:05:00.000Z',
    recorded_at: '2026-06-28T01:05:01.000Z',
  },
  errors: [coreErrors.not_found],
  read: async (ctx, { after, limit }, { dropship_order_id = '' }) => {
    requireFound(await dropshipOrders.find(ctx, { dropship_order_id }));
    return dropshipFacts.page(ctx, {
      ...{ where: factsOf(dropship_order_id), order: ['position'], descending: true, after, limit },
    });
  },
  position: ({ position }) => [position],
  view: ({ fact, actor_kind, actor_id, recorded_at }) => ({
    kind: fact.kind,
    lines:
      fact.kind === 'correct_parcel'
        ? []
        : fact.lines.map((line) => ({
            order_line_id: line.order_line_id,
            quantity: 'accepted' in line ? line.accepted : line.units,
            rejected: 'rejected' in line ? line.rejected : 0,
          })),
    reason:
      fact.kind === 'answer'
        ? (fact.lines.find(({ reason }) => reason !== null)?.reason ?? null)
        : 'reason' in fact
          ? (fact.reason ?? null)
          : null,
    actor: { kind: actor_kind, id: actor_id },
    ...{ occurred_at: fact.at, recorded_at },
  }),
});

const TakeOver = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          order_line_id: Type.String({ maxLength: 100 }),
          quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description: 'Units of the line' }),
        }),
        { minItems: 1, maxItems: 500, description: 'Default: all units of which the supplier does not know' },
      ),
    ),
  },
  { title: 'DropshipTakeOver', description: 'Units that the seller sends itself.' },
);

const take = defineRoute({
  ...one,
  id: 'dropship.orders.take_over',
  method: 'POST',
  path: `${one.path}/take-over`,
  summary: 'Send units yourself',
  description:
    'For units of which the supplier does not know yet, in the two minutes after the order. They are ordinary units of the order from then on.',
  access: writes('orders'),
  body: { kind: 'json', schema: TakeOver, example: {} },
  ok,
  errors: [coreErrors.not_found, coreErrors.precondition_failed, orderErrors.quantity_exceeds_open],
  handler: async (ctx, { params, body, headers }) =>
    answer(
      ctx,
      await takeOver(ctx, params.dropship_order_id, body.lines, (row) => checkIfMatch(headers, tagOf(row))),
    ),
});

export const dropshipOrderRoutes = [list, get, history, take];
