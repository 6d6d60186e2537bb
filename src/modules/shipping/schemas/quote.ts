import Type, { type Static } from 'typebox';
import { COUNTRY, Instant, Nullable, POSTCODE, StringEnum } from '../../../kernel/schema.ts';
import { CARRIERS } from '../domain/carriers.ts';

/** The most parcels that the carriers accept in one consignment. */
const PACKAGES_MAX = 20;
const side = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000, description });

const Package = Type.Object(
  {
    weight_g: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Weight in grams' }),
    length_mm: side('Outer dimension in millimetres'),
    width_mm: side('Outer dimension in millimetres'),
    height_mm: side('Outer dimension in millimetres'),
  },
  { title: 'ShippingPackage', description: 'Weight and outer dimensions of a package.' },
);

export const CarrierCode = StringEnum(
  CARRIERS.map(({ code }) => code),
  { title: 'CarrierCode', description: 'A carrier of `GET /shipping/carriers`' },
);

/** The parts of an address that prices depend on. */
export const destination = {
  line1: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 120,
        description: 'First line of the address; it shows PO boxes and parcel lockers',
      }),
    ),
  ),
  line2: Type.Optional(Nullable(Type.String({ maxLength: 120, description: 'Second line of the address' }))),
  state: Type.Optional(Nullable(Type.String({ maxLength: 40, description: 'State or territory' }))),
  postcode: Type.Optional(Nullable(Type.String({ maxLength: 16 }))),
  country: Type.String({ ...COUNTRY, description: 'Country, ISO 3166-1 alpha-2 code' }),
};

export const QuoteInput = Type.Object(
  {
    from_postcode: Type.String({ ...POSTCODE, description: 'Where the parcels are handed over' }),
    to: Type.Object(destination, { description: 'Where the parcels go' }),
    packages: Type.Array(Package, {
      minItems: 1,
      maxItems: PACKAGES_MAX,
      description: 'Packages of the consignment',
    }),
    carriers: Type.Optional(
      Type.Array(CarrierCode, {
        minItems: 1,
        uniqueItems: true,
        description:
          'Carriers to ask; a carrier of this list that does not answer is an error. Defaults to every connected carrier',
      }),
    ),
  },
  { title: 'QuoteInput', description: 'What to quote shipping for.' },
);

export const Quote = Type.Object(
  {
    quote_id: Type.String(),
    status: StringEnum(['open', 'used', 'expired'], { description: 'Whether a label can be bought from it' }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    from_postcode: Type.String({ description: 'Postcode where the parcels are handed over' }),
    to: Type.Object(
      {
        line1: Nullable(Type.String()),
        line2: Nullable(Type.String()),
        state: Nullable(Type.String({ description: 'State or territory' })),
        postcode: Nullable(Type.String()),
        country: Type.String(),
      },
      { description: 'Where the parcels go' },
    ),
    packages: Type.Array(Package, { description: 'Packages of the consignment' }),
    options: Type.Array(
      Type.Object({
        option_id: Type.String(),
        carrier: Type.String(),
        service: Type.String(),
        name: Type.String({ description: 'Name of carrier and service for people' }),
        price_minor: Type.Integer({ description: 'Price of all packages in minor units, GST included' }),
        eta_days_min: Type.Integer({ description: 'The fewest business days in transit' }),
        eta_days_max: Type.Integer({ description: 'The most business days in transit' }),
        label_formats: Type.Array(Type.String(), { description: 'File formats of its labels' }),
      }),
      { description: 'The cheapest first' },
    ),
    refused: Type.Array(
      Type.Object({
        carrier: Type.String(),
        service: Nullable(Type.String({ description: 'Null: the carrier as a whole' })),
        reason: Type.String({ description: 'Why it is not offered, for programs' }),
      }),
      { description: 'What is not offered, and why' },
    ),
    expires_at: Instant(),
    used_at: Nullable(Instant({ description: 'When a label was bought from it' })),
    used_option_id: Nullable(Type.String({ description: 'Option from which the label was bought' })),
    created_at: Instant(),
  },
  { title: 'ShippingQuote', description: 'Prices of carriers for a consignment.' },
);

export const QUOTE_INPUT_EXAMPLE = {
  from_postcode: '2000',
  to: { state: 'VIC', postcode: '3053', country: 'AU' },
  packages: [{ weight_g: 1250, length_mm: 300, width_mm: 200, height_mm: 150 }],
};

export const QUOTE_EXAMPLE: Static<typeof Quote> = {
  quote_id: 'qte_01j0000000000000000000000',
  status: 'open',
  currency: 'AUD',
  currency_exponent: 2,
  ...QUOTE_INPUT_EXAMPLE,
  to: { line1: null, line2: null, ...QUOTE_INPUT_EXAMPLE.to },
  options: [
    {
      option_id: 'own.standard',
      carrier: 'own',
      service: 'standard',
      name: 'Own delivery Standard',
      price_minor: 1595,
      eta_days_min: 2,
      eta_days_max: 5,
      label_formats: ['pdf', 'png', 'zpl'],
    },
  ],
  refused: [{ carrier: 'australia_post', service: null, reason: 'carrier_unavailable' }],
  expires_at: '2026-06-29T01:00:00.000Z',
  used_at: null,
  used_option_id: null,
  created_at: '2026-06-28T01:00:00.000Z',
};
