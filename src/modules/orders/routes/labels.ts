import Type from 'typebox';
import { missing, requireFound } from '../../../kernel/errors.ts';
import { buyerErrors } from '../../../platform/buyers/errors.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { LABEL_CONTENT_TYPES, LabelPrintQuery, labelFile, shippingErrors } from '../../shipping/index.ts';
import { labelOf, voidLabel } from '../domain/labels.ts';
import { errors, ofAction, ofOrder } from '../errors.ts';
import { DRAFT_SHIPMENT } from '../schemas/examples.ts';
import { ShipmentResult } from '../schemas/order.ts';
import { actionQuery, shipmentParams, text, version } from '../schemas/parts.ts';
import { loadOrder } from '../store/load-orders.ts';
import { shipmentTag } from './answer-with-shipment.ts';
import { buyLabel } from './buy-label-route.ts';
import { runAction } from './run-action.ts';

const write = { auth: 'seller', permission: 'orders:write', rate: 'write' } as const;

const LabelInput = Type.Object(
  {
    quote_id: text(100, 'Id of the quote'),
    option_id: text(100, 'Id of the option within the quote'),
    carrier: text(64, 'Carrier, one of `GET /shipping/carriers`'),
    service: text(64, 'Service of the carrier, one of `GET /shipping/services`'),
    version,
  },
  {
    title: 'LabelInput',
    description:
      'What to buy the label from: `quote_id` and `option_id` of a quote, or `carrier` and `service`.',
  },
);

const labelled = {
  ...DRAFT_SHIPMENT,
  carrier: 'own',
  service: 'standard',
  tracking_number: 'SPX1000000000000008',
  label: {
    label_id: 'lbl_06fh5m2k9x0008m1q4t7v2w5y8',
    status: 'purchased',
    carrier: 'own',
    service: 'standard',
    tracking_number: 'SPX1000000000000008',
    price_minor: 1_245,
    created_at: '2026-06-28T03:00:00.000Z',
    voided_at: null,
  },
  version: 2,
  order_status: 'accepted',
  order_version: 4,
};

const create = defineRoute({
  id: 'orders.labels.create',
  method: 'POST',
  path: '/{order_id}/shipments/{shipment_id}/label',
  summary: 'Buy a label for a parcel',
  description:
    'The built-in carrier `own` needs no account. Both addresses must fit on the label; it shows the `dispatch_address` of the seller’s profile, or else the `return_address` or the `registered_address`. A label uses up its quote; voiding the label does not release the quote.',
  access: { ...write, idempotency: 'required' },
  params: shipmentParams,
  query: actionQuery,
  rehearsable: true,
  body: { kind: 'json', schema: LabelInput, example: { carrier: 'own', service: 'standard' } },
  ok: okJson('The shipment with its label', ShipmentResult, labelled, 201),
  errors: [
    ...ofAction,
    errors.already_dispatched,
    errors.supplied_by_dropship,
    errors.label_exists,
    errors.label_in_progress,
    errors.packages_missing,
    errors.quote_used,
    errors.quote_expired,
    errors.quote_mismatch,
    shippingErrors.sender_address_missing,
    shippingErrors.address_too_long,
    shippingErrors.carrier_not_connected,
    shippingErrors.carrier_refused,
    shippingErrors.carrier_unavailable,
  ],
  tx: 'own',
  handler: (ctx, { params, query, headers, body, key }) =>
    buyLabel(ctx, { params, query, headers, version: body.version, body, key }),
});

const get = defineRoute({
  id: 'orders.labels.get',
  method: 'GET',
  path: '/{order_id}/shipments/{shipment_id}/label',
  summary: 'Print the label of a parcel',
  description: 'Every print of a label is the same. ZPL labels are always A6.',
  access: { auth: 'seller', permission: 'orders:read', rate: 'read', idempotency: 'none' },
  params: shipmentParams,
  query: LabelPrintQuery,
  ok: [{ status: 200, description: 'The label', contentTypes: LABEL_CONTENT_TYPES }],
  errors: [...ofOrder, buyerErrors.buyer_erased],
  handler: async (ctx, { params, query }) => {
    const order = requireFound(await loadOrder(ctx, params.order_id));
    const { shipment_id: id } = params;
    const label = labelOf(order, requireFound(order.shipments.find(({ shipment_id }) => shipment_id === id)));
    if (label === undefined) throw missing(`label of shipment ${id}`);
    return labelFile(label, query);
  },
});

const remove = defineRoute({
  id: 'orders.labels.delete',
  method: 'DELETE',
  path: '/{order_id}/shipments/{shipment_id}/label',
  summary: 'Void the label of a parcel that is not dispatched',
  description:
    'The service voids the label with the carrier as soon as the carrier answers. If the carrier refuses, the history says so.',
  access: { ...write, idempotency: 'none' },
  params: shipmentParams,
  query: actionQuery,
  ok: [{ status: 204, description: 'Voided' }],
  errors: [...ofAction, errors.already_dispatched, errors.supplied_by_dropship, errors.label_missing],
  handler: (ctx, { params, query, headers }) =>
    runAction(
      ctx,
      { params, query, headers },
      {
        tag: shipmentTag(params.shipment_id),
        rule: (work) => voidLabel(work, params.shipment_id),
        answer: () => ({ status: 204 }),
      },
    ),
});

export const labelRoutes = [create, get, remove];
