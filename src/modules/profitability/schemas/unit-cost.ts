/** Entries of costs as the API shows them. Source: docs/design/money.md#costs. */
import Type, { type Static } from 'typebox';
import { itemResults } from '../../../kernel/item-error.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { OUTSIDE } from '../domain/components.ts';
import type { ListedCost } from '../store/unit-costs.ts';

/** Ten million dollars for each unit. */
const AMOUNT_MAX = 1_000_000_000;
export const BULK_MAX = 200;

export const component = StringEnum(OUTSIDE, {
  title: 'OutsideCost',
  description: 'The cost of a unit, or the freight of an order',
});
const Day = (description: string) => Type.String({ format: 'date', description });

const fields = {
  amount_minor: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: AMOUNT_MAX,
      description: 'In the seller’s currency; 0 is a known cost, null makes it unknown from the day on',
    }),
  ),
  effective_from: Day('Sydney day of the first orders for which it counts; at most 25 months ago'),
};
export const CostInput = Type.Object(fields, {
  title: 'CostInput',
  description: 'A cost from a day on.',
});
export const COST_INPUT_EXAMPLE = { amount_minor: 1_100, effective_from: '2026-07-01' };
export const CostsInput = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        seller_sku: Type.String({ minLength: 1, maxLength: 64, description: 'SKU of the product' }),
        ...fields,
      }),
      { minItems: 1, maxItems: BULK_MAX, description: 'The costs to add, in this order' },
    ),
  },
  { title: 'CostsInput', description: 'Costs of several products.' },
);

export const UnitCost = Type.Object(
  {
    cost_id: Nullable(Type.String({ description: 'Id of the entry; null: it comes from a purchase' })),
    product_id: Nullable(Type.String({ description: 'Null for the freight of an order' })),
    seller_sku: Nullable(Type.String({ description: 'Present SKU of the product' })),
    component,
    currency: Type.String({ description: 'ISO 4217; it counts for orders in this currency' }),
    effective_from: Day('Sydney day of the first orders for which it counts'),
    amount_micros: Nullable(
      Type.Integer({ description: 'Millionths of the currency’s unit: 11000000 is 11.00; null: not known' }),
    ),
    source: StringEnum(['seller', 'purchase_order'], {
      title: 'CostSource',
      description: 'Where the cost comes from',
    }),
    purchase_line_id: Nullable(Type.String({ description: 'The line of a purchase order' })),
    missing: Type.Array(Type.String(), { description: 'What a cost from a purchase lacks' }),
    entered_at: Instant({ description: 'When it was entered' }),
    in_force: Type.Boolean({
      description: 'Whether it counts for orders of the day `as_of`, by default today',
    }),
  },
  { title: 'UnitCost', description: 'A cost from a day on.' },
);
export type UnitCost = Static<typeof UnitCost>;
export const COST_EXAMPLE: UnitCost = {
  cost_id: 'ucs_01j0000000000000000000000',
  product_id: 'prd_01j0000000000000000000000',
  seller_sku: 'TIN-S',
  component: 'supplier_cost',
  currency: 'AUD',
  effective_from: '2026-07-01',
  amount_micros: 11_000_000,
  source: 'seller',
  purchase_line_id: null,
  missing: [],
  entered_at: '2026-07-01T01:00:00.000Z',
  in_force: true,
};

export const CostResults = itemResults(
  'UnitCostResults',
  { created: 'Added costs', failed: 'Refused items' },
  { unit_cost: Nullable(UnitCost) },
);

export const toWire = ({ amount_micros, cost_id, missing, ...cost }: ListedCost): UnitCost => ({
  ...cost,
  cost_id: cost.purchase_line_id === null ? cost_id : null,
  amount_micros: amount_micros === null ? null : Number(amount_micros),
  source: cost.purchase_line_id === null ? 'seller' : 'purchase_order',
  missing: [...missing],
});
