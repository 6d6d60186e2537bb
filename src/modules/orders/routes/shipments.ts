import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';
import { changeTracking, dispatch, pack, shipmentOf } from '../domain/shipments.ts';
import { errors } from '../errors.ts';
import { DRAFT_SHIPMENT, SENT_SHIPMENT } from '../schemas/examples.ts';
import { PackageSchema, ShipmentResult } from '../schemas/order.ts';
import { lineChoices, orderParams, shipmentParams, text, version, Words } from '../schemas/parts.ts';
import { defineAction } from './define-action.ts';
import { readParcel } from './read-parcel.ts';
import { shipmentTag, withShipment } from './with-shipment.ts';

const PACKAGES_MAX = 50;
const example = (shipment: object | null, order_status: string, order_version: number) => ({
  ...shipment,
  order_status,
  order_version,
});

const ShipmentInput = Type.Object(
  {
    lines: lineChoices,
    packages: Type.Optional(
      Type.Array(PackageSchema, {
        minItems: 1,
        maxItems: PACKAGES_MAX,
        description: 'Packages of the parcel; labels need them',
      }),
    ),
    version,
  },
  { title: 'ShipmentInput', description: 'A parcel to pack.' },
);
const Carrier = Words(64, 'Carrier, one of `GET /shipping/carriers`');
const Tracking = Words(64, 'Tracking number as the carrier prints it; blanks and case do not matter');
export const DispatchInput = Type.Object(
  {
    carrier: Type.Optional(Carrier),
    service: text(64, 'Service of the carrier; for your own records'),
    tracking_number: Type.Optional(Tracking),
    dispatched_at: Type.Optional(
      Instant({
        description:
          'When the carrier took the parcel; defaults to now. Not in the future and not before acceptance',
      }),
    ),
    version,
  },
  { title: 'DispatchInput', description: 'How a parcel was handed over.' },
);
const TrackingInput = Type.Object(
  {
    carrier: Type.Optional(Carrier),
    tracking_number: Tracking,
    reason: text(500, 'Why the number is corrected'),
    version,
  },
  { title: 'TrackingInput', description: 'The corrected tracking number of a parcel.' },
);

const create = defineAction({
  id: 'orders.shipments.create',
  path: '/{order_id}/shipments',
  summary: 'Pack accepted units into a parcel',
  description:
    'Packs all accepted units that are not packed yet, or those in `lines`. The parcel is a draft: nothing is sent.',
  idempotency: 'required',
  params: orderParams,
  body: ShipmentInput,
  example: {
    lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 3 }],
    packages: [{ weight_g: 1200, length_mm: 300, width_mm: 200, height_mm: 150 }],
  },
  ok: [
    {
      status: 201,
      description: 'The shipment, a draft',
      schema: ShipmentResult,
      example: example(DRAFT_SHIPMENT, 'accepted', 3),
    },
  ],
  errors: [errors.quantity_exceeds_open],
  rule: (work, { body }) => pack(work, body.lines, body.packages ?? []),
  answer: withShipment,
});

const send = defineAction({
  id: 'orders.shipments.dispatch',
  path: '/{order_id}/shipments/{shipment_id}/dispatch',
  summary: 'Hand a parcel over',
  description:
    'With carrier and tracking number of the seller’s own, or without them by the label that was made here. Units leave the stock. `If-Match` is held against the shipment’s version.',
  params: shipmentParams,
  body: DispatchInput,
  example: { carrier: 'australia_post', tracking_number: '2JD020603601000931508' },
  ok: [
    {
      status: 200,
      description: 'The shipment afterwards',
      schema: ShipmentResult,
      example: example(SENT_SHIPMENT, 'shipped', 4),
    },
  ],
  errors: [errors.already_dispatched],
  tag: ({ shipment_id }) => shipmentTag(shipment_id),
  rule: (work, { params, body }) => dispatch(work, params.shipment_id, readParcel(body), body.dispatched_at),
  answer: withShipment,
});

const correct = defineAction({
  id: 'orders.tracking.update',
  method: 'PATCH',
  path: '/{order_id}/shipments/{shipment_id}/tracking',
  summary: 'Correct the tracking number of a parcel',
  description: 'Within seven days of dispatch, while the parcel is on its way.',
  idempotency: 'none',
  params: shipmentParams,
  body: TrackingInput,
  example: { tracking_number: '2JD020603601000931508', reason: 'Mistyped' },
  ok: [
    {
      status: 200,
      description: 'The shipment afterwards',
      schema: ShipmentResult,
      example: example(SENT_SHIPMENT, 'shipped', 5),
    },
  ],
  errors: [errors.tracking_window_passed],
  tag: ({ shipment_id }) => shipmentTag(shipment_id),
  rule: (work, { params, body }) => {
    const shipment = shipmentOf(work.order, params.shipment_id);
    const carrier = body.carrier ?? shipment.carrier ?? undefined;
    const parcel = readParcel({ ...body, carrier });
    return parcel === undefined ? shipment : changeTracking(work, params.shipment_id, parcel, body.reason);
  },
  answer: withShipment,
});

export const shipmentRoutes = [create, send, correct];
