import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { changeTracking, dispatch, pack, shipmentOf } from '../domain/shipments.ts';
import { errors, ofAction } from '../errors.ts';
import { act } from '../http/act.ts';
import { readParcel } from '../http/read-parcel.ts';
import { shipmentTag, withShipment } from '../http/with-shipment.ts';
import { DRAFT_SHIPMENT, SENT_SHIPMENT } from '../schemas/examples.ts';
import { PackageSchema, ShipmentResult } from '../schemas/order.ts';
import {
  actionQuery,
  lineChoices,
  orderParams,
  shipmentParams,
  text,
  version,
  Words,
} from '../schemas/parts.ts';

const access = { auth: 'seller', permission: 'orders:write', rate: 'write' } as const;
const PACKAGES_MAX = 50;
const example = (shipment: object | null, order_status: string, order_version: number) => ({
  ...shipment,
  order_status,
  order_version,
});

const ShipmentInput = Type.Object(
  {
    lines: lineChoices,
    packages: Type.Optional(Type.Array(PackageSchema, { minItems: 1, maxItems: PACKAGES_MAX })),
    version,
  },
  { title: 'ShipmentInput' },
);
const Carrier = Words(64, 'Code of `GET /shipping/carriers`');
const Tracking = Words(64, 'As the carrier prints it; blanks and case do not matter');
export const DispatchInput = Type.Object(
  {
    carrier: Type.Optional(Carrier),
    service: text(64),
    tracking_number: Type.Optional(Tracking),
    dispatched_at: Type.Optional(
      Instant({
        description: 'Default: now. Not in the future, not before acceptance',
      }),
    ),
    version,
  },
  { title: 'DispatchInput' },
);
const TrackingInput = Type.Object(
  { carrier: Type.Optional(Carrier), tracking_number: Tracking, reason: text(500), version },
  { title: 'TrackingInput' },
);

const create = defineRoute({
  id: 'orders.shipments.create',
  method: 'POST',
  path: '/{order_id}/shipments',
  summary: 'Pack accepted units into a parcel',
  description: 'Without `lines` all accepted units that are not packed yet. Nothing is sent by it.',
  access: { ...access, idempotency: 'required' },
  params: orderParams,
  query: actionQuery,
  body: {
    kind: 'json',
    schema: ShipmentInput,
    example: {
      lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 3 }],
      packages: [{ weight_g: 1200, length_mm: 300, width_mm: 200, height_mm: 150 }],
    },
  },
  ok: [
    {
      status: 201,
      description: 'The shipment, a draft',
      schema: ShipmentResult,
      example: example(DRAFT_SHIPMENT, 'accepted', 3),
    },
  ],
  errors: [...ofAction, errors.quantity_exceeds_open],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      { rule: (work) => pack(work, body.lines, body.packages ?? []), answer: withShipment },
    ),
});

const send = defineRoute({
  id: 'orders.shipments.dispatch',
  method: 'POST',
  path: '/{order_id}/shipments/{shipment_id}/dispatch',
  summary: 'Hand a parcel over',
  description:
    'With carrier and tracking number of the seller’s own, or without them by the label that was made here. Units leave the stock. `If-Match` is held against the shipment’s version.',
  access: { ...access, idempotency: 'optional' },
  params: shipmentParams,
  query: actionQuery,
  body: {
    kind: 'json',
    schema: DispatchInput,
    example: { carrier: 'australia_post', tracking_number: '2JD020603601000931508' },
  },
  ok: [
    {
      status: 200,
      description: 'The shipment afterwards',
      schema: ShipmentResult,
      example: example(SENT_SHIPMENT, 'shipped', 4),
    },
  ],
  errors: [...ofAction, errors.already_dispatched],
  handler: (ctx, { params, query, headers, body }) => {
    const parcel = readParcel(body);
    return act(
      ctx,
      { params, query, headers, version: body.version },
      {
        tag: shipmentTag(params.shipment_id),
        rule: (work) => dispatch(work, params.shipment_id, parcel, body.dispatched_at),
        answer: withShipment,
      },
    );
  },
});

const correct = defineRoute({
  id: 'orders.tracking.update',
  method: 'PATCH',
  path: '/{order_id}/shipments/{shipment_id}/tracking',
  summary: 'Correct the tracking number of a parcel',
  description: 'Within seven days of dispatch, while the parcel is on its way.',
  access: { ...access, idempotency: 'none' },
  params: shipmentParams,
  query: actionQuery,
  body: {
    kind: 'json',
    schema: TrackingInput,
    example: { tracking_number: '2JD020603601000931508', reason: 'Mistyped' },
  },
  ok: [
    {
      status: 200,
      description: 'The shipment afterwards',
      schema: ShipmentResult,
      example: example(SENT_SHIPMENT, 'shipped', 5),
    },
  ],
  errors: [...ofAction, errors.tracking_window_passed],
  handler: (ctx, { params, query, headers, body }) =>
    act(
      ctx,
      { params, query, headers, version: body.version },
      {
        tag: shipmentTag(params.shipment_id),
        rule: (work) => {
          const shipment = shipmentOf(work.order, params.shipment_id);
          const carrier = body.carrier ?? shipment.carrier ?? undefined;
          const parcel = readParcel({ ...body, carrier });
          return parcel === undefined
            ? shipment
            : changeTracking(work, params.shipment_id, parcel, body.reason);
        },
        answer: withShipment,
      },
    ),
});

export const shipmentRoutes = [create, send, correct];
