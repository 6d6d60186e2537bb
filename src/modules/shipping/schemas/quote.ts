import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { CARRIERS } from '../domain/carriers.ts';

/** As many parcels as one consignment may have with the carriers here. */
const PACKAGES_MAX = 20;
const side = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000, description });

export const Package = Type.Object(
  {
    weight_g: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Grams' }),
    length_mm: side('Millimetres'),
    width_mm: side('Millimetres'),
    height_mm: side('Millimetres'),
  },
  { title: 'Package' },
);

export const CarrierCode = (options: object = {}) =>
  StringEnum(
    CARRIERS.map(({ code }) => code),
    options,
  );

export const QuoteInput = Type.Object(
  {
    from_postcode: Type.String({ pattern: '^\\d{4}$', description: 'Where the parcels are handed over' }),
    to: Type.Object({
      line1: Type.Optional(
        Nullable(Type.String({ maxLength: 120, description: 'Tells boxes and lockers of the post' })),
      ),
      line2: Type.Optional(Nullable(Type.String({ maxLength: 120 }))),
      state: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
      postcode: Type.Optional(Nullable(Type.String({ maxLength: 16 }))),
      country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' }),
    }),
    packages: Type.Array(Package, { minItems: 1, maxItems: PACKAGES_MAX }),
    carriers: Type.Optional(
      Type.Array(CarrierCode(), {
        minItems: 1,
        uniqueItems: true,
        description:
          'Ask only these; one that does not answer is then an error. Default: every carrier that can be asked',
      }),
    ),
  },
  { title: 'QuoteInput' },
);

export const Quote = Type.Object(
  {
    quote_id: Type.String(),
    status: StringEnum(['open', 'used', 'expired']),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    from_postcode: Type.String(),
    to: Type.Object({
      line1: Nullable(Type.String()),
      line2: Nullable(Type.String()),
      state: Nullable(Type.String()),
      postcode: Nullable(Type.String()),
      country: Type.String(),
    }),
    packages: Type.Array(Package),
    options: Type.Array(
      Type.Object({
        option_id: Type.String(),
        carrier: Type.String(),
        service: Type.String(),
        name: Type.String(),
        price_minor: Type.Integer({ description: 'For all packages, GST included' }),
        eta_days_min: Type.Integer({ description: 'Business days in transit' }),
        eta_days_max: Type.Integer(),
        label_formats: Type.Array(Type.String()),
      }),
      { description: 'The cheapest first' },
    ),
    refused: Type.Array(
      Type.Object({
        carrier: Type.String(),
        service: Nullable(Type.String({ description: 'Null: the carrier as a whole' })),
        reason: Type.String(),
      }),
      { description: 'What is not offered, and why' },
    ),
    expires_at: Instant(),
    used_at: Nullable(Instant()),
    used_option_id: Nullable(Type.String()),
    created_at: Instant(),
  },
  { title: 'Quote' },
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
