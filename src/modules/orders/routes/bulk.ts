import Type from 'typebox';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reserveMissing } from '../actions/change-order.ts';
import { accept, shortOf } from '../domain/answer-placement.ts';
import type { Order } from '../domain/order.ts';
import { dispatch, pack } from '../domain/shipments.ts';
import { BulkResult } from '../schemas/bulk.ts';
import { actionQuery, ORDER_ID_CHARS_MAX } from '../schemas/parts.ts';
import { AcceptInput } from './answers.ts';
import { BULK_MAX, bulk } from './bulk-actions.ts';
import { readParcel } from './read-parcel.ts';
import { DispatchInput } from './shipments.ts';

const access = {
  auth: 'seller',
  permission: 'orders:write',
  plan: 'bulk_operations',
  rate: 'write',
  idempotency: 'optional',
} as const;
const orderId = Type.String({ maxLength: ORDER_ID_CHARS_MAX, description: 'Id of the order, `ord_…`' });
const items = <T extends Type.TSchema>(item: T) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: BULK_MAX,
    description: 'One item for each order; they run in this order',
  });

const BulkAcceptInput = Type.Object(
  { items: items(Type.Object({ order_id: orderId, ...AcceptInput.properties })) },
  { title: 'BulkAcceptInput', description: 'Orders to accept.' },
);
const BulkDispatchInput = Type.Object(
  {
    items: items(
      Type.Object({
        order_id: orderId,
        shipment_id: Type.Optional(
          Type.String({
            maxLength: 100,
            description:
              'Id of the draft to dispatch; defaults to the only draft of the order, or a new parcel of all accepted units',
          }),
        ),
        ...DispatchInput.properties,
      }),
    ),
  },
  { title: 'BulkDispatchInput', description: 'Parcels to dispatch.' },
);

const ok = [
  {
    status: 200,
    description: 'One result for each item, in the order of the items',
    schema: BulkResult,
    example: {
      counts: { items: 1, succeeded: 0, failed: 1 },
      results: [
        {
          index: 0,
          order_id: 'ord_1002',
          status: 404,
          outcome: 'failed',
          order: null,
          error: { code: 'not_found', detail: 'Your account has no order ord_06fh5m2k9x0008m1q4t7v2w5y8.' },
        },
      ],
    },
  },
] as const;
const description =
  'Items run one after the other, each with its own result. A refused item does not stop the others.';

const acceptMany = defineRoute({
  id: 'orders.bulk.accept',
  method: 'POST',
  path: '/bulk/accept',
  summary: `Accept up to ${BULK_MAX} orders`,
  description,
  access,
  query: actionQuery,
  rehearsable: true,
  body: { kind: 'json', schema: BulkAcceptInput, example: { items: [{ order_id: 'ord_1002' }] } },
  ok,
  errors: [],
  handler: (ctx, { query, body }) =>
    bulk(ctx, query, body.items, async (work, acting, item) => {
      await reserveMissing(acting, work, shortOf(work.order, item.lines, work.now));
      accept(work, item.lines);
    }),
});

/** The only draft of the order; undefined when there is none or more than one. */
function draftOf({ shipments }: Order): string | undefined {
  const drafts = shipments.filter(({ status }) => status === 'draft');
  return drafts.length === 1 ? drafts[0]?.shipment_id : undefined;
}

const dispatchMany = defineRoute({
  id: 'orders.bulk.dispatch',
  method: 'POST',
  path: '/bulk/dispatch',
  summary: `Dispatch up to ${BULK_MAX} parcels`,
  description: `${description} Without \`shipment_id\` all accepted units of an order go in one parcel.`,
  access,
  query: actionQuery,
  rehearsable: true,
  body: {
    kind: 'json',
    schema: BulkDispatchInput,
    example: {
      items: [{ order_id: 'ord_1002', carrier: 'australia_post', tracking_number: '2JD020603601000931508' }],
    },
  },
  ok,
  errors: [],
  handler: (ctx, { query, body }) =>
    bulk(ctx, query, body.items, async (work, _ctx, item) => {
      const parcel = readParcel(item);
      const shipmentId = item.shipment_id ?? draftOf(work.order) ?? pack(work, undefined, []).shipment_id;
      dispatch(work, shipmentId, parcel, item.dispatched_at);
    }),
});

export const bulkRoutes = [acceptMany, dispatchMany];
