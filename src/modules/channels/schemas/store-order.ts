import Type, { type Static } from 'typebox';
import { jsonOrNull } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { STORE_ORDER_STATUSES } from '../domain/project-order.ts';
import type { ShownOrder } from '../store/orders.ts';

const Line = Type.Object(
  {
    external_variant_id: Nullable(Type.String({ description: 'Id of the variant in the store' })),
    sku: Nullable(Type.String({ description: 'SKU in the store' })),
    quantity: Type.Integer({ description: 'Ordered units' }),
    product_id: Nullable(Type.String({ description: 'Linked product; null: none' })),
  },
  { title: 'StoreOrderLine', description: 'A line of an order of the store.' },
);
export const StoreOrderStatus = StringEnum(STORE_ORDER_STATUSES, {
  title: 'StoreOrderStatus',
  description: 'State of the order in the store',
});

export const StoreOrder = Type.Object(
  {
    store_order_id: Type.String({ description: 'Id of the record, `sor_…`' }),
    visibility_only: Type.Literal(true, {
      description: 'Always `true`: nothing is accepted, reserved or dispatched for it here',
    }),
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    external_order_id: Type.String({ description: 'Id of the order in the store' }),
    name: Nullable(Type.String({ description: 'Number of the order in the store' })),
    status: StoreOrderStatus,
    financial_status: Nullable(Type.String({ description: 'Payment, in the platform’s words' })),
    fulfillment_status: Nullable(Type.String({ description: 'Dispatch, in the platform’s words' })),
    currency: Nullable(Type.String({ description: 'Currency of the total, ISO 4217' })),
    total_minor: Nullable(Type.Integer({ description: 'Total in minor units of the currency' })),
    test: Type.Boolean({ description: 'Whether it is an order for testing' }),
    lines: Type.Array(Line, { description: 'What was ordered' }),
    placed_at: Nullable(Instant({ description: 'When it was placed' })),
    external_updated_at: Instant({ description: 'When the store last changed it' }),
    cancelled_at: Nullable(Instant({ description: 'When it was cancelled' })),
    recorded_at: Instant({ description: 'When it was last recorded; the record is kept 90 days from then' }),
  },
  { title: 'StoreOrder', description: 'An order of a connected store, for visibility only.' },
);
type WireStoreOrder = Static<typeof StoreOrder>;

export const storeOrderView = (row: ShownOrder): WireStoreOrder => ({
  ...row,
  visibility_only: true,
  total_minor: jsonOrNull(row.total_minor),
  lines: [...row.lines],
});

export const STORE_ORDER_EXAMPLE: WireStoreOrder = {
  store_order_id: 'sor_01j0000000000000000000000',
  visibility_only: true,
  channel_id: 'chn_01j0000000000000000000000',
  external_order_id: '788032119674292922',
  name: '#1001',
  status: 'open',
  financial_status: 'paid',
  fulfillment_status: null,
  currency: 'AUD',
  total_minor: 4_980,
  test: false,
  lines: [
    {
      ...{ external_variant_id: '642667041472713922', sku: 'MUG-BLU', quantity: 2 },
      product_id: 'prd_01j0000000000000000000000',
    },
  ],
  placed_at: '2026-06-28T01:00:00.000Z',
  external_updated_at: '2026-06-28T01:00:05.000Z',
  cancelled_at: null,
  recorded_at: '2026-06-28T01:00:06.000Z',
};
