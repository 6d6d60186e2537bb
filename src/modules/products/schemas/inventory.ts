/** Stock in the API. Units on hand are what is physically there; they include reserved units. */
import Type, { type Static } from 'typebox';
import { itemResults } from '../../../kernel/item-error.ts';
import { Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { STOCK_SOURCES } from '../domain/product.ts';
import { ProductStatus } from './enums.ts';
import { Finding, LookupText, NullableInteger, NullableText } from './parts.ts';

const fields = {
  product_id: Type.String(),
  seller_sku: NullableText,
  title: NullableText,
  status: ProductStatus,
  quantity_on_hand: Nullable(
    Type.Integer({ description: 'Units on hand, including reserved units; null when unknown' }),
  ),
  quantity_reserved: Type.Integer(),
  quantity_available: NullableInteger,
  stock_source: StringEnum(STOCK_SOURCES, {
    title: 'StockSource',
    description:
      '`supplier`: a supplier counts the units, and the product’s dropship listing sets them; you cannot',
  }),
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
const warnings = Type.Array(Finding, { description: 'Findings that did not stop the write' });
export const WrittenInventory = Extended(
  Inventory,
  { warnings },
  { title: 'WrittenInventory', description: 'The stock of a product after a write, with warnings.' },
);

const stockFields = {
  quantity: Nullable(Type.Integer({ description: 'Units on hand; null when unknown' })),
  expected_quantity: Type.Optional(
    Nullable(
      Type.Integer({
        description:
          'Units on hand that you last read. If they have changed since, the stock is not set: 409 `quantity_changed`',
      }),
    ),
  ),
  reorder_point: Type.Optional(NullableInteger),
};

export const StockInput = Type.Object(stockFields, {
  title: 'StockInput',
  description: 'The stock of a product.',
});

export const ReorderPointInput = Type.Object(
  {
    reorder_point: Nullable(
      Type.Integer({
        description: 'Available units at which a low-stock event is sent; null removes the reorder point',
      }),
    ),
    lead_time_days: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: 365,
          description:
            'Days from reordering to new stock; null: the setting `default_lead_time_days`. Absent: unchanged',
        }),
      ),
    ),
  },
  { title: 'ReorderPointInput', description: 'The reorder point and the lead time of a product.' },
);

const AdjustmentInput = Type.Object(
  {
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Integer({ description: 'Units to add; negative to remove units' }),
    reason: Type.Optional(
      LookupText({ maxLength: 200, description: 'Reason of the change; the history shows it' }),
    ),
  },
  { title: 'AdjustmentInput', description: 'A change of the stock of one product, by its id or SKU.' },
);

/** One transaction locks the stock of all these products. */
export const STOCK_ITEMS_MAX = 200;

export const StockListInput = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { seller_sku: LookupText({ description: 'SKU of the product' }), ...stockFields },
        { title: 'StockItem', description: 'The stock of one product, named by its SKU.' },
      ),
      { minItems: 1, maxItems: STOCK_ITEMS_MAX, description: 'At most one item for each product' },
    ),
  },
  { title: 'StockListInput', description: 'The stock of several products.' },
);

export const StockListResult = itemResults(
  'StockListResult',
  {
    updated: 'Items that changed the stock',
    unchanged: 'Items that named the present stock',
    failed: 'Rejected items',
  },
  {
    seller_sku: Type.String({ description: 'SKU of the item' }),
    inventory: Nullable(Inventory),
    warnings,
  },
);

export const AdjustInput = Type.Object(
  {
    adjustments: Type.Optional(
      Type.Array(AdjustmentInput, {
        minItems: 1,
        maxItems: STOCK_ITEMS_MAX,
        description: 'Changes that are applied together or not at all',
      }),
    ),
    product_id: Type.Optional(LookupText()),
    seller_sku: Type.Optional(LookupText()),
    delta: Type.Optional(Type.Integer({ description: 'Units to add; negative to remove units' })),
    reason: Type.Optional(
      LookupText({ maxLength: 200, description: 'Reason of the change; the history shows it' }),
    ),
  },
  { title: 'AdjustInput', description: 'A change of stock, or several in `adjustments`.' },
);

export const AdjustResult = Type.Object(
  { data: Type.Array(Inventory, { description: 'The changed stock of each product' }), warnings },
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
    lead_time_days: Nullable(
      Type.Integer({
        description:
          'Days from reordering to new stock: of the product, else the setting `default_lead_time_days`; null: unknown',
      }),
    ),
    sales_per_day: Nullable(
      Type.Number({
        description:
          'Units in demand per day over the latest whole days in Sydney in which buyers could buy it for 28 days together; those that the buyer or the marketplace cancelled are left out. Null without 28 such days in the last 182, and before the first night',
      }),
    ),
    quantity_incoming: Nullable(
      Type.Integer({ description: 'Units of purchase orders on their way; null without purchase orders' }),
    ),
    days_of_cover: Nullable(
      Type.Integer({
        description:
          'Whole days until the available units are sold at that pace; null without a pace, or when nothing was sold',
      }),
    ),
  },
  { title: 'ReorderSuggestion', description: 'A product to reorder.' },
);

export const INVENTORY_EXAMPLE: WireInventory = {
  product_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  seller_sku: 'MUG-BLU',
  title: 'Blue stoneware mug, 350 ml',
  status: 'active',
  quantity_on_hand: 12,
  quantity_reserved: 2,
  quantity_available: 10,
  stock_source: 'own',
  reorder_point: 3,
  low_stock: false,
  version: 4,
  updated_at: '2026-07-01T02:15:00.000Z',
};
