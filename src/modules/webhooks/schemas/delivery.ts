import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { CALL_ERRORS } from '../../../platform/net/call.ts';
import {
  type AttemptRow,
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  type DeliveryRow,
} from '../store/deliveries.ts';

const REASONS = ['exhausted', 'aborted', 'expired', 'skipped', 'endpoint_deleted'] as const;
const ATTEMPT_ERRORS = [...CALL_ERRORS, 'http_status', 'redirect_refused'] as const;
const AttemptError = Nullable(StringEnum(ATTEMPT_ERRORS, { description: 'Null: it was taken' }));

const fields = {
  delivery_id: Type.String({ description: 'What receivers see as `webhook-id`, in every attempt' }),
  endpoint_id: Type.String(),
  event_id: Type.String(),
  event_type: Type.String(),
  sequence: Nullable(Type.Integer({ description: 'Number of the event; null for a test' })),
  object_id: Type.String(),
  status: StringEnum(DELIVERY_STATUSES),
  reason: Nullable(StringEnum(REASONS, { description: 'Why it failed for good, or was cancelled' })),
  trigger: StringEnum(DELIVERY_TRIGGERS),
  attempt_count: Type.Integer(),
  next_attempt_at: Nullable(
    Instant({
      description: 'Null for what is over, and for what waits behind an earlier event of its object',
    }),
  ),
  last_attempt_at: Nullable(Instant()),
  last_status: Nullable(Type.Integer()),
  last_error: AttemptError,
  replay_id: Nullable(Type.String()),
  test: Type.Boolean(),
  created_at: Instant(),
  completed_at: Nullable(Instant()),
};

export const Delivery = Type.Object(fields, { title: 'WebhookDelivery' });

const Attempt = Type.Object({
  attempt: Type.Integer(),
  at: Instant(),
  duration_ms: Type.Integer(),
  status: Nullable(Type.Integer({ description: 'HTTP status; null when no answer came' })),
  error: AttemptError,
  response_head: Nullable(Type.String({ description: 'The first 2 kB of the answer' })),
});

export const DeliveryDetail = Type.Object(
  { ...fields, attempts: Type.Array(Attempt) },
  { title: 'WebhookDeliveryDetail' },
);

const known = <const T extends readonly string[]>(values: T, value: string | null): T[number] | null =>
  values.find((one) => one === value) ?? null;

export function deliveryView(row: DeliveryRow): Static<typeof Delivery> {
  const { type, attempts, sequence, ...rest } = row;
  return {
    ...rest,
    event_type: type,
    attempt_count: attempts,
    sequence: sequence === null ? null : Number(sequence),
    reason: known(REASONS, row.reason),
    last_error: known(ATTEMPT_ERRORS, row.last_error),
    test: row.trigger === 'test',
  };
}

export function detailView(row: DeliveryRow, attempts: readonly AttemptRow[]): Static<typeof DeliveryDetail> {
  return {
    ...deliveryView(row),
    attempts: attempts.map((attempt) => ({ ...attempt, error: known(ATTEMPT_ERRORS, attempt.error) })),
  };
}

export const DELIVERY_EXAMPLE: Static<typeof Delivery> = {
  delivery_id: 'dlv_01kc6q3v8x0a4m2h9d7t5w1z6y',
  endpoint_id: 'whe_01kc6q3v8x0a4m2h9d7t5w1z6y',
  event_id: 'evt_01kc6q3v8x0a4m2h9d7t5w1z6y',
  event_type: 'inventory.updated',
  sequence: 42,
  object_id: 'prd_01kc6q3v8x0a4m2h9d7t5w1z6y',
  status: 'pending',
  reason: null,
  trigger: 'event',
  attempt_count: 1,
  next_attempt_at: '2026-06-28T01:00:05.000Z',
  last_attempt_at: '2026-06-28T01:00:00.000Z',
  last_status: 503,
  last_error: 'http_status',
  replay_id: null,
  test: false,
  created_at: '2026-06-28T01:00:00.000Z',
  completed_at: null,
};
export const ATTEMPT_EXAMPLE: Static<typeof Attempt> = {
  attempt: 1,
  at: '2026-06-28T01:00:00.000Z',
  duration_ms: 87,
  status: 503,
  error: 'http_status',
  response_head: 'Service unavailable',
};
