import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, invalid, missing } from '../../../kernel/errors.ts';
import { frameFields, liveFrame, type MissingComponent } from '../../../kernel/frame.ts';
import { jsonOrNull, lessMinor, type Minor, minor, minorToJson, timesUnits } from '../../../kernel/money.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { factsOf, readFees } from '../actions/facts-of.ts';
import { floorOf } from '../domain/evaluate.ts';
import type { Fees } from '../domain/margin.ts';
import { breakEven, FLOOR_CHECKS, floorCheck, type Outcome, outcomeOf } from '../domain/simulate.ts';
import { costLacks } from '../schemas/product.ts';
import { lastPass, type PricedRow, pricedProducts } from '../store/products.ts';
import { readsPricing } from './access.ts';

const ITEMS_MAX = 100;
const QUANTITY_MAX = 10_000;
const PRICE_MAX = 1_000_000_000;
const CONTRACT = 'pricing.simulation.v1';

const Amount = (description: string) => Type.Integer({ description });
const NullableAmount = (description: string) => Nullable(Amount(description));
const Price = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: PRICE_MAX, description });

const Item = Type.Object({
  product_id: Type.String({ maxLength: 100, description: 'Id of the product' }),
  price_minor: Price(1, 'The price to try'),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description: 'Units; default: 1' }),
  ),
  shipping_minor: Type.Optional(Price(0, 'What the buyer pays for shipping')),
  seller_discount_minor: Type.Optional(Price(0, 'Subtracted from the items before fees')),
});
type Item = Static<typeof Item>;

const SaleOutcome = Type.Object(
  {
    price_minor: Amount('Price of a unit'),
    components: Type.Array(
      Type.Object(
        {
          component: Type.String({ description: 'Which fee it is, as in `POST /fees/estimates`' }),
          status: StringEnum(['known', 'estimated', 'not_captured', 'not_applicable'], {
            title: 'SimulatedFeeStatus',
            description: '`estimated`: by what the payment provider kept of your orders of 90 days',
          }),
          amount_minor: NullableAmount('The fee; null: not known'),
        },
        { title: 'SimulatedFee', description: 'One fee of the sale.' },
      ),
      { description: 'The fees' },
    ),
    net_minor: Amount('What the buyer pays less the fees that are known'),
    unit_cost_micros: NullableAmount('Cost of a unit today, in millionths of the currency’s unit'),
    contribution_minor: NullableAmount('The net amount less the cost of the units'),
    margin_bps: NullableAmount('Its share of what the buyer pays, in hundredths of a per cent'),
  },
  { title: 'SaleOutcome', description: 'What a sale leaves at a price.' },
);

const Simulation = Type.Object(
  {
    ...frameFields,
    currency: Type.String({ description: 'ISO 4217' }),
    items: Type.Array(
      Type.Object(
        {
          product_id: Type.String({ description: 'Id of the product' }),
          now: Nullable(SaleOutcome),
          // biome-ignore lint/suspicious/noThenProperty: the name of the field
          then: SaleOutcome,
          floor_check: StringEnum(FLOOR_CHECKS, {
            title: 'FloorCheck',
            description:
              'The price against the effective floor of the product; `no_floor`: none is set, or it is not known without the cost',
          }),
          volume_change_to_break_even_bps: NullableAmount(
            'So many more units must be sold for the same contribution, in hundredths of a per cent; null: not known, or no number is enough',
          ),
          missing_components: frameFields.missing_components,
        },
        { title: 'SimulatedItem', description: 'A sale at the present price and at the one to try.' },
      ),
      { description: 'In the order of the request' },
    ),
  },
  { title: 'PriceSimulation', description: 'What prices would leave. What buyers would do is not known.' },
);

const outcomeJson = ({ price, components, net, unit_micros, contribution, margin_bps }: Outcome) => ({
  price_minor: minorToJson(price),
  components: components.map(({ amount: fee, ...component }) => ({
    ...component,
    amount_minor: jsonOrNull(fee),
  })),
  net_minor: minorToJson(net),
  unit_cost_micros: unit_micros === null ? null : Number(unit_micros),
  contribution_minor: jsonOrNull(contribution),
  margin_bps,
});

/** @throws ApiError 422 if the discount is above the price of the items */
function simulate(row: PricedRow, item: Item, fees: Fees, index: number) {
  const { price_minor, quantity = 1, shipping_minor = 0, seller_discount_minor = 0 } = item;
  const discount = minor(seller_discount_minor);
  const sale = { quantity, category: row.category, shipping: minor(shipping_minor), discount };
  const outcomeAt = (price: Minor) =>
    lessMinor(timesUnits(price, quantity), discount) < 0n
      ? null
      : outcomeOf(fees, { ...sale, price }, row.unit_micros);
  const then = outcomeAt(minor(price_minor));
  if (then === null) {
    const loc = ['body', 'items', index, 'seller_discount_minor'];
    const msg = 'Must not be more than the items cost.';
    throw invalid([{ loc, msg, type: 'less_than_equal', input: seller_discount_minor }]);
  }
  const now = row.price_minor === null ? null : outcomeAt(row.price_minor);
  const missing_components = [
    'demand_response' as const,
    ...(fees.processing_bps === null ? (['payment_processing'] as const) : []),
    ...costLacks(row),
  ].sort();
  return {
    product_id: row.product_id,
    now: now === null ? null : outcomeJson(now),
    // biome-ignore lint/suspicious/noThenProperty: the name of the field
    then: outcomeJson(then),
    floor_check: floorCheck(then.price, floorOf(factsOf(row), fees)),
    volume_change_to_break_even_bps: breakEven(now, then),
    missing_components,
  };
}

const SALE_EXAMPLE = (price_minor: number, platform: number, net_minor: number) => ({
  price_minor,
  components: [
    { component: 'platform_fee', status: 'known' as const, amount_minor: platform },
    { component: 'loyalty_program_fund', status: 'not_applicable' as const, amount_minor: 0 },
    { component: 'seller_order_fee', status: 'known' as const, amount_minor: 30 },
    { component: 'payment_processing', status: 'not_captured' as const, amount_minor: null },
  ],
  net_minor,
  unit_cost_micros: 11_000_000,
  contribution_minor: net_minor - 1_100,
  margin_bps: Math.round(((net_minor - 1_100) * 10_000) / price_minor),
});
const LACKS: MissingComponent[] = ['demand_response', 'payment_processing'];

const simulations = defineRoute({
  id: 'pricing.simulations.simulate',
  method: 'POST',
  path: '/simulations',
  summary: 'Compare what sales leave at other prices',
  description:
    'Fees are those of `POST /fees/estimates`, costs those that you have entered or bought at, with their freight. Writes nothing. What buyers would do at another price is not known.',
  access: readsPricing,
  tx: 'read',
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: Type.Object(
      { items: Type.Array(Item, { minItems: 1, maxItems: ITEMS_MAX, description: 'The prices to try' }) },
      { title: 'PriceSimulationInput', description: 'Prices to try.' },
    ),
    example: { items: [{ product_id: 'prd_01j0000000000000000000000', price_minor: 2_299 }] },
  },
  ok: okJson('An outcome for each item, in their order', Simulation, {
    ...liveFrame('2026-07-20T01:00:00.000Z', CONTRACT, { missing: LACKS }),
    currency: 'AUD',
    items: [
      {
        product_id: 'prd_01j0000000000000000000000',
        now: SALE_EXAMPLE(2_499, 250, 2_219),
        // biome-ignore lint/suspicious/noThenProperty: the name of the field
        then: SALE_EXAMPLE(2_299, 230, 2_039),
        floor_check: 'ok' as const,
        volume_change_to_break_even_bps: 1_917,
        missing_components: LACKS,
      },
    ],
  }),
  errors: [coreErrors.not_found],
  handler: async (ctx, { body }) => {
    const ids = [...new Set(body.items.map(({ product_id }) => product_id))];
    const [rows, last] = await Promise.all([pricedProducts(ctx, sydneyDate(ctx.now()), ids), lastPass(ctx)]);
    const found = new Map(rows.map((row) => [row.product_id, row]));
    // The first statement has read the standing.
    const { currency } = await ctx.standing();
    const fees = await readFees(ctx, currency, ctx.now(), last);
    const items = body.items.map((item, index) => {
      const row = found.get(item.product_id);
      if (row === undefined) throw missing(`product ${item.product_id} (items.${index})`);
      return simulate(row, item, fees, index);
    });
    const lacks = new Set(items.flatMap(({ missing_components }) => missing_components));
    return { body: { ...liveFrame(ctx.at(), CONTRACT, { missing: [...lacks] }), currency, items } };
  },
});

const NO_AUTOMATION =
  'Recommendations are advice. A price changes only by your own request; there is no schedule and no automation.';
const automation = defineRoute({
  id: 'pricing.automation.get',
  method: 'GET',
  path: '/automation',
  summary: 'Read whether prices change by themselves',
  description: 'They do not.',
  access: readsPricing,
  ok: okJson(
    'That live price changes are unavailable',
    Type.Object(
      {
        live_price_changes: StringEnum(['unavailable'], { description: 'Whether they are available' }),
        reason: Type.String({ description: 'Why, for people' }),
      },
      { title: 'PricingAutomation', description: 'Whether prices change by themselves.' },
    ),
    { live_price_changes: 'unavailable' as const, reason: NO_AUTOMATION },
  ),
  errors: [],
  handler: async () => ({ body: { live_price_changes: 'unavailable' as const, reason: NO_AUTOMATION } }),
});

export const simulationRoutes = [simulations, automation];
