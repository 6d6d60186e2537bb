import Type, { type Static } from 'typebox';
import { MINOR_MAX } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { profile } from './profile.ts';
import { destination } from './quote.ts';

const BASKETS_MAX = 50;
const LINES_MAX = 100;

export const SimulationInput = Type.Object(
  {
    profile: Type.Optional(profile.change),
    baskets: Type.Array(
      Type.Object({
        to: Type.Object(destination, { description: 'Where the basket goes' }),
        lines: Type.Array(
          Type.Object({
            quantity: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Units' }),
            weight_g: Type.Integer({
              minimum: 0,
              maximum: 1_000_000,
              description: 'Weight of one unit in grams',
            }),
            price_minor: Type.Integer({
              minimum: 0,
              maximum: Number(MINOR_MAX / 1_000_000n),
              description: 'Price of one unit in minor units',
            }),
          }),
          { minItems: 1, maxItems: LINES_MAX, description: 'Goods of the basket' },
        ),
      }),
      { minItems: 1, maxItems: BASKETS_MAX, description: 'Baskets to try' },
    ),
  },
  {
    title: 'ShippingSimulationInput',
    description: 'Baskets to try with a profile, and a change of it that is not saved.',
  },
);
export type BasketWire = Static<typeof SimulationInput>['baskets'][number];

const SimulatedService = Type.Object({
  carrier: Type.String(),
  service: Type.String(),
  name: Type.String({ description: 'Name of carrier and service for people' }),
  available: Type.Boolean({ description: 'Whether the service is offered' }),
  price_minor: Nullable(Type.Integer({ description: 'Price in minor units; null when not offered' })),
  matched: Nullable(
    StringEnum(['flat', 'weight_tier', 'price_tier', 'free_over'], {
      description: 'Which kind of price applied',
    }),
  ),
  tier: Nullable(Type.Integer({ description: 'Index of the tier in its list, from 0' })),
  reason: Nullable(
    StringEnum(['above_last_tier', 'po_box_refused', 'parcel_locker_refused', 'carrier_unknown'], {
      description: 'Why the service is not offered',
    }),
  ),
  why: Type.String({ description: 'How the price was found, or why the service is not offered, in words' }),
  transit_days_min: Type.Integer({ description: 'The fewest business days in transit' }),
  transit_days_max: Type.Integer({ description: 'The most business days in transit' }),
});

export const Simulation = Type.Object(
  {
    profile_id: Type.String(),
    draft: Type.Boolean({ description: 'Whether it was tried with a change that is not saved' }),
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    dispatch_by: Instant({ description: 'When an order that is placed now must be handed over' }),
    baskets: Type.Array(
      Type.Object({
        weight_g: Type.Integer(),
        goods_minor: Type.Integer({ description: 'Value of the goods in minor units' }),
        zone: Nullable(Type.String({ description: 'Null: the profile does not send there' })),
        services: Type.Array(SimulatedService, { description: 'Services of the zone' }),
      }),
      { description: 'One result for each basket, in their order' },
    ),
    skus_affected: Type.Object(
      {
        total: Type.Integer({ description: 'Products that are sent by this profile' }),
        by_product: Type.Integer({ description: 'Of these, the products that name the profile themselves' }),
        by_default: Type.Integer({ description: 'Of these, the products that no rule names' }),
        by_rule: Type.Array(
          Type.Object({
            rule_id: Type.String(),
            skus: Type.Integer({ description: 'Products by the rule' }),
          }),
          { description: 'Products by rule' },
        ),
      },
      { description: 'How many products a change would affect' },
    ),
  },
  { title: 'ShippingSimulation', description: 'What buyers would be offered.' },
);

export const SIMULATION_INPUT_EXAMPLE = {
  profile: { handling_days: 2 },
  baskets: [
    {
      to: { line1: '12 Harbour Street', state: 'NSW', postcode: '2000', country: 'AU' },
      lines: [{ quantity: 2, weight_g: 400, price_minor: 2499 }],
    },
  ],
};

export const SIMULATION_EXAMPLE: Static<typeof Simulation> = {
  profile_id: 'spf_01j0000000000000000000000',
  draft: true,
  currency: 'AUD',
  currency_exponent: 2,
  dispatch_by: '2026-06-30T14:00:00.000Z',
  baskets: [
    {
      weight_g: 800,
      goods_minor: 4998,
      zone: 'Sydney',
      services: [
        {
          carrier: 'own',
          service: 'express',
          name: 'Own delivery Express',
          available: true,
          price_minor: 995,
          matched: 'flat',
          tier: null,
          reason: null,
          why: 'One price for every basket.',
          transit_days_min: 1,
          transit_days_max: 1,
        },
      ],
    },
  ],
  skus_affected: {
    total: 15,
    by_product: 1,
    by_default: 12,
    by_rule: [{ rule_id: 'spr_01j0000000000000000000000', skus: 2 }],
  },
};
