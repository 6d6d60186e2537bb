import Type from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail, requireFound } from '../../../kernel/errors.ts';
import { UNSEEN_MS } from '../../../kernel/instant.ts';
import { described, Instant, PAGE_LIMIT_DEFAULT, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { MACHINES } from '../domain/machines.ts';
import { ofOrder } from '../errors.ts';
import { HistoryEntry, QueuesSchema, StateMachines } from '../schemas/about.ts';
import { OrderAttention, OrderLineStatus, OrderStatus, PaymentStatus } from '../schemas/enums.ts';
import { PLACED_VIEW } from '../schemas/examples.ts';
import { OrderPage, OrderView } from '../schemas/order.ts';
import { orderParams, Words } from '../schemas/parts.ts';
import { countQueues, listOrders, type OrderPosition } from '../store/list-orders.ts';
import { loadOrder, loadStocked } from '../store/load-orders.ts';
import { listEntries } from '../store/order-history.ts';
import { orderAnswer, viewOf } from './run-action.ts';

const access = { auth: 'seller', permission: 'orders:read', rate: 'read', idempotency: 'none' } as const;
const page = { limit: 50, next_cursor: null, has_more: false };
const Since = (description: string) => Type.Optional(Instant({ description }));

export const orderFilters = {
  status: Type.Optional(
    Type.Array(OrderStatus, {
      maxItems: 8,
      description: 'Orders in any of these states; repeat the parameter',
    }),
  ),
  line_status: Type.Optional(described('Orders with a line in this state', OrderLineStatus)),
  payment_status: Type.Optional(described('Orders whose payment is in this state', PaymentStatus)),
  attention: Type.Optional(described('Orders that need this attention', OrderAttention)),
  created_since: Since('Orders recorded at or after this instant'),
  created_before: Since('Orders recorded before this instant'),
  updated_since: Since('Orders changed at or after this instant; sorts the list by last change'),
  dispatch_by_before: Since('Orders whose dispatch is due before this instant'),
  sku: Type.Optional(Words(200, 'Orders with a line of exactly this `seller_sku`')),
  buyer_id: Type.Optional(Type.String({ maxLength: 64, description: 'Orders of this buyer, `byr_…`' })),
  reference: Type.Optional(
    Words(200, 'The order with exactly this number, `order_id` or `external_order_id`'),
  ),
  q: Type.Optional(
    Words(
      200,
      'Words to find in number, buyer, receiver, SKUs and titles. All must occur; accents and case are ignored',
    ),
  ),
};

const machines = MACHINES.map(({ name, title, states, terminal, rows }) => ({
  name,
  title,
  states: states.map((state) => ({ name: state, terminal: (terminal as readonly string[]).includes(state) })),
  transitions: rows,
}));
const INVARIANTS = [
  'ordered = awaiting + accepted_open + rejected + cancelled + shipped',
  'shipped = in_transit + delivered + lost',
  'returned <= delivered',
  'quantity_reserved <= awaiting + accepted_open',
];

/** All machines are in docs/states.md. */
const STATES_EXAMPLE = {
  machines: machines.slice(0, 1).map((one) => ({ ...one, transitions: one.transitions.slice(0, 2) })),
  invariants: INVARIANTS.slice(0, 2),
};

const list = defineRoute({
  id: 'orders.list',
  method: 'GET',
  path: '',
  summary: 'List orders',
  description:
    'Newest first; with `updated_since`, by last change. Each order is complete, so no further read is needed.',
  access,
  query: Type.Object({ ...orderFilters, ...pageQuery }),
  ok: okJson('One page', OrderPage, {
    data: [PLACED_VIEW],
    page,
    applied: { status: ['awaiting_acceptance'] },
    resume_since: null,
  }),
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...applied } = query;
    const { cursors } = ctx.services;
    const scope = { seller_id: ctx.seller.seller_id, route: 'orders.list', filters: applied };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as OrderPosition);
    const now = ctx.now();
    const rows = await listOrders(ctx, applied, after, limit);
    const { data, page: part } = pageOf(rows, limit, ({ order: { head } }) =>
      cursors.encode(scope, [
        applied.updated_since === undefined ? head.recorded_at : head.updated_at,
        head.order_id,
      ]),
    );
    // Only the first page has it. An order that changes later moves to a place before the first page.
    const first = applied.updated_since !== undefined && cursor === undefined;
    const resume_since = first ? new Date(now - UNSEEN_MS).toISOString() : null;
    return { body: { data: data.map((one) => viewOf(one, now)), page: part, applied, resume_since } };
  },
});

const queues = defineRoute({
  id: 'orders.queues.get',
  method: 'GET',
  path: '/queues',
  summary: 'Count the orders that need an answer or a dispatch',
  description: 'Counts orders to accept, to dispatch and late ones, requests to answer, and open disputes.',
  access,
  ok: okJson('The queues', QueuesSchema, {
    to_accept: 3,
    to_dispatch: 12,
    late: 1,
    cancel_requests: 0,
    returns_to_answer: 2,
    oversold: 0,
    disputes: 0,
    as_of: '2026-06-28T01:00:00.000Z',
  }),
  errors: [],
  handler: async (ctx) => {
    const as_of = new Date(ctx.now()).toISOString();
    return { body: { ...(await countQueues(ctx, as_of)), as_of } };
  },
});

const stateMachine = defineRoute({
  id: 'orders.state_machine.get',
  method: 'GET',
  path: '/state-machine',
  summary: 'Read the state machines of orders and their parts',
  description: 'The service itself decides by these tables what is allowed.',
  access,
  ok: okJson('The machines, and the invariants of every line', StateMachines, STATES_EXAMPLE),
  errors: [],
  handler: async () => ({ body: { machines, invariants: INVARIANTS } }),
});

const get = defineRoute({
  id: 'orders.get',
  method: 'GET',
  path: '/{order_id}',
  summary: 'Read an order with all its parts',
  description: 'Shows its lines, shipments, returns, refunds, disputes, deadlines and allowed actions.',
  access,
  params: orderParams,
  ok: okJson('The order', OrderView, PLACED_VIEW),
  errors: ofOrder,
  handler: async (ctx, { params }) => {
    const found = requireFound(await loadStocked(ctx, params.order_id));
    return orderAnswer(found, ctx.now());
  },
});

const history = pageRoute({
  id: 'orders.history.list',
  path: '/{order_id}/history',
  summary: 'Read the history of an order',
  description: 'Latest action first: who did what, and which fields changed.',
  access,
  params: orderParams,
  schema: HistoryEntry,
  example: {
    version: 2,
    action: 'accepted',
    actor: { kind: 'member', id: 'mbr_06fh5m2k9x0001a2b3c4d5e6f7' },
    reason: null,
    detail: null,
    request_id: 'req_5f0c9e3b7a',
    idempotency_key: null,
    facts: { lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 3 }] },
    changes: [{ field: 'status', before: 'awaiting_acceptance', after: 'accepted' }],
    occurred_at: '2026-06-28T02:00:00.000Z',
    recorded_at: '2026-06-28T02:00:00.000Z',
  },
  errors: ofOrder,
  read: async (ctx, { after, limit }, { order_id = '' }) => {
    if ((await loadOrder(ctx, order_id)) === undefined) throw fail(coreErrors.not_found);
    return listEntries(ctx, order_id, after && String(after[0]), limit);
  },
  position: ({ entry }) => [String(entry)],
  view: ({ entry: _, actor_kind, actor_id, ...entry }) => ({
    ...entry,
    actor: { kind: actor_kind, id: actor_id },
  }),
});

export const readRoutes = [list, queues, stateMachine, get, history];
