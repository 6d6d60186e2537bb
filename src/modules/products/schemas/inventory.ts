/** Stock on the wire: units on hand are what is physically there; reservations are kept apart. */
import Type, { type Static } from 'typebox';
import { Extended, Instant, Nullable, Page } from '../../../kernel/schema.ts';
import { ProductStatus } from './enums.ts';
import { Finding, LookupText, NullableInteger, NullableText } from './parts.ts';

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  title: NullableText,
  status: ProductStatus,
  quantity_on_hand: Nullable(Type.Integer({ description: 'Null: not known, or not tracked' })),
  quantity_reserved: Type.Integer(),
  quantity_available: NullableInteger,
  reorder_point: NullableInteger,
  low_stock: Type.Boolean({ description: 'Whether available units are at or below the reorder point' }),
  version: Type.Integer({ description: 'Version of the stock; 0 before the first change' }),
  updated_at: Nullable(Instant()),
};

export const Inventory = Type.Object(fields, {
  title: 'Inventory',
  description: 'The stock of one product.',
});
export type WireInventory = Static<typeof Inventory>;
export const InventoryPage = Page(Inventory);
const warnings = Type.Array(Finding, { description: 'What was found that did not stop the write' });
export const WrittenInventory = Extended(
  Inventory,
  { warnings },
  { title: 'WrittenInventory', description: 'The stock of a product after a write, with what was found.' },
);

export const StockInput = Type.Object(
  {
    quantity: Nullable(Type.Integer({ description: 'Units on hand; null: not known' })),
    expected_quantity: Type.Optional(
      Nullable(
        Type.Integer({
          description: 'Units on hand that you last saw; 409 `quantity_changed` when there are others now',
        }),
      ),
    ),
    reorder_point: Type.Optional(NullableInteger),
  },
  { title: 'StockInput', description: 'The counted stock of a product.' },
);

export const ReorderPointInput = Type.Object(
  {
    reorder_point: Nullable(
      Type.Integer({ description: 'Stock at or below which a low-stock warning is given; null removes it' }),
    ),
  },
  { title: 'ReorderPointInput', description: 'The reorder point of a product.' },
);

export const AdjustmentInput = Type.Object(
  {
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Integer({ description: 'Units to add; negative to take away' }),
    reason: Type.Optional(
      LookupText({ maxLength: 200, description: 'Why the stock changes; kept in the history' }),
    ),
  },
  { title: 'AdjustmentInput', description: 'A change of the stock of one product, named by id or SKU.' },
);

/** At most so many products in one adjustment: it is one transaction that holds their rows. */
export const ADJUSTMENTS_MAX = 200;

export const AdjustInput = Type.Object(
  {
    adjustments: Type.Optional(
      Type.Array(AdjustmentInput, {
        minItems: 1,
        maxItems: ADJUSTMENTS_MAX,
        description: 'Changes that are made together or not at all',
      }),
    ),
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Optional(Type.Integer({ description: 'Units to add; negative to take away' })),
    reason: Type.Optional(
      LookupText({ maxLength: 200, description: 'Why the stock changes; kept in the history' }),
    ),
  },
  { title: 'AdjustInput', description: 'One change of stock, or several under `adjustments`.' },
);

export const AdjustResult = Type.Object(
  { data: Type.Array(Inventory, { description: 'The stock of each product as it is now' }), warnings },
  { title: 'AdjustResult', description: 'The stock after the changes.' },
);

export const Suggestion = Type.Object(
  {
    product_id: Type.String(),
    seller_sku: NullableText,
    title: NullableText,
    quantity_available: Type.Integer(),
    reorder_point: Type.Integer(),
    suggested_quantity: Type.Integer({ description: 'Units to order' }),
    sales_per_day: Nullable(
      Type.Number({ description: 'Null: no sales history is known, which is not zero' }),
    ),
    days_of_cover: Nullable(
      Type.Number({ description: 'Days until the stock is sold; null when sales are not known' }),
    ),
  },
  { title: 'ReorderSuggestion', description: 'A product to reorder.' },
);

export const SuggestionPage = Page(Suggestion, {
  formula: Type.String({ description: 'How `suggested_quantity` is computed' }),
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
