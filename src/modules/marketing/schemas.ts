import Type, { type Static } from 'typebox';
import { jsonOrNull, minorToJson } from '../../kernel/money.ts';
import { scopeSchema } from '../../kernel/product-scope.ts';
import { allows, Extended, Instant, NOT_BLANK, Nullable, StringEnum } from '../../kernel/schema.ts';
import { trackedExample, trackedSchemas } from '../../kernel/tracked.ts';
import { PROMOTION_KINDS } from './domain/promotion.ts';
import { END_REASONS, PROMOTION_STATUSES } from './domain/promotion-machine.ts';
import type { PromotionRow, UseRow } from './store.ts';

/** Ten million dollars. */
const VALUE_MAX = 1_000_000_000;
const BUDGET_MAX = 1_000_000_000_000;

const integer = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });
const amount = (description: string) => Type.Integer({ minimum: 0, description });

export const promotionStatus = StringEnum(PROMOTION_STATUSES, {
  title: 'PromotionStatus',
  description: 'Where the promotion stands',
});

const Used = Type.Object(
  {
    orders: amount('Orders with a discount'),
    units: amount('Their units in the promotion'),
    discount_minor: amount('Sum of the discounts, without rejected, expired and cancelled units'),
    overspend_minor: amount('What of it is beyond the budget'),
  },
  { title: 'PromotionUsed', description: 'What the promotion has cost so far.' },
);

export const schemas = trackedSchemas('promotion_id', {
  kind: 'prm_',
  one: 'promotion',
  title: 'Promotion',
  description: 'A discount that the seller pays for and the marketplace grants at checkout.',
  required: {
    name: Type.String({ minLength: 1, maxLength: 80, ...NOT_BLANK, description: 'Name for your own use' }),
    kind: StringEnum(PROMOTION_KINDS, {
      title: 'PromotionKind',
      description: 'Whether a rate is taken off, or an amount off each unit',
    }),
    applies_to: scopeSchema('PromotionScope', 'What the promotion covers'),
    starts_at: Instant({ description: 'When it begins' }),
    ends_at: Instant({ description: 'When it ends, at most 90 days later' }),
    budget_minor: integer(1, BUDGET_MAX, 'The promotion ends when its discounts reach this amount'),
  },
  optional: {
    value_bps: Nullable(integer(100, 9_000, 'Of `percent_off`: hundredths of a per cent')),
    value_minor: Nullable(integer(1, VALUE_MAX, 'Of `amount_off`: the amount off each unit')),
    code: Nullable(
      Type.String({
        ...allows('^[A-Z0-9]{6,20}$', 'A code has 6 to 20 characters of A-Z and 0-9.'),
        description: 'What buyers enter to get it; null: everybody gets it',
      }),
    ),
  },
  shown: {
    currency: Type.String({ description: 'Currency of its amounts, ISO 4217' }),
    status: promotionStatus,
    decision: Nullable(
      Type.Object(
        {
          decision: StringEnum(['approved', 'rejected'], { description: 'What was decided' }),
          reasons: Type.Array(
            Type.Object(
              {
                code: Type.String({ description: 'The marketplace’s code' }),
                detail: Nullable(Type.String({ description: 'Its explanation' })),
              },
              { title: 'PromotionReason', description: 'Why it was decided so.' },
            ),
            { description: 'Why it was rejected' },
          ),
        },
        { title: 'PromotionDecision', description: 'What the marketplace says of the last submission.' },
      ),
    ),
    end_reason: Nullable(StringEnum(END_REASONS, { description: 'Why it has ended; null before' })),
    ended_at: Nullable(Instant({ description: 'When it ended; null before' })),
    used: Used,
  },
});
export type WirePromotion = Static<typeof schemas.schema>;
export type PromotionInput = Static<typeof schemas.input>;
export type PromotionChange = Static<typeof schemas.change>;

const Estimate = Type.Object(
  {
    product_id: Type.String({ description: 'Id of the product, `prd_…`' }),
    price_minor: amount('Its price now'),
    discount_minor: amount('What the promotion takes off'),
    fees_saved_minor: Nullable(amount('Fees that fall with the gross; null: no rates are known')),
    true_cost_minor: Nullable(amount('The discount less these fees')),
  },
  { title: 'PromotionEstimate', description: 'What one unit of a product would cost in the promotion.' },
);
export type WireEstimate = Static<typeof Estimate>;

/** A promotion as its own routes show it. Lists and events have no estimate, which changes with the prices. */
export const PromotionDetail = Extended(
  schemas.schema,
  {
    estimate: Type.Array(Estimate, {
      description: 'One unit of each of the 20 products with the largest discount',
    }),
  },
  { title: 'PromotionDetail', description: 'A promotion with an estimate of what it costs.' },
);

export const INPUT_EXAMPLE: PromotionInput = {
  name: 'Winter mugs',
  kind: 'percent_off',
  value_bps: 1_500,
  applies_to: { skus: ['MUG-BLU'] },
  starts_at: '2026-07-01T00:00:00.000Z',
  ends_at: '2026-07-15T00:00:00.000Z',
  budget_minor: 50_000,
};
export const PROMOTION_EXAMPLE: WirePromotion = trackedExample('promotion_id', 'prm_', {
  ...{ value_minor: null, code: null, value_bps: 1_500, ...INPUT_EXAMPLE },
  ...{ currency: 'AUD', status: 'draft' as const, decision: null, end_reason: null, ended_at: null },
  used: { orders: 0, units: 0, discount_minor: 0, overspend_minor: 0 },
}) as WirePromotion;
export const DETAIL_EXAMPLE: Static<typeof PromotionDetail> = {
  ...PROMOTION_EXAMPLE,
  estimate: [
    {
      ...{ product_id: 'prd_01j0000000000000000000000', price_minor: 2_499 },
      ...{ discount_minor: 375, fees_saved_minor: 38, true_cost_minor: 337 },
    },
  ],
};

export function toWire({
  submitted_at: _at,
  submitted_version: _version,
  used_orders,
  used_units,
  used_minor,
  ...row
}: PromotionRow): WirePromotion {
  const budget_minor = minorToJson(row.budget_minor);
  const discount_minor = minorToJson(used_minor);
  const overspend_minor = Math.max(0, discount_minor - budget_minor);
  return structuredClone({
    ...row,
    value_minor: jsonOrNull(row.value_minor),
    budget_minor,
    used: { orders: used_orders, units: used_units, discount_minor, overspend_minor },
  }) as WirePromotion;
}

export const PromotionOrder = Type.Object(
  {
    order_id: Type.String({ description: 'Id of the order' }),
    placed_at: Instant({ description: 'When the buyer placed it' }),
    discount_minor: amount('Its discount, without rejected, expired and cancelled units'),
    units: amount('Its units in the promotion'),
  },
  { title: 'PromotionOrder', description: 'An order with a discount of the promotion.' },
);
export const ORDER_EXAMPLE: Static<typeof PromotionOrder> = {
  order_id: 'ord_1002',
  placed_at: '2026-07-02T01:00:00.000Z',
  ...{ discount_minor: 750, units: 2 },
};
export const toWireUse = ({ order_id, placed_at, discount_minor, units }: UseRow) => ({
  ...{ order_id, placed_at, units },
  discount_minor: minorToJson(discount_minor),
});

const WORKFLOWS = ['promotions', 'advertising', 'email'] as const;
const Workflow = Type.Object(
  {
    workflow: StringEnum(WORKFLOWS, { description: 'Which one' }),
    status: StringEnum(['enabled', 'unavailable'], { description: 'Whether there are routes for it' }),
  },
  { title: 'MarketingWorkflow', description: 'A growth workflow.' },
);
export const Workflows = Type.Object(
  { data: Type.Array(Workflow, { description: 'All workflows' }) },
  { title: 'MarketingWorkflows', description: 'Which growth workflows there are.' },
);
export const WORKFLOW_LIST: Static<typeof Workflows> = {
  data: WORKFLOWS.map((workflow) => ({
    workflow,
    status: workflow === 'promotions' ? 'enabled' : 'unavailable',
  })),
};
