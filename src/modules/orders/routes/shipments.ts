import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';
import { okJson } from '../../../platform/http/define-route.ts';
import { changeTracking, dispatch, pack, shipmentOf } from '../domain/shipments.ts';
import { errors } from '../errors.ts';
import { DRAFT_SHIPMENT, SENT_SHIPMENT } from '../schemas/examples.ts';
import { PackageSchema, ShipmentResult } from '../schemas/order.ts';
import { lineChoices, orderParams, shipmentParams, text, version, Words } from '../schemas/parts.ts';
import { answerWithShipment, shipmentTag } from './answer-with-shipment.ts';
import { defineAction } from './define-action.ts';
import { readParcel } from './read-parcel.ts';

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
const Tracking = Words(64, 'Tracking number as the carrier prints it; blanks and case are ignored');
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
  { title: 'DispatchInput', description: 'The dispatch of a parcel.' },
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
    'Packs all accepted units that are not packed yet, or those in `lines`. The parcel stays a draft until it is dispatched.',
  idempotency: 'required',
  params: orderParams,
  body: ShipmentInput,
  example: {
    lines: [{ order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8', quantity: 3 }],
    packages: [{ weight_g: 1200, length_mm: 300, width_mm: 200, height_mm: 150 }],
  },
  ok: okJson('The draft shipment', ShipmentResult, example(DRAFT_SHIPMENT, 'accepted', 3), 201),
  errors: [errors.quantity_exceeds_open, errors.supplied_by_dropship],
  rule: (work, { body }) => pack(work, body.lines, body.packages ?? []),
  answer: answerWithShipment,
});

const send = defineAction({
  id: 'orders.shipments.dispatch',
  path: '/{order_id}/shipments/{shipment_id}/dispatch',
  summary: 'Dispatch a parcel',
  description:
    'Send your own carrier and tracking number, or neither when the parcel has a label. Its units leave the stock. `If-Match` is compared with the version of the shipment.',
  params: shipmentParams,
  body: DispatchInput,
  example: { carrier: 'australia_post', tracking_number: '2JD020603601000931508' },
  ok: okJson('The shipment afterwards', ShipmentResult, example(SENT_SHIPMENT, 'shipped', 4)),
  errors: [errors.already_dispatched, errors.supplied_by_dropship],
  tag: ({ shipment_id }) => shipmentTag(shipment_id),
  rule: (work, { params, body }) => dispatch(work, params.shipment_id, readParcel(body), body.dispatched_at),
  answer: answerWithShipment,
});

const correct = defineAction({
  id: 'orders.tracking.update',
  method: 'PATCH',
  path: '/{order_id}/shipments/{shipment_id}/tracking',
  summary: 'Correct the tracking number of a parcel',
  description: 'Allowed within seven days of dispatch, while the parcel is on its way.',
  idempotency: 'none',
  params: shipmentParams,
  body: TrackingInput,
  example: { tracking_number: '2JD020603601000931508', reason: 'Mistyped' },
  ok: okJson('The shipment afterwards', ShipmentResult, example(SENT_SHIPMENT, 'shipped', 5)),
  errors: [errors.tracking_window_passed, errors.supplied_by_dropship],
  tag: ({ shipment_id }) => shipmentTag(shipment_id),
  rule: (work, { params, body }) => {
    const shipment = shipmentOf(work.order, params.shipment_id);
    const carrier = body.carrier ?? shipment.carrier ?? undefined;
    const parcel = readParcel({ ...body, carrier });
    return parcel === undefined ? shipment : changeTracking(work, params.shipment_id, parcel, body.reason);
  },
  answer: answerWithShipment,
});

export const shipmentRoutes = [create, send, correct];
