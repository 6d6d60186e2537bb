import Type from 'typebox';
import { allows, Instant, Nullable, Page, pageQuery } from '../../../kernel/schema.ts';
import { WAIT_SECONDS_MAX } from '../../../platform/outbox/read-or-wait.ts';
import { TYPE_PATTERN } from './endpoint.ts';

/** The largest number that every JSON reader reads exactly. */
const SEQUENCE_MAX = Number.MAX_SAFE_INTEGER;

const Correlation = Type.Object({
  request_id: Nullable(Type.String()),
  idempotency_key: Nullable(Type.String()),
  delivery_id: Type.Optional(Type.String({ description: 'The delivery of a connected store, `cdl_…`' })),
  traceparent: Type.Optional(
    Type.String({ description: 'The trace of that request (W3C Trace Context), if it belongs to one' }),
  ),
});

const EventSchema = Type.Object(
  {
    id: Type.String({ description: 'The same in every delivery of this event' }),
    type: Type.String(),
    sequence: Type.Integer({ description: 'Gapless number among the events of the seller' }),
    created_at: Instant(),
    api_version: Type.String(),
    seller_id: Type.String(),
    object_version: Type.Integer({
      description: 'Version of the object as `data` shows it; never lower than in an earlier event about it',
    }),
    data: Type.Object(
      {
        object: Type.Unknown({
          description:
            'The object after the change. The object of a change by a feed may already show a later change. Every reader of the event gets the same object. Null when the object no longer exists',
        }),
        previous: Type.Optional(Type.Unknown({ description: 'The old values of the changed fields' })),
        change: Type.Optional(
          Type.Unknown({
            description: 'Of orders: `action`, `reason`, `detail` and `facts`, as in the history',
          }),
        ),
      },
      { additionalProperties: true },
    ),
    correlation: Nullable(Correlation),
    test: Type.Boolean({ description: 'Whether it is a test of an endpoint' }),
  },
  // The description of the API shows the union of all events instead.
  { title: 'AnyWebhookEvent' },
);

export const EventsPage = Page(
  EventSchema,
  {
    last_sequence: Type.Integer({ description: 'Number of the newest event of the seller' }),
  },
  'EventPage',
);

/** Types of events in a query. */
export const typesQuery = Type.Optional(
  Type.String({
    maxLength: 2_000,
    ...allows(
      `^${TYPE_PATTERN}(,${TYPE_PATTERN})*$`,
      'Use types of events, separated by commas: order.created,order.accepted.',
    ),
    description: 'Types, separated by commas; `order.*` is every type of orders, `*` every type',
  }),
);

export const eventsQuery = Type.Object({
  after_sequence: Type.Optional(
    Type.Integer({ minimum: 0, maximum: SEQUENCE_MAX, description: 'Events after this number; 0 at first' }),
  ),
  types: typesQuery,
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_SECONDS_MAX,
      description: 'Seconds to wait for an event when there is none yet',
    }),
  ),
  ...pageQuery,
});

export const EventType = Type.Object(
  {
    type: Type.String({ description: 'Name of the type' }),
    summary: Type.String({ description: 'What happened' }),
    notification: Type.Boolean({ description: 'Whether it becomes a notification as well' }),
    schema: Type.Unknown({ description: 'JSON Schema of `data.object`; null in a summary' }),
    example: Type.Unknown({ description: 'A whole event; null in a summary' }),
  },
  { title: 'EventType', description: 'A type of events.' },
);

export const EVENT_EXAMPLE = {
  id: 'evt_01kc6q3v8x0a4m2h9d7t5w1z6y',
  type: 'inventory.updated',
  sequence: 42,
  created_at: '2026-06-28T01:00:00.000Z',
  api_version: 'v1',
  seller_id: 'slr_01j0000000000000000000000',
  object_version: 3,
  data: {
    object: {
      product_id: 'prd_01kc6q3v8x0a4m2h9d7t5w1z6y',
      seller_sku: 'MUG-BLU',
      title: 'Blue stoneware mug, 350 ml',
      status: 'active',
      quantity_on_hand: 5,
      quantity_reserved: 0,
      quantity_available: 5,
      reorder_point: 3,
      low_stock: false,
      version: 3,
      updated_at: '2026-06-28T01:00:00.000Z',
    },
    previous: { quantity_on_hand: 8 },
  },
  correlation: { request_id: 'req_5f0c9e3b7a', idempotency_key: null },
  test: false,
};
