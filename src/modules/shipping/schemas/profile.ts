import Type, { type Static, type TProperties } from 'typebox';
import { MINOR_MAX } from '../../../kernel/money.ts';
import { allows, COUNTRY, NOT_BLANK, Nullable, POSTCODE, StringEnum } from '../../../kernel/schema.ts';
import { trackedSchemas } from '../../../kernel/tracked.ts';
import { WORKING_DAYS } from '../domain/profile.ts';

/** The longest list of each kind. Carriers have much shorter tables. */
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

const priceRule = <K extends string, P extends TProperties>(
  kind: K,
  own: P,
  title: string,
  description: string,
) =>
  Type.Object(
    {
      kind: Type.Literal(kind, { description: 'How the price is found' }),
      ...own,
      free_over_minor: freeOver,
    },
    { title, description },
  );
const tiersOf = <P extends TProperties>(bound: P) => ({
  tiers: Type.Array(Type.Object({ ...bound, price_minor: tierPrice }), {
    minItems: 1,
    maxItems: TIERS_MAX,
    description: 'Tiers in ascending order; the first that fits counts',
  }),
});
const upToGrams = Type.Integer({
  minimum: 1,
  maximum: GRAMS_MAX,
  description: 'Largest weight of the tier in grams; null: no limit',
});
const upToMinor = Amount('Largest value of goods of the tier in minor units; null: no limit');

const PriceRuleSchema = Type.Union(
  [
    priceRule('flat', { price_minor: tierPrice }, 'FlatPrice', 'One price for every basket.'),
    priceRule(
      'weight_tiers',
      tiersOf({ up_to_g: Nullable(upToGrams) }),
      'WeightTiers',
      'A price by the weight of the basket.',
    ),
    priceRule(
      'price_tiers',
      tiersOf({ up_to_minor: Nullable(upToMinor) }),
      'PriceTiers',
      'A price by the value of the basket.',
    ),
  ],
  {
    description: 'One price, or a price by weight or by the value of the goods',
    discriminator: { propertyName: 'kind' },
  },
);

const Code = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    ...allows('^[a-z0-9_]+$', 'Use small letters, digits and `_` only.'),
    description,
  });
const Postcode = (description: string) => Type.String({ ...POSTCODE, description });
const days = (description: string) => Type.Integer({ minimum: 0, maximum: 120, description });
const Name = (description: string) => Type.String({ minLength: 1, maxLength: 80, ...NOT_BLANK, description });

const ZoneSchema = Type.Object(
  {
    name: Name('Unique within the profile'),
    countries: Type.Optional(
      Type.Array(Type.String({ ...COUNTRY }), {
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
        transit_days_min: days('The fewest business days in transit'),
        transit_days_max: days('The most business days in transit'),
        price: PriceRuleSchema,
      }),
      { minItems: 1, maxItems: SERVICES_MAX, description: 'Services that are offered in the zone' },
    ),
  },
  { title: 'ShippingZone', description: 'Where a profile ships to, by which services and at which prices.' },
);
export type ZoneWire = Static<typeof ZoneSchema>;

export const Weekday = StringEnum(WORKING_DAYS, { title: 'Weekday', description: 'A day of the week' });

const WorkingDays = Type.Array(Weekday, {
  minItems: 1,
  maxItems: 7,
  uniqueItems: true,
  description: 'Days on which parcels are handed over',
});

export const profile = trackedSchemas('profile_id', {
  kind: 'spf_',
  one: 'shipping profile',
  title: 'ShippingProfile',
  description: 'When, where and at which prices products are shipped.',
  required: {
    name: Name('Unique among your profiles, whatever the case'),
    zones: Type.Array(ZoneSchema, {
      maxItems: ZONES_MAX,
      description: 'The first zone that covers a destination decides',
    }),
  },
  optional: {
    is_default: Type.Boolean({
      description:
        'Whether it is the default profile, for products that no rule names; the former default profile loses this',
    }),
    handling_days: Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'Working days from order to hand-over',
    }),
    cut_off: Type.String({
      ...allows('^([01]\\d|2[0-3]):[0-5]\\d$', 'Use a time of day such as 14:30.'),
      description: 'Orders from this time of day on count as of the next working day',
    }),
    timezone: Type.String({ minLength: 1, maxLength: 64, description: 'IANA name of the cut-off’s clock' }),
    working_days: WorkingDays,
  },
  shown: {
    currency: Type.String({ description: 'Currency of every amount of the profile: the seller’s' }),
    currency_exponent: Type.Integer(),
  },
});
export type ProfileInputWire = Static<typeof profile.input>;
