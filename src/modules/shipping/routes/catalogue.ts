import Type, { type Static } from 'typebox';
import { described, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { carrierAdapters } from '../adapters/adapters.ts';
import { CARRIERS, type Carrier, type CarrierService } from '../domain/carriers.ts';
import { CarrierCode } from '../schemas/quote.ts';

const tracking = {
  tracking_pattern: Type.String({
    description: 'ECMAScript regular expression over a tracking number without blanks, in upper case',
  }),
  tracking_example: Type.String({ description: 'A tracking number of the right form' }),
  tracking_url: Nullable(
    Type.String({ description: 'Address of the tracking page; `{tracking_number}` stands for the number' }),
  ),
};

const CarrierView = Type.Object(
  {
    carrier: Type.String(),
    name: Type.String({ description: 'Name of the carrier' }),
    kind: StringEnum(['carrier', 'own'], { description: '`own`: the seller delivers' }),
    connected: Type.Boolean({
      description:
        'Whether the service gets quotes and labels from the carrier; otherwise it only accepts tracking numbers',
    }),
    ...tracking,
    delivers_to_po_boxes: Type.Boolean({ description: 'Whether it delivers to PO boxes' }),
    delivers_to_parcel_lockers: Type.Boolean({ description: 'Whether it delivers to parcel lockers' }),
    authority_to_leave: Type.Boolean({ description: 'Whether parcels may be left without a signature' }),
    services: Type.Array(Type.String(), { description: 'Codes of its services' }),
  },
  { title: 'Carrier', description: 'A carrier that the service knows.' },
);

const ServiceView = Type.Object(
  {
    carrier: Type.String(),
    service: Type.String(),
    name: Type.String({ description: 'Name of the service' }),
    transit_days_min: Type.Integer({ description: 'The fewest business days in transit' }),
    transit_days_max: Type.Integer({ description: 'The most business days in transit' }),
    ...tracking,
    authority_to_leave: Type.Boolean({ description: 'Whether parcels may be left without a signature' }),
  },
  { title: 'ShippingService', description: 'A service of a carrier.' },
);

function showCarrier(carrier: Carrier, connected: readonly string[]): Static<typeof CarrierView> {
  const { code, name, kind, refuses, authority_to_leave, services } = carrier;
  const { tracking_pattern, tracking_example, tracking_url } = carrier;
  return {
    carrier: code,
    name,
    kind,
    connected: connected.includes(code),
    tracking_pattern,
    tracking_example,
    tracking_url,
    delivers_to_po_boxes: !refuses.includes('po_box'),
    delivers_to_parcel_lockers: !refuses.includes('parcel_locker'),
    authority_to_leave,
    services: services.map((service) => service.code),
  };
}

function showService(carrier: Carrier, service: CarrierService): Static<typeof ServiceView> {
  const { tracking_pattern, tracking_example, tracking_url, authority_to_leave } = carrier;
  const { code, ...rest } = service;
  return {
    carrier: carrier.code,
    service: code,
    ...rest,
    tracking_pattern,
    tracking_example,
    tracking_url,
    authority_to_leave,
  };
}

/** All rows are on one page. */
const whole = <T>(data: readonly T[]) => ({
  data,
  page: { limit: data.length, next_cursor: null, has_more: false },
});

const [first] = CARRIERS;
const exampleCarrier = first === undefined ? [] : [showCarrier(first, [first.code])];
const exampleService = first?.services[0] === undefined ? [] : [showService(first, first.services[0])];

const carriers = defineRoute({
  id: 'shipping.carriers.list',
  method: 'GET',
  path: '/carriers',
  summary: 'List carriers',
  description:
    'All carriers on one page, with the form of their tracking numbers and what they do not deliver.',
  access: reads('shipping'),
  ok: okJson('The carriers', Page(CarrierView), whole(exampleCarrier)),
  errors: [],
  handler: async (ctx) => {
    const connected = carrierAdapters(ctx.services.config, ctx.log).map(({ carrier }) => carrier);
    return { body: whole(CARRIERS.map((carrier) => showCarrier(carrier, connected))) };
  },
});

const services = defineRoute({
  id: 'shipping.services.list',
  method: 'GET',
  path: '/services',
  summary: 'List services of carriers',
  description: 'All services on one page.',
  access: reads('shipping'),
  query: Type.Object({ carrier: Type.Optional(described('Services of this carrier', CarrierCode)) }),
  ok: okJson('The services', Page(ServiceView), whole(exampleService)),
  errors: [],
  handler: async (_, { query }) => {
    const chosen = CARRIERS.filter(({ code }) => query.carrier === undefined || code === query.carrier);
    return {
      body: whole(chosen.flatMap((carrier) => carrier.services.map((one) => showService(carrier, one)))),
    };
  },
});

export const catalogueRoutes = [carriers, services];
