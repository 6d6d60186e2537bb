import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { FindingSeverity } from '../../products/index.ts';
import { DELIVERY_ORIGINS, DELIVERY_REASONS, DELIVERY_STATUSES } from '../domain/delivery-words.ts';
import type { DeliveryRow } from '../store/deliveries.ts';

const Variant = Type.Object(
  {
    external_variant_id: Type.String({ description: 'Id of the variant in the store' }),
    product_id: Nullable(Type.String({ description: 'The product that it is, `prd_…`' })),
    outcome: Type.String({
      description: 'As in row results, or why nothing was applied',
    }),
    matched_by: Nullable(Type.String({ description: 'How the product was found' })),
  },
  { title: 'StoreDeliveryVariant', description: 'What became of a variant.' },
);
const Decision = Type.Object(
  {
    repeats_delivery_id: Type.Optional(Type.String({ description: 'The delivery that had the same body' })),
    newer_delivery_id: Type.Optional(Type.String({ description: 'The delivery that says something newer' })),
    product_id: Type.Optional(Type.String({ description: 'The product that it is about' })),
    variants: Type.Optional(Type.Array(Variant, { description: 'What became of each variant; at most 100' })),
    changes_total: Type.Optional(
      Type.Integer({ description: 'Number of all changes, if some are left out' }),
    ),
    store_order_id: Type.Optional(Type.String({ description: 'The order that it is about' })),
    deleted_orders: Type.Optional(Type.Integer({ description: 'Orders that were deleted' })),
  },
  { title: 'StoreDeliveryDecision', description: 'What the decision names.' },
);
const Change = Type.Object(
  {
    product_id: Type.Optional(Type.String({ description: 'The product, `prd_…`' })),
    field: Type.String({ description: 'What changed' }),
    before: Nullable(Type.String({ description: 'Null: it was not there' })),
    after: Nullable(Type.String({ description: 'Null: it is gone' })),
  },
  { title: 'StoreDeliveryChange', description: 'A value that a delivery changed.' },
);

const Message = Type.Object(
  {
    product_id: Type.Optional(Type.String({ description: 'The product, `prd_…`' })),
    code: Type.String({ description: 'Code, as in row results' }),
    severity: FindingSeverity,
    field: Type.Optional(Type.String({ description: 'Field of the product' })),
    message: Type.String({ description: 'The same for people' }),
    before: Type.Optional(Nullable(Type.String({ description: 'Value that was replaced' }))),
    after: Type.Optional(Nullable(Type.String({ description: 'Value that replaced it' }))),
  },
  { title: 'StoreDeliveryMessage', description: 'A finding.' },
);

export const DeliveryStatusSchema = StringEnum(DELIVERY_STATUSES, {
  title: 'StoreDeliveryStatus',
  description: 'What became of the delivery; `received`: it waits',
});

export const StoreDelivery = Type.Object(
  {
    delivery_id: Type.String({ description: 'Id of the delivery, `cdl_…`' }),
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    topic: Type.String({ description: 'Topic, as its headers say' }),
    origin: StringEnum(DELIVERY_ORIGINS, {
      description: '`webhook`: the store sent it; `sweep`: the service looked itself',
    }),
    status: DeliveryStatusSchema,
    reason: Nullable(StringEnum(DELIVERY_REASONS, { description: 'Why; null where the status says it' })),
    object_key: Type.String({
      description:
        'What it is about: `product:{id}`, `level:{item}:{location}`, `order:{id}`, `locations`, `shop` or `privacy`',
    }),
    webhook_id: Type.String({ description: 'The platform’s id of the delivery' }),
    event_id: Nullable(Type.String({ description: 'The platform’s id of the event' })),
    triggered_at: Nullable(Instant({ description: 'When the event happened, as the headers say' })),
    received_at: Instant({ description: 'When it arrived' }),
    processed_at: Nullable(Instant({ description: 'When it was decided; null: not yet' })),
    decision: Decision,
    changes: Type.Array(Change, { description: 'What it changed; at most 100, and long texts are cut' }),
    messages: Type.Array(Message, { description: 'What was found in it' }),
    issue_id: Nullable(Type.String({ description: 'The issue that waits, `iss_…`' })),
  },
  { title: 'StoreDelivery', description: 'What a store sent, and what became of it.' },
);
type WireStoreDelivery = Static<typeof StoreDelivery>;

export const deliveryView = ({ body: _, body_sha256: __, ...row }: DeliveryRow): WireStoreDelivery => ({
  ...row,
  decision: row.decision as WireStoreDelivery['decision'],
  changes: [...row.changes],
  messages: [...row.messages],
});

export const DELIVERY_EXAMPLE: WireStoreDelivery = {
  delivery_id: 'cdl_01j0000000000000000000000',
  channel_id: 'chn_01j0000000000000000000000',
  topic: 'orders/create',
  origin: 'webhook',
  status: 'recorded',
  reason: null,
  object_key: 'order:788032119674292922',
  webhook_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
  event_id: '98880550-7158-44d4-b7cd-2c97c8a091b5',
  triggered_at: '2026-06-28T01:00:00.000Z',
  received_at: '2026-06-28T01:00:00.120Z',
  processed_at: '2026-06-28T01:00:00.480Z',
  decision: { store_order_id: 'sor_01j0000000000000000000000' },
  changes: [],
  messages: [],
  issue_id: null,
};
