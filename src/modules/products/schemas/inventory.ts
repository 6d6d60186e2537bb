/** Stock on the wire: units on hand are what is physically there; reservations are kept apart. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { PRODUCT_STATUSES } from '../domain/row.ts';
import { Finding, LookupText, NullableInteger, NullableText } from './parts.ts';

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  title: NullableText,
  status: StringEnum(PRODUCT_STATUSES),
  quantity_on_hand: Nullable(Type.Integer({ description: 'Null: not known, or not tracked' })),
  quantity_reserved: Type.Integer(),
  quantity_available: NullableInteger,
  reorder_point: NullableInteger,
  low_stock: Type.Boolean({ description: 'Available units have come down to the reorder point' }),
  version: Type.Integer({ description: 'Counts changes of the stock; 0 before the first' }),
  updated_at: Nullable(Instant()),
};

export const Inventory = Type.Object(fields, { title: 'Inventory' });
export type WireInventory = Static<typeof Inventory>;
export const InventoryPage = Page(Inventory);
export const WrittenInventory = Type.Object(
  { ...fields, warnings: Type.Array(Finding) },
  { title: 'WrittenInventory' },
);

export const StockInput = Type.Object(
  {
    quantity: Nullable(Type.Integer({ description: 'Units on hand; null: not known' })),
    expected_quantity: Type.Optional(
      Nullable(
        Type.Integer({ description: 'Units on hand that the caller last saw; another number is a 409' }),
      ),
    ),
    reorder_point: Type.Optional(NullableInteger),
  },
  { title: 'StockInput' },
);

export const ReorderPointInput = Type.Object(
  {
    reorder_point: Nullable(Type.Integer({ description: 'Null removes it' })),
  },
  { title: 'ReorderPointInput' },
);

export const AdjustmentInput = Type.Object(
  {
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Integer({ description: 'Units to add, or to take away' }),
    reason: Type.Optional(LookupText({ maxLength: 200 })),
  },
  { title: 'AdjustmentInput' },
);

/** At most so many products in one adjustment: it is one transaction that holds their rows. */
export const ADJUSTMENTS_MAX = 200;

export const AdjustInput = Type.Object(
  {
    adjustments: Type.Optional(Type.Array(AdjustmentInput, { minItems: 1, maxItems: ADJUSTMENTS_MAX })),
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Optional(Type.Integer()),
    reason: Type.Optional(LookupText({ maxLength: 200 })),
  },
  { title: 'AdjustInput' },
);

export const AdjustResult = Type.Object(
  { data: Type.Array(Inventory), warnings: Type.Array(Finding) },
  { title: 'AdjustResult' },
);

export const Suggestion = Type.Object(
  {
    product_id: Type.String(),
    seller_sku: NullableText,
    title: NullableText,
    quantity_available: Type.Integer(),
    reorder_point: Type.Integer(),
    suggested_quantity: Type.Integer(),
    sales_per_day: Nullable(
      Type.Number({ description: 'Null: no sales history is known, which is not zero' }),
    ),
    days_of_cover: Nullable(Type.Number()),
  },
  { title: 'ReorderSuggestion' },
);

export const SuggestionPage = Type.Object({
  ...Page(Suggestion).properties,
  formula: Type.String(),
  missing_components: Type.Array(Type.String()),
});

export const INVENTORY_EXAMPLE: WireInventory = {
  product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  seller_sku: 'MUG-BLU',
  title: 'Blue stoneware mug, 350 ml',
  status: 'active',
  quantity_on_hand: 12,
  quantity_reserved: 2,
  quantity_available: 10,
  reorder_point: 3,
  low_stock: false,
  version: 4,
  updated_at: '2026-07-01T02:15:00.000Z',
};
