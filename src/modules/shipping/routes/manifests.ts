import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { described, Instant, Nullable } from '../../../kernel/schema.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { drawPdf } from '../../../platform/pdf/draw-pdf.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { makeManifest } from '../actions/make-manifest.ts';
import { manifestPages } from '../actions/manifest-pages.ts';
import { OWN_CARRIER } from '../domain/carriers.ts';
import { shippingErrors } from '../errors.ts';
import { CarrierCode } from '../schemas/quote.ts';
import { findManifest, linesOf, listManifests, type ManifestRow } from '../store/manifests.ts';

const params = Type.Object({ manifest_id: Type.String({ description: 'Id of the manifest, `man_…`' }) });
const Day = (description: string) => Type.String({ format: 'date', description });

const part = (description: string) => Nullable(Type.String({ description }));
const Sender = Type.Object(
  {
    name: part('Person or department'),
    company: part('Organisation'),
    line1: Type.String({ description: 'Street and number' }),
    line2: part('Unit, level'),
    city: Type.String({ description: 'Suburb or town, where the carrier takes the parcels over' }),
    state: part('State'),
    postcode: part('Postcode'),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    phone: part('Telephone number'),
  },
  {
    title: 'ManifestSender',
    description:
      'The address of the sender when the manifest was made: `dispatch_address` of the seller’s profile, or else its `return_address` or the `registered_address`; null when none was set',
  },
);

const summary = {
  manifest_id: Type.String(),
  carrier: Type.String(),
  dispatched_on: Day('Day in Sydney on which the parcels were dispatched'),
  number: Type.Integer({ description: 'Counts the manifests of a day and carrier, from 1' }),
  parcels: Type.Integer({ description: 'Number of parcels' }),
  weight_g: Type.Integer(),
  seller_name: Nullable(
    Type.String({ description: 'Business name of the seller; null in manifests of the release before' }),
  ),
  sender: Nullable(Sender),
  created_at: Instant(),
};
const ManifestSummary = Type.Object(summary, {
  title: 'ManifestSummary',
  description: 'A manifest without its parcels.',
});
const Manifest = Type.Object(
  {
    ...summary,
    lines: Type.Array(
      Type.Object({
        line_no: Type.Integer({ description: 'Place in the list, from 1' }),
        shipment_id: Type.String(),
        order_id: Type.String(),
        order_number: Type.String(),
        service: Type.String(),
        tracking_number: Type.String(),
        recipient: Type.String({ description: 'Name of the receiver' }),
        destination: Type.String({ description: 'Town, state and postcode, and the country abroad' }),
        postcode: Nullable(
          Type.String({
            description:
              'Postcode of the destination; null if the address has none, and in manifests of the release before',
          }),
        ),
        package: Type.Integer({ description: 'Which package of the shipment, from 1' }),
        packages: Type.Integer({ description: 'Number of packages of the shipment' }),
        weight_g: Type.Integer(),
      }),
      { description: 'One for each package, each under its own number where it has one' },
    ),
  },
  { title: 'Manifest', description: 'The parcels that a carrier takes on one day.' },
);

const SUMMARY_EXAMPLE: Static<typeof ManifestSummary> = {
  manifest_id: 'man_01j0000000000000000000000',
  carrier: OWN_CARRIER,
  dispatched_on: '2026-06-28',
  number: 1,
  parcels: 1,
  weight_g: 1250,
  seller_name: 'Blue Mug Pty Ltd',
  sender: {
    ...{ name: null, company: null, line1: '12 Harbour Street', line2: null },
    ...{ city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU', phone: null },
  },
  created_at: '2026-06-28T05:00:00.000Z',
};
const EXAMPLE: Static<typeof Manifest> = {
  ...SUMMARY_EXAMPLE,
  lines: [
    {
      line_no: 1,
      shipment_id: 'shp_01j0000000000000000000000',
      order_id: 'ord_01j0000000000000000000000',
      order_number: '1002',
      service: 'express',
      tracking_number: 'SPX1000000000000008',
      recipient: 'Kim Lee',
      destination: 'Carlton VIC 3053',
      postcode: '3053',
      package: 1,
      packages: 1,
      weight_g: 1250,
    },
  ],
};

const create = defineRoute({
  id: 'shipping.manifests.create',
  method: 'POST',
  path: '/manifests',
  summary: 'Make a manifest of the parcels of a day and carrier',
  description:
    'Lists the parcels that were dispatched on that day in Sydney and are on no manifest of the carrier yet, at most a thousand packages; the others are on the next manifest. If there are none, the answer is 200 with the last manifest of that day and carrier.',
  access: writes('shipping'),
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        carrier: described('Code of `GET /shipping/carriers`', CarrierCode),
        dispatched_on: Type.Optional(
          Day('Day in Sydney on which the parcels were dispatched; defaults to today'),
        ),
      },
      { title: 'ManifestInput', description: 'Which parcels to list.' },
    ),
    example: { carrier: OWN_CARRIER, dispatched_on: '2026-06-28' },
  },
  ok: [
    {
      status: 201,
      description: 'The new manifest; `Location` is its path',
      schema: Manifest,
      example: EXAMPLE,
    },
    { status: 200, description: 'No new parcels: the last manifest', schema: Manifest, example: EXAMPLE },
  ],
  errors: [shippingErrors.nothing_to_manifest],
  handler: async (ctx, { body, path }) => {
    const { carrier, dispatched_on = sydneyDate(ctx.now()) } = body;
    const { manifest, created } = await makeManifest(ctx, { carrier, dispatched_on });
    const lines = await linesOf(ctx, manifest.manifest_id);
    return {
      status: created ? 201 : 200,
      body: { ...manifest, lines },
      headers: { location: `${path}/${manifest.manifest_id}` },
    };
  },
});

const list = pageRoute({
  id: 'shipping.manifests.list',
  path: '/manifests',
  summary: 'List manifests',
  description: 'Newest first, without their lines.',
  access: reads('shipping'),
  filters: {
    carrier: Type.Optional(described('Manifests of this carrier', CarrierCode)),
    dispatched_on: Type.Optional(Day('Day in Sydney')),
  },
  schema: ManifestSummary,
  example: SUMMARY_EXAMPLE,
  read: (ctx, { filters, after, limit }) =>
    listManifests(ctx, filters, after === undefined ? undefined : String(after[0]), limit),
  position: ({ manifest_id }) => [manifest_id],
  view: (row) => row,
});

async function load(ctx: SellerDb, given: string): Promise<ManifestRow> {
  return requireFound(await findManifest(ctx, idOf('man_', given)));
}

const get = defineRoute({
  id: 'shipping.manifests.get',
  method: 'GET',
  path: '/manifests/{manifest_id}',
  summary: 'Read a manifest',
  description: 'Shows the parcels that a carrier was handed on one day.',
  access: reads('shipping'),
  params,
  ok: okJson('The manifest', Manifest, EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const row = await load(ctx, request.params.manifest_id);
    const lines = await linesOf(ctx, row.manifest_id);
    // A manifest never changes.
    return { body: { ...row, lines }, etag: row.manifest_id };
  },
});

const pdf = defineRoute({
  id: 'shipping.manifests.export',
  method: 'GET',
  path: '/manifests/{manifest_id}/pdf',
  summary: 'Download a manifest as PDF',
  description:
    'Office paper, with a place for the driver’s signature. The same manifest is always the same file.',
  access: { ...reads('shipping'), rate: 'export' },
  params,
  ok: [{ status: 200, description: 'The document', contentTypes: ['application/pdf'] }],
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const row = await load(ctx, request.params.manifest_id);
    const lines = await linesOf(ctx, row.manifest_id);
    const info = {
      title: `Manifest ${row.dispatched_on} no. ${row.number}`,
      madeAt: Date.parse(row.created_at),
    };
    const data = await drawPdf(await manifestPages(row, lines), info);
    return {
      content: { type: 'application/pdf', data },
      etag: `${row.manifest_id}.pdf`,
      headers: {
        'content-disposition': `attachment; filename="manifest-${row.dispatched_on}-${row.carrier}-${row.number}.pdf"`,
      },
    };
  },
});

export const manifestRoutes = [create, list, get, pdf];
