import Type, { type Static } from 'typebox';
import { coreErrors, fail, requireFound } from '../../../kernel/errors.ts';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { shownTag } from '../../../platform/http/etag.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { CarrierAdapter } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/adapters.ts';
import { carrierName, OWN_CARRIER, serviceName } from '../domain/carriers.ts';
import { MILESTONES, milestonesOf } from '../domain/milestones.ts';
import { normaliseTracking, trackingUrl } from '../domain/tracking-number.ts';
import {
  findParcel,
  OPEN_STATUSES,
  openParcels,
  type ParcelRow,
  receiverOf,
  type ScanRow,
  scansOf,
} from '../store/parcels.ts';

/** No carrier has longer numbers. */
const NUMBER_CHARS_MAX = 60;

const destination = described(
  'Where the parcel goes',
  Type.Object({
    city: Nullable(Type.String()),
    state: Nullable(Type.String({ description: 'State or territory' })),
    postcode: Nullable(Type.String()),
    country: Nullable(Type.String()),
  }),
);

const Tracking = Type.Object(
  {
    tracking_number: Type.String(),
    carrier: Type.String(),
    carrier_name: Type.String({ description: 'Name of the carrier' }),
    service: Nullable(Type.String()),
    service_name: Nullable(Type.String({ description: 'Name of the service' })),
    tracking_url: Nullable(Type.String({ description: 'Web page on which the carrier shows the parcel' })),
    status: Type.String({ description: 'State of the shipment' }),
    milestones: described(
      'Stations of the way, in order',
      Type.Array(
        Type.Object({
          milestone: StringEnum(MILESTONES, { description: 'Station on the way' }),
          reached: Type.Boolean({ description: 'Whether the parcel has been there' }),
          at: Nullable(Instant({ description: 'Null: not reached, or the instant is unknown' })),
        }),
      ),
    ),
    shipment_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    packages: Type.Integer({ description: 'Number of packages' }),
    destination,
    events: Type.Array(
      Type.Object({
        status: Type.String({
          description: 'State of the shipment after this update, unless a newer one is known',
        }),
        at: Instant({ description: 'When it happened' }),
        location: Nullable(Type.String({ description: 'Where it happened' })),
        detail: Nullable(Type.String({ description: 'What the carrier said about it' })),
      }),
      { description: 'Updates by the marketplace, newest first' },
    ),
    live: described(
      'What the carrier says now',
      Type.Object({
        status: StringEnum(['not_asked', 'not_connected', 'ok', 'unavailable'], {
          description: 'Whether the carrier itself was asked (`live=true`), and answered',
        }),
        events: Type.Array(
          Type.Object({
            at: Instant({ description: 'When it happened' }),
            description: Type.String({ description: 'What happened, in the carrier’s words' }),
            location: Nullable(Type.String({ description: 'Where it happened' })),
          }),
          { description: 'What the carrier says, newest first' },
        ),
      }),
    ),
  },
  { title: 'Tracking', description: 'Where a parcel is.' },
);
type Wire = Static<typeof Tracking>;

const EXAMPLE: Wire = {
  tracking_number: 'SPX1000000000000008',
  carrier: OWN_CARRIER,
  carrier_name: 'Own delivery',
  service: 'express',
  service_name: 'Express',
  tracking_url: null,
  status: 'in_transit',
  milestones: [
    { milestone: 'label_created', reached: true, at: '2026-06-28T03:00:00.000Z' },
    { milestone: 'dispatched', reached: true, at: '2026-06-28T04:00:00.000Z' },
    { milestone: 'in_transit', reached: true, at: '2026-06-29T06:00:00.000Z' },
    { milestone: 'out_for_delivery', reached: false, at: null },
    { milestone: 'delivered', reached: false, at: null },
  ],
  shipment_id: 'shp_01j0000000000000000000000',
  order_id: 'ord_01j0000000000000000000000',
  order_number: '1002',
  packages: 1,
  destination: { city: 'Carlton', state: 'VIC', postcode: '3053', country: 'AU' },
  events: [
    { status: 'in_transit', at: '2026-06-29T06:00:00.000Z', location: 'Sydney NSW', detail: 'Sorted' },
  ],
  live: { status: 'not_asked', events: [] },
};

/** @param tracking_number the number in the request. If there are several packages, each has its own. */
function view(
  parcel: ParcelRow,
  scans: readonly ScanRow[],
  tracking_number: string,
  live: Wire['live'],
): Wire {
  return {
    ...parcelOf(parcel, tracking_number),
    milestones: milestonesOf({ ...parcel, scans }),
    events: [...scans],
    live,
  };
}

/** The carrier's tracking events. If the carrier fails, the page shows the parcel without them. */
async function askLive(adapter: CarrierAdapter | undefined, number: string): Promise<Wire['live']> {
  if (adapter === undefined || adapter.carrier === OWN_CARRIER)
    return { status: 'not_connected', events: [] };
  try {
    return { status: 'ok', events: [...(await adapter.track(number))] };
  } catch {
    return { status: 'unavailable', events: [] };
  }
}

const get = defineRoute({
  id: 'shipping.tracking.get',
  method: 'GET',
  path: '/tracking/{tracking_number}',
  summary: 'Read where a parcel is',
  description:
    'Finds one of the seller’s parcels by the number on its label; blanks and case do not matter. With `live=true` a connected carrier is asked too.',
  access: reads('shipping'),
  params: Type.Object({
    tracking_number: Type.String({ description: 'Number of the parcel; blanks and case do not matter' }),
  }),
  query: Type.Object({
    live: Type.Optional(Type.Boolean({ default: false, description: 'Whether to ask the carrier now' })),
  }),
  ok: okJson('The parcel', Tracking, EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params, query }) => {
    const number = normaliseTracking(params.tracking_number);
    if (number.length > NUMBER_CHARS_MAX) throw fail(coreErrors.not_found);
    const parcel = requireFound(await findParcel(ctx, number));
    const live = query.live
      ? await askLive(adapterOf(ctx.config, ctx.log, parcel.carrier), number)
      : { status: 'not_asked' as const, events: [] };
    const scans = await scansOf(ctx, parcel.shipment_id);
    const body = view(parcel, scans, number, live);
    return { body, etag: shownTag(parcel.shipment_id, body) };
  },
});

const OpenParcel = Type.Object(
  {
    tracking_number: Type.String({ description: 'Number of the first package' }),
    carrier: Type.String(),
    carrier_name: Type.String({ description: 'Name of the carrier for people' }),
    service: Nullable(Type.String()),
    service_name: Nullable(Type.String({ description: 'Name of the service for people' })),
    tracking_url: Nullable(Type.String({ description: 'Web page on which the carrier shows the parcel' })),
    status: Type.String({ description: 'State of the shipment' }),
    shipment_id: Type.String(),
    order_id: Type.String(),
    order_number: Type.String(),
    packages: Type.Integer({ description: 'Number of packages' }),
    destination,
    labelled_at: Nullable(Instant({ description: 'When its label was made; null: elsewhere' })),
    dispatched_at: Nullable(Instant({ description: 'When it was handed over; null: not yet' })),
    dispatch_by: Nullable(Instant({ description: 'Dispatch deadline of its order; null: it has none' })),
    late: Type.Boolean({
      description: 'Handed over after the deadline, or still not handed over though it has passed',
    }),
  },
  { title: 'OpenParcel', description: 'A parcel with a tracking number that has not reached its end.' },
);

const OPEN_EXAMPLE: Static<typeof OpenParcel> = {
  tracking_number: EXAMPLE.tracking_number,
  carrier: OWN_CARRIER,
  carrier_name: 'Own delivery',
  service: 'express',
  service_name: 'Express',
  tracking_url: null,
  status: 'in_transit',
  shipment_id: EXAMPLE.shipment_id,
  order_id: EXAMPLE.order_id,
  order_number: '1002',
  packages: 1,
  destination: EXAMPLE.destination,
  labelled_at: '2026-06-28T03:00:00.000Z',
  dispatched_at: '2026-06-28T04:00:00.000Z',
  dispatch_by: '2026-06-30T14:00:00.000Z',
  late: false,
};

/** What the list and the page of one parcel show alike. */
function parcelOf(parcel: ParcelRow, tracking_number: string) {
  const { carrier, service, status, shipment_id, order_id, order_number, packages } = parcel;
  const { city, state, postcode, country } = receiverOf(parcel);
  return {
    ...{ tracking_number, carrier, service, status, shipment_id, order_id, order_number },
    carrier_name: carrierName(carrier),
    service_name: service === null ? null : serviceName(carrier, service),
    tracking_url: trackingUrl(carrier, tracking_number),
    packages: Math.max(1, packages?.length ?? 0),
    destination: { city, state, postcode, country },
  };
}

const list = pageRoute({
  id: 'shipping.tracking.list',
  path: '/tracking',
  summary: 'List the parcels that are on their way',
  description:
    'Parcels with a tracking number that are not delivered, lost, returned or cancelled, newest first. A parcel with a label is listed before it is handed over.',
  access: reads('shipping'),
  filters: {
    status: Type.Optional(StringEnum(OPEN_STATUSES, { description: 'Parcels in this state' })),
    late: Type.Optional(
      Type.Boolean({
        description:
          'Parcels that were handed over after the dispatch deadline of their order, or are still not handed over though it has passed; false: the others',
      }),
    ),
  },
  schema: OpenParcel,
  example: OPEN_EXAMPLE,
  read: (ctx, { filters, after, limit }) => openParcels(ctx, filters, after && String(after[0]), limit),
  position: ({ shipment_id }) => [shipment_id],
  view: (parcel, ctx) => {
    const { labelled_at, dispatched_at, dispatch_by } = parcel;
    const until = dispatched_at ?? ctx.at();
    return {
      ...parcelOf(parcel, parcel.tracking_number),
      ...{ labelled_at, dispatched_at, dispatch_by },
      late: dispatch_by !== null && Date.parse(until) > Date.parse(dispatch_by),
    };
  },
});

export const trackingRoutes = [list, get];
