import Type, { type Static } from 'typebox';
import { auAddressProblems } from '../../../kernel/australia/address.ts';
import { coreErrors, invalid, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import {
  currencyExponent,
  jsonOrNull,
  minor,
  minorToJson,
  sumMinor,
  timesUnits,
} from '../../../kernel/money.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { writes } from '../../../platform/rest/access.ts';
import { readTrading } from '../../sellers/index.ts';
import { checkContent } from '../actions/check-content.ts';
import { dispatchBy } from '../domain/dispatch-by.ts';
import { type PricedBasket, priceBasket } from '../domain/price-basket.ts';
import type { Basket } from '../domain/price-rule.ts';
import type { Zone } from '../domain/profile.ts';
import { readZones } from '../schemas/read-profile.ts';
import {
  type BasketWire,
  SIMULATION_EXAMPLE,
  SIMULATION_INPUT_EXAMPLE,
  Simulation,
  SimulationInput,
} from '../schemas/simulation.ts';
import { countByRule } from '../store/count-by-rule.ts';
import { countByProduct, type ProfileRow, shippingProfiles } from '../store/profiles.ts';

function basketOf({ lines }: BasketWire, exponent: number): Basket {
  return {
    exponent,
    weight_g: lines.reduce((sum, { weight_g, quantity }) => sum + weight_g * quantity, 0),
    goods: sumMinor(lines.map(({ price_minor, quantity }) => timesUnits(minor(price_minor), quantity))),
  };
}

const showServices = ({ services }: PricedBasket) =>
  services.map(({ price, ...rest }) => ({
    ...rest,
    price_minor: jsonOrNull(price),
  }));

function simulateBasket(zones: readonly Zone[], wire: BasketWire, exponent: number) {
  const basket = basketOf(wire, exponent);
  const priced = priceBasket(zones, basket, wire.to);
  return {
    weight_g: basket.weight_g,
    goods_minor: minorToJson(basket.goods),
    zone: priced.zone,
    services: showServices(priced),
  };
}

type Counts = Awaited<ReturnType<typeof countByRule>>;
function affected(
  { profile_id, is_default }: ProfileRow,
  counts: Counts,
  by_product: number,
): Static<typeof Simulation>['skus_affected'] {
  const by_default = is_default ? (counts.find(({ rule_id }) => rule_id === null)?.skus ?? 0) : 0;
  const by_rule = counts.flatMap(({ rule_id, profile_id: by, skus }) =>
    rule_id !== null && by === profile_id ? [{ rule_id, skus }] : [],
  );
  const total = by_rule.reduce((sum, { skus }) => sum + skus, by_product + by_default);
  return { total, by_product, by_default, by_rule };
}

const simulate = defineRoute({
  id: 'shipping.profiles.simulate',
  method: 'POST',
  path: '/profiles/{profile_id}/simulate',
  summary: 'Try a shipping profile on sample baskets',
  description:
    'Shows what buyers would be offered, which price decided, and how many products the profile concerns. With `profile`, it tries a change that is not saved. Nothing is written.',
  access: { ...writes('shipping'), permission: 'shipping:read' },
  params: Type.Object({ profile_id: Type.String({ description: 'Id of the profile, `spf_…`' }) }),
  body: { kind: 'json', schema: SimulationInput, example: SIMULATION_INPUT_EXAMPLE },
  ok: okJson('The outcome', Simulation, SIMULATION_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params, body }) => {
    const row = requireFound(
      await shippingProfiles.find(ctx, { profile_id: idOf('spf_', params.profile_id) }),
    );
    const draft = { ...row, ...body.profile };
    if (body.profile !== undefined) checkContent(draft, ['body', 'profile']);
    const problems = body.baskets.flatMap(({ to }, index) =>
      auAddressProblems(to, ['body', 'baskets', index, 'to']),
    );
    if (problems.length > 0) throw invalid(problems);
    const zones = readZones(draft.zones);
    const { currency } = await ctx.standing();
    const { extension } = await readTrading(ctx);
    return {
      body: {
        profile_id: row.profile_id,
        draft: body.profile !== undefined,
        currency,
        currency_exponent: currencyExponent(currency),
        dispatch_by: new Date(dispatchBy(draft, ctx.now(), extension)).toISOString(),
        baskets: body.baskets.map((basket) => simulateBasket(zones, basket, currencyExponent(currency))),
        skus_affected: affected(draft, await countByRule(ctx), await countByProduct(ctx, row.profile_id)),
      },
    };
  },
});

export const simulateRoutes = [simulate];
