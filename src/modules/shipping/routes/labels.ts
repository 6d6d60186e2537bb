/** Labels of all orders: the list, one as a file, and many as one file. The routes below an order buy and void them. */
import Type, { type Static } from 'typebox';
import { dayOf } from '../../../kernel/australia/sydney.ts';
import { coreErrors, type FieldProblem, fail, invalid, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { currencyExponent, minorToJson } from '../../../kernel/money.ts';
import { described, Instant, Nullable, nameFilter, StringEnum } from '../../../kernel/schema.ts';
import { buyerErrors } from '../../../platform/buyers/errors.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { labelFile } from '../actions/label-file.ts';
import { renderLabels } from '../actions/render-label.ts';
import { labelsOf, type Label as Printed } from '../domain/label.ts';
import { RATE_CURRENCY } from '../domain/rate-table.ts';
import { shippingErrors } from '../errors.ts';
import { LABEL_CONTENT_TYPES, LabelPrintQuery, LabelStatus, PaperSize } from '../schemas/label-print.ts';
import { CarrierCode } from '../schemas/quote.ts';
import { findLabel, type LabelRow, listLabels, parcelsToLabel } from '../store/labels.ts';

/** One file is made in memory; fifty labels are a morning's work at a packing table. */
const SHEET_LABELS_MAX = 50;

const Label = Type.Object(
  {
    label_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    shipment_id: Type.String(),
    status: LabelStatus,
    carrier: Type.String(),
    service: Type.String(),
    tracking_number: Type.String({ description: 'Number of the first package' }),
    tracking_numbers: Type.Array(Type.String(), { description: 'Numbers of all packages, in their order' }),
    price_minor: Type.Integer({ description: 'What the label costs, in minor units' }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    created_at: Instant(),
    voided_at: Nullable(Instant({ description: 'When the label was voided; null while it can be used' })),
  },
  { title: 'ShippingLabel', description: 'A label, and the parcel of which order it is for.' },
);

const EXAMPLE: Static<typeof Label> = {
  label_id: 'lbl_01j0000000000000000000000',
  order_id: 'ord_01j0000000000000000000000',
  order_number: '1002',
  shipment_id: 'shp_01j0000000000000000000000',
  status: 'purchased',
  carrier: 'own',
  service: 'express',
  tracking_number: 'SPX1000000000000008',
  tracking_numbers: ['SPX1000000000000008'],
  price_minor: 1_245,
  currency: RATE_CURRENCY,
  currency_exponent: 2,
  created_at: '2026-06-28T03:00:00.000Z',
  voided_at: null,
};

function view({ content, price_minor, ...label }: LabelRow): Static<typeof Label> {
  return {
    ...label,
    tracking_numbers: [...content.tracking_numbers],
    price_minor: minorToJson(price_minor),
    currency: RATE_CURRENCY,
    currency_exponent: currencyExponent(RATE_CURRENCY),
  };
}

const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));
const instant = (at: number): string => new Date(at).toISOString();

const list = pageRoute({
  id: 'shipping.labels.list',
  path: '/labels',
  summary: 'List labels',
  description: 'Labels of all orders, newest first; also those that were voided.',
  access: reads('shipping'),
  filters: {
    order_id: nameFilter('Labels of this order'),
    status: Type.Optional(described('Labels with this status', LabelStatus)),
    carrier: Type.Optional(described('Labels of this carrier', CarrierCode)),
    created_from: Day('First day in Sydney on which they were made'),
    created_to: Day('Last day in Sydney, inclusive'),
  },
  schema: Label,
  example: EXAMPLE,
  read: (ctx, { filters: { created_from, created_to, ...rest }, after, limit }) =>
    listLabels(
      ctx,
      {
        ...rest,
        ...(created_from !== undefined && { from: instant(dayOf(created_from).start) }),
        ...(created_to !== undefined && { to: instant(dayOf(created_to).next) }),
      },
      after,
      limit,
    ),
  position: ({ created_at, label_id }) => [created_at, label_id],
  view,
});

const get = defineRoute({
  id: 'shipping.labels.get',
  method: 'GET',
  path: '/labels/{label_id}',
  summary: 'Print a label',
  description: 'Every print of a label is the same. ZPL labels are always A6. A void label is not printed.',
  access: reads('shipping'),
  params: Type.Object({ label_id: Type.String({ description: 'Id of the label, `lbl_…`' }) }),
  query: LabelPrintQuery,
  ok: [{ status: 200, description: 'The label', contentTypes: LABEL_CONTENT_TYPES }],
  errors: [coreErrors.not_found, shippingErrors.label_voided, buyerErrors.buyer_erased],
  handler: async (ctx, { params, query }) => {
    const label = requireFound(await findLabel(ctx, idOf('lbl_', params.label_id)));
    if (label.status === 'voided') throw fail(shippingErrors.label_voided);
    return labelFile(label, query);
  },
});

const SheetInput = Type.Object(
  {
    shipments: Type.Array(
      Type.Object({
        order_id: Type.String({ maxLength: 100 }),
        shipment_id: Type.String({ maxLength: 100 }),
      }),
      {
        minItems: 1,
        maxItems: SHEET_LABELS_MAX,
        uniqueItems: true,
        description: 'Parcels whose labels exist',
      },
    ),
    size: Type.Optional(PaperSize),
    order: Type.Optional(
      StringEnum(['given', 'sku'], {
        default: 'given',
        description: 'Order of the pages: as in `shipments`, or by the first SKU of each parcel',
      }),
    ),
  },
  { title: 'LabelSheetInput', description: 'Which labels to print as one file.' },
);

const shipmentProblem = (index: number, type: string, msg: string, input: string): FieldProblem => ({
  loc: ['body', 'shipments', index, 'shipment_id'],
  type,
  msg,
  input,
});

const sheet = defineRoute({
  id: 'shipping.label_sheets.create',
  method: 'POST',
  path: '/label-sheets',
  summary: 'Print many labels as one PDF',
  description: `At most ${SHEET_LABELS_MAX} labels; each package has its own. Nothing is written, so an Idempotency-Key is not needed. When labels are missing, \`shipment_ids\` of the 409 names their parcels and nothing is printed.`,
  access: { ...writes('shipping'), permission: 'shipping:read', rate: 'export', idempotency: 'none' },
  body: {
    kind: 'json',
    schema: SheetInput,
    example: {
      shipments: [{ order_id: EXAMPLE.order_id, shipment_id: EXAMPLE.shipment_id }],
      size: 'a6',
      order: 'sku',
    },
  },
  ok: [{ status: 200, description: 'The labels', contentTypes: ['application/pdf'] }],
  errors: [shippingErrors.label_missing],
  handler: async (ctx, { body: { shipments, size = 'a6', order = 'given' } }) => {
    const parcels = await parcelsToLabel(
      ctx,
      shipments.map(({ shipment_id }) => shipment_id),
    );
    const byId = new Map(parcels.map((parcel) => [parcel.shipment_id, parcel]));
    const unknown = shipments.flatMap(({ order_id, shipment_id }, index) => {
      if (byId.get(shipment_id)?.order_id === order_id) return [];
      const msg = 'You have no such parcel in this order; it may be cancelled.';
      return [shipmentProblem(index, 'shipment_unknown', msg, shipment_id)];
    });
    if (unknown.length > 0) throw invalid(unknown);
    const chosen = shipments.flatMap(({ shipment_id }) => byId.get(shipment_id) ?? []);
    const missing = chosen.filter(({ label }) => label === undefined || label.content.erased);
    if (missing.length > 0)
      throw fail(shippingErrors.label_missing, {
        detail:
          'Some of the parcels have no label, or its buyer was erased. Buy their labels first, or leave these parcels out.',
        facts: { shipment_ids: missing.map(({ shipment_id }) => shipment_id) },
      });
    if (order === 'sku') chosen.sort(bySku);
    const labels = chosen.flatMap(({ label }): Printed[] => (label === undefined ? [] : labelsOf(label)));
    const [first, ...others] = labels;
    if (first === undefined || labels.length > SHEET_LABELS_MAX) {
      const msg = `These parcels have ${labels.length} labels, at most ${SHEET_LABELS_MAX} make one file; send fewer.`;
      throw invalid([{ loc: ['body', 'shipments'], type: 'too_many_labels', msg }]);
    }
    const { type, data } = await renderLabels([first, ...others], { format: 'pdf', size });
    const headers = {
      'content-length': String(data.length),
      'content-disposition': `inline; filename="labels-${labels.length}.pdf"`,
    };
    return { headers, content: { type, data } };
  },
});

/** By the first SKU; parcels without one come last, and equal ones stay in the given order. */
function bySku(a: { readonly seller_sku: string | null }, b: { readonly seller_sku: string | null }): number {
  const [left, right] = [a.seller_sku ?? '\u{10ffff}', b.seller_sku ?? '\u{10ffff}'];
  return left < right ? -1 : left > right ? 1 : 0;
}

export const labelRoutes = [list, get, sheet];
