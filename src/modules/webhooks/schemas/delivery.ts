import Type, { type Static } from 'typebox';
import { Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { CALL_ERRORS } from '../../../platform/net/call.ts';
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS } from '../domain/statuses.ts';
import type { AttemptRow, DeliveryRow } from '../store/deliveries.ts';

const REASONS = ['exhausted', 'aborted', 'expired', 'skipped', 'endpoint_deleted'] as const;
const ATTEMPT_ERRORS = [...CALL_ERRORS, 'http_status', 'redirect_refused'] as const;
const AttemptError = Nullable(
  StringEnum(ATTEMPT_ERRORS, {
    title: 'WebhookAttemptError',
    description: 'Why an attempt failed; null when it succeeded',
  }),
);
export const DeliveryStatus = StringEnum(DELIVERY_STATUSES, {
  title: 'WebhookDeliveryStatus',
  description: 'State of a delivery',
});

const fields = {
  delivery_id: Type.String({ description: 'What receivers see as `webhook-id`, in every attempt' }),
  endpoint_id: Type.String(),
  event_id: Type.String(),
  event_type: Type.String({ description: 'Type of the event' }),
  sequence: Nullable(Type.Integer({ description: 'Number of the event; null for a test' })),
  object_id: Type.String({ description: 'Id of the object that the event is about' }),
  status: DeliveryStatus,
  reason: Nullable(
    StringEnum(REASONS, {
      title: 'WebhookDeliveryReason',
      description: 'Why it failed for good, or was cancelled',
    }),
  ),
  trigger: StringEnum(DELIVERY_TRIGGERS, {
    title: 'WebhookDeliveryTrigger',
    description: 'What caused the delivery',
  }),
  attempt_count: Type.Integer({ description: 'Attempts so far' }),
  next_attempt_at: Nullable(
    Instant({
      description: 'Null when the delivery is over, or waits behind an earlier event of its object',
    }),
  ),
  last_attempt_at: Nullable(Instant({ description: 'When it was last tried' })),
  last_status: Nullable(
    Type.Integer({ description: 'HTTP status of the last attempt; null when no answer came' }),
  ),
  last_error: AttemptError,
  replay_id: Nullable(Type.String()),
  test: Type.Boolean({ description: 'Whether it is a test of the endpoint' }),
  created_at: Instant({ description: 'When it was made' }),
  completed_at: Nullable(Instant({ description: 'When it succeeded, failed for good or was cancelled' })),
};

export const Delivery = Type.Object(fields, {
  title: 'WebhookDelivery',
  description: 'One event for one endpoint.',
});

const Attempt = Type.Object({
  attempt: Type.Integer({ description: 'Number of the attempt, from 1' }),
  at: Instant({ description: 'When it was made' }),
  duration_ms: Type.Integer({ description: 'Milliseconds until the answer or the failure' }),
  status: Nullable(Type.Integer({ description: 'HTTP status; null when no answer came' })),
  error: AttemptError,
  response_head: Nullable(Type.String({ description: 'The first 2 kB of the answer' })),
});

export const DeliveryDetail = Extended(
  Delivery,
  { attempts: Type.Array(Attempt, { description: 'All attempts in order' }) },
  { title: 'WebhookDeliveryDetail', description: 'A delivery with its attempts.' },
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
