/** Products with their recommended prices, as the API shows them. */
import Type, { type Static } from 'typebox';
import { frameFields, liveFrame, type MissingComponent, missingComponent } from '../../../kernel/frame.ts';
import { jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { BLOCK_CODES, type Evaluation, STATUSES, STEP_CODES } from '../domain/evaluate.ts';
import type { offerOf, PricedRow } from '../store/products.ts';

const Amount = (description: string) => Nullable(Type.Integer({ description }));
export const status = StringEnum(STATUSES, {
  title: 'PriceStatus',
  description: 'What came of the rule of the product',
});
export const guardrailFields = {
  floor_minor: Amount('No lower price is recommended; null: none is set'),
  ceiling_minor: Amount('No higher price is recommended; null: none is set'),
  min_margin_bps: Amount('No price with a smaller margin is recommended; hundredths of a per cent'),
};

const fields = {
  product_id: Type.String({ description: 'Id of the product' }),
  seller_sku: Nullable(Type.String({ description: 'Its SKU' })),
  currency: Type.String({ description: 'ISO 4217' }),
  price_minor: Amount('Its present price'),
  guardrails: Type.Object(guardrailFields, {
    title: 'PriceGuardrailValues',
    description: 'The limits of recommendations.',
  }),
  effective_floor_minor: Amount('The larger of the floor and the price of the least margin; null: not known'),
  competition: Nullable(
    Type.Object(
      {
        condition: Type.String({ description: 'Condition of the offers' }),
        observed_at: Instant({ description: 'When the marketplace saw them' }),
        offers_count: Type.Integer({ description: 'Offers of others' }),
        lowest_minor: Amount('The lowest of them; null: no other seller offers it'),
        featured_minor: Amount('The offer that buyers see first'),
        featured_is_own: Type.Boolean({ description: 'Whether that is yours' }),
      },
      { title: 'PriceCompetition', description: 'The newest observation of other offers.' },
    ),
  ),
  evaluation: Type.Object(
    {
      status,
      code: Nullable(
        StringEnum(BLOCK_CODES, { title: 'PriceBlock', description: 'Why nothing is recommended' }),
      ),
      rule_id: Nullable(Type.String({ description: 'The rule of the product' })),
      target_minor: Amount('The price to which its rule leads'),
      evaluated_at: Instant({ description: 'When it was evaluated' }),
    },
    { title: 'PriceEvaluation', description: 'What came of the rule of the product.' },
  ),
  change: Nullable(
    Type.Object(
      {
        method: StringEnum(['PATCH'], { description: 'Method of the request' }),
        path: Type.String({ description: 'Its path' }),
        body: Type.Object(
          { price_minor: Type.Integer({ description: 'The recommended price' }) },
          { description: 'Its body' },
        ),
        if_match: Type.String({ description: 'Its `If-Match`: refused if the product changes before' }),
      },
      {
        title: 'PriceChange',
        description: 'The request with which you would take the recommendation; nothing sends it.',
      },
    ),
  ),
};
const missing = Type.Array(missingComponent, { description: 'What the figures of this product lack' });
export const PricedProduct = Type.Object(
  { ...fields, missing_components: missing },
  {
    title: 'PricedProduct',
    description: 'A product with its limits, other offers, and what its rule recommends.',
  },
);
export const EvaluatedProduct = Extended(
  PricedProduct,
  {
    ...frameFields,
    steps: Type.Array(
      Type.Object(
        {
          code: StringEnum(STEP_CODES, { title: 'PriceStepCode', description: 'What was looked at' }),
          value: Amount('Minor units; null where it has no amount, or it is not known'),
        },
        { title: 'PriceStep', description: 'One step of the evaluation.' },
      ),
      { description: 'The steps, in their order; the last one says why nothing is recommended' },
    ),
  },
  { title: 'EvaluatedProduct', description: 'The same, evaluated now, with every step.' },
);

/** What the cost of the product lacks. */
export const costLacks = ({ unit_micros, unit_lacks }: PricedRow): MissingComponent[] => [
  ...(unit_lacks?.includes('inbound_freight') === true ? (['inbound_freight'] as const) : []),
  ...(unit_micros === null ? (['supplier_cost'] as const) : []),
];

/** What a price of the product cannot be computed from. */
export const lacksOf = (row: PricedRow, offer: ReturnType<typeof offerOf>): MissingComponent[] =>
  [
    ...(offer === null ? ([row.offer === null ? 'competitor_offers' : 'other_currencies'] as const) : []),
    ...costLacks(row),
  ].sort();

export const guardrailsJson = (row: Pick<PricedRow, 'floor_minor' | 'ceiling_minor' | 'min_margin_bps'>) => ({
  floor_minor: jsonOrNull(row.floor_minor),
  ceiling_minor: jsonOrNull(row.ceiling_minor),
  min_margin_bps: row.min_margin_bps,
});

function offerJson(offer: ReturnType<typeof offerOf>) {
  if (offer === null) return null;
  const { condition, observed_at, offers_count, lowest_minor, featured_minor, featured_is_own } = offer;
  return {
    ...{ condition, observed_at, offers_count },
    lowest_minor: jsonOrNull(lowest_minor),
    featured_minor: jsonOrNull(featured_minor),
    featured_is_own,
  };
}

type Shown = Pick<Evaluation, 'status' | 'code' | 'rule_id' | 'target_minor' | 'effective_floor_minor'>;

/** @param evaluated what was evaluated, when, and whether it was of the present version of the product */
export function toWire(
  row: PricedRow,
  offer: ReturnType<typeof offerOf>,
  evaluated: Shown & { readonly at: string; readonly isPresent: boolean },
): Static<typeof PricedProduct> {
  const { status: found, code, rule_id, target_minor, effective_floor_minor, at, isPresent } = evaluated;
  const taken = found === 'recommended' && isPresent ? target_minor : null;
  return {
    product_id: row.product_id,
    seller_sku: row.seller_sku,
    currency: row.currency,
    price_minor: jsonOrNull(row.price_minor),
    guardrails: guardrailsJson(row),
    effective_floor_minor: jsonOrNull(effective_floor_minor),
    competition: offerJson(offer),
    evaluation: { status: found, code, rule_id, target_minor: jsonOrNull(target_minor), evaluated_at: at },
    change:
      taken === null
        ? null
        : {
            method: 'PATCH',
            path: `/api/v1/products/${row.product_id}`,
            body: { price_minor: minorToJson(taken) },
            if_match: `"${row.version}-${row.stock_version}"`,
          },
    missing_components: lacksOf(row, offer),
  };
}

export const PRODUCT_EXAMPLE: Static<typeof PricedProduct> = {
  product_id: 'prd_01j0000000000000000000000',
  seller_sku: 'MUG-BLU',
  currency: 'AUD',
  price_minor: 2_499,
  guardrails: { floor_minor: 1_900, ceiling_minor: null, min_margin_bps: 2_000 },
  effective_floor_minor: 1_900,
  competition: {
    condition: 'new',
    observed_at: '2026-07-20T01:00:00.000Z',
    offers_count: 7,
    lowest_minor: 2_299,
    featured_minor: 2_399,
    featured_is_own: false,
  },
  evaluation: {
    status: 'recommended',
    code: null,
    rule_id: 'prr_01j0000000000000000000000',
    target_minor: 2_298,
    evaluated_at: '2026-07-20T17:00:00.000Z',
  },
  change: {
    method: 'PATCH',
    path: '/api/v1/products/prd_01j0000000000000000000000',
    body: { price_minor: 2_298 },
    if_match: '"4-7"',
  },
  missing_components: [],
};
export const EVALUATED_EXAMPLE: Static<typeof EvaluatedProduct> = {
  ...PRODUCT_EXAMPLE,
  ...liveFrame('2026-07-20T17:00:00.000Z', 'pricing.product.v1'),
  steps: [
    { code: 'live_price', value: 2_499 },
    { code: 'lowest_offer', value: 2_299 },
    { code: 'floor', value: 1_900 },
    { code: 'margin_floor', value: 1_614 },
    { code: 'wanted_price', value: 2_298 },
    { code: 'effective_floor', value: 1_900 },
    { code: 'ceiling', value: null },
    { code: 'target_price', value: 2_298 },
  ],
};
