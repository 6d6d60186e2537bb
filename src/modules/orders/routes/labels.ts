import Type from 'typebox';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { renderLabels, shippingErrors } from '../../shipping/index.ts';
import { labelOf, voidLabel } from '../domain/labels.ts';
import type { LabelParty } from '../domain/order.ts';
import { errors, ofAction, ofOrder } from '../errors.ts';
import { DRAFT_SHIPMENT } from '../schemas/examples.ts';
import { ShipmentResult } from '../schemas/order.ts';
import { actionQuery, shipmentParams, text, version } from '../schemas/parts.ts';
import { loadOrder } from '../store/load-orders.ts';
import { act } from './act.ts';
import { buyLabel } from './buy-label-route.ts';
import { shipmentTag } from './with-shipment.ts';

const write = { auth: 'seller', permission: 'orders:write', rate: 'write' } as const;
const PACKAGES_MAX = 50;

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
  summary: 'Make a label for a parcel',
  description:
    'The built-in carrier `own` makes labels without any account. A quote is used up by it; a label that is voided does not bring it back.',
  access: { ...write, idempotency: 'required' },
  params: shipmentParams,
  query: actionQuery,
  rehearsable: true,
  body: { kind: 'json', schema: LabelInput, example: { carrier: 'own', service: 'standard' } },
  ok: [
    { status: 201, description: 'The shipment with its label', schema: ShipmentResult, example: labelled },
  ],
  errors: [
    ...ofAction,
    errors.already_dispatched,
    errors.label_exists,
    errors.label_in_progress,
    errors.packages_missing,
    errors.quote_used,
    errors.quote_expired,
    errors.quote_mismatch,
    shippingErrors.carrier_not_connected,
    shippingErrors.carrier_refused,
    shippingErrors.carrier_unavailable,
  ],
  tx: 'own',
  handler: (ctx, { params, query, headers, body, key }) =>
    buyLabel(ctx, { params, query, headers, version: body.version, body, key }),
});

/** The postcode of a sender without a street is one that the price was worked out from: nobody could send it back there. */
const printedSender = (from: LabelParty): LabelParty =>
  from.line1 === '' ? { ...from, city: '', state: null, postcode: null } : from;

const get = defineRoute({
  id: 'orders.labels.get',
  method: 'GET',
  path: '/{order_id}/shipments/{shipment_id}/label',
  summary: 'Print the label of a parcel',
  description: 'A label is the same however often it is printed. ZPL labels are always A6.',
  access: { auth: 'seller', permission: 'orders:read', rate: 'read', idempotency: 'none' },
  params: shipmentParams,
  query: Type.Object({
    format: Type.Optional(
      StringEnum(['pdf', 'png', 'zpl'], { default: 'pdf', description: 'File format of the label' }),
    ),
    size: Type.Optional(
      StringEnum(['a6', 'a4'], { default: 'a6', description: 'Paper size; ZPL labels are always A6' }),
    ),
    package: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PACKAGES_MAX,
        description:
          'Number of the package, from 1; without it every package has a page. A PNG shows one package, by default the first',
      }),
    ),
  }),
  ok: [
    {
      status: 200,
      description: 'The label',
      contentTypes: ['application/pdf', 'image/png', 'application/zpl'],
    },
  ],
  errors: ofOrder,
  handler: async (ctx, { params, query }) => {
    const { format = 'pdf', size = 'a6', package: chosen } = query;
    const order = await loadOrder(ctx.db, ctx.seller.seller_id, params.order_id);
    const shipment = order?.shipments.find(({ shipment_id }) => shipment_id === params.shipment_id);
    const label = order === undefined || shipment === undefined ? undefined : labelOf(order, shipment);
    if (label === undefined) throw fail(coreErrors.not_found);
    const { tracking_numbers, packages, carrier_reference: _, ...content } = label.content;
    const all = tracking_numbers.map((tracking_number, index) => ({
      ...content,
      from: printedSender(content.from),
      carrier: label.carrier,
      service: label.service,
      tracking_number,
      parcel: { number: index + 1, count: packages.length, weight_g: packages[index]?.weight_g ?? 0 },
      created_at: label.created_at,
    }));
    const [first, ...others] = chosen === undefined ? all : all.slice(chosen - 1, chosen);
    if (first === undefined) throw fail(coreErrors.not_found);
    const file = await renderLabels([first, ...others], { format, size });
    return {
      etag: `${label.label_id}.${format}.${size}.${chosen ?? 'all'}`,
      headers: {
        'content-length': String(file.data.length),
        'content-disposition': `inline; filename="${first.tracking_number}.${format}"`,
      },
      content: { type: file.type, data: file.data },
    };
  },
});

const remove = defineRoute({
  id: 'orders.labels.delete',
  method: 'DELETE',
  path: '/{order_id}/shipments/{shipment_id}/label',
  summary: 'Void the label of a parcel that is not handed over',
  description:
    'The service voids the label with the carrier as soon as the carrier answers. If the carrier refuses, the history says so.',
  access: { ...write, idempotency: 'none' },
  params: shipmentParams,
  query: actionQuery,
  ok: [{ status: 204, description: 'Voided' }],
  errors: [...ofAction, errors.already_dispatched, errors.label_missing],
  handler: (ctx, { params, query, headers }) =>
    act(
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
