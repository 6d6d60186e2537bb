import Type, { type Static } from 'typebox';
import { MINOR_MAX } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { WORKING_DAYS } from '../domain/profile.ts';

/** Longest list of each kind: far beyond what carriers' own tables have, small enough to be read at once. */
const ZONES_MAX = 50;
const SERVICES_MAX = 20;
const TIERS_MAX = 50;
const POSTCODES_MAX = 500;
const GRAMS_MAX = 100_000_000;

const Amount = (description: string) => Type.Integer({ minimum: 0, maximum: Number(MINOR_MAX), description });
const freeOver = Type.Optional(
  Nullable(Amount('Value of goods in minor units from which shipping is free; null or absent: never')),
);
const tierPrice = Amount('Price of shipping in minor units');

export const PriceRuleSchema = Type.Union(
  [
    Type.Object(
      {
        kind: Type.Literal('flat', { description: 'How the price is found' }),
        price_minor: tierPrice,
        free_over_minor: freeOver,
      },
      { title: 'FlatPrice', description: 'One price for every basket.' },
    ),
    Type.Object(
      {
        kind: Type.Literal('weight_tiers', { description: 'How the price is found' }),
        tiers: Type.Array(
          Type.Object({
            up_to_g: Nullable(
              Type.Integer({
                minimum: 1,
                maximum: GRAMS_MAX,
                description: 'Largest weight of the tier in grams; null: no limit',
              }),
            ),
            price_minor: tierPrice,
          }),
          {
            minItems: 1,
            maxItems: TIERS_MAX,
            description: 'Tiers in ascending order; the first that fits counts',
          },
        ),
        free_over_minor: freeOver,
      },
      { title: 'WeightTiers', description: 'A price by the weight of the basket.' },
    ),
    Type.Object(
      {
        kind: Type.Literal('price_tiers', { description: 'How the price is found' }),
        tiers: Type.Array(
          Type.Object({
            up_to_minor: Nullable(
              Amount('Largest value of goods of the tier in minor units; null: no limit'),
            ),
            price_minor: tierPrice,
          }),
          {
            minItems: 1,
            maxItems: TIERS_MAX,
            description: 'Tiers in ascending order; the first that fits counts',
          },
        ),
        free_over_minor: freeOver,
      },
      { title: 'PriceTiers', description: 'A price by the value of the basket.' },
    ),
  ],
  {
    description: 'One price, or a price by weight or by the value of the goods',
    discriminator: { propertyName: 'kind' },
  },
);

export const Code = (description: string) =>
  Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-z0-9_]+$', description });
const Postcode = (description: string) => Type.String({ pattern: '^\\d{4}$', description });
const days = (description: string) => Type.Integer({ minimum: 0, maximum: 120, description });
const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 80, pattern: '\\S', description });

export const ZoneSchema = Type.Object(
  {
    name: Name('Unique within the profile'),
    countries: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), {
        minItems: 1,
        maxItems: 250,
        uniqueItems: true,
        default: ['AU'],
        description: 'ISO 3166-1 alpha-2; default Australia',
      }),
    ),
    states: Type.Optional(
      Type.Array(Type.String({ maxLength: 3 }), {
        maxItems: 8,
        uniqueItems: true,
        description: 'States of Australia; with no postcodes either: the whole country',
      }),
    ),
    postcodes: Type.Optional(
      Type.Array(
        Type.Object({ from: Postcode('First postcode'), to: Postcode('Last postcode, inclusive') }),
        {
          maxItems: POSTCODES_MAX,
          description: 'Ranges beside the states',
        },
      ),
    ),
    services: Type.Array(
      Type.Object({
        carrier: Code('Carrier, one of `GET /shipping/carriers`'),
        service: Code('Service, one of `GET /shipping/services`'),
        transit_days_min: days('Business days in transit, at least'),
        transit_days_max: days('Business days in transit, at most'),
        price: PriceRuleSchema,
      }),
      { minItems: 1, maxItems: SERVICES_MAX, description: 'Services that are offered in the zone' },
    ),
  },
  { title: 'ShippingZone', description: 'Where a profile ships to, by which services and at which prices.' },
);
export type ZoneWire = Static<typeof ZoneSchema>;

const WorkingDays = Type.Array(
  StringEnum(WORKING_DAYS, { title: 'Weekday', description: 'A day of the week' }),
  { minItems: 1, maxItems: 7, uniqueItems: true, description: 'Days on which parcels are handed over' },
);

const content = {
  name: Name('Unique among your profiles, whatever the case'),
  is_default: Type.Boolean({
    description: 'The profile of products that no rule names; the one before loses it',
  }),
  handling_days: Type.Integer({
    minimum: 0,
    maximum: 60,
    description: 'Working days from order to hand-over',
  }),
  cut_off: Type.String({
    pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
    description: 'Orders from this time of day on count as of the next working day',
  }),
  timezone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name of the cut-off’s clock' }),
  working_days: WorkingDays,
  zones: Type.Array(ZoneSchema, {
    maxItems: ZONES_MAX,
    description: 'The first zone that covers a destination decides',
  }),
};

export const ProfileInput = Type.Object(
  {
    name: content.name,
    is_default: Type.Optional(content.is_default),
    handling_days: Type.Optional(content.handling_days),
    cut_off: Type.Optional(content.cut_off),
    timezone: Type.Optional(content.timezone),
    working_days: Type.Optional(content.working_days),
    zones: content.zones,
  },
  { title: 'ShippingProfileInput', description: 'A new profile, or the whole of one.' },
);
export type ProfileInputWire = Static<typeof ProfileInput>;

export const ProfileChange = Type.Partial(Type.Object(content), {
  title: 'ShippingProfileChange',
  description: 'The fields of a profile to change.',
  minProperties: 1,
});
export type ProfileChangeWire = Static<typeof ProfileChange>;

export const Profile = Type.Object(
  {
    profile_id: Type.String(),
    ...content,
    currency: Type.String({ description: 'Of every amount of the profile: the seller’s' }),
    currency_exponent: Type.Integer(),
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'ShippingProfile', description: 'When, where and at which prices products are shipped.' },
);
