import Type, { type Static } from 'typebox';
import { allows, Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ENDPOINT_STATUSES, ORDERINGS } from '../domain/statuses.ts';
import type { EndpointRow } from '../store/endpoints.ts';

const URL_CHARS_MAX = 2_048;
const PATTERNS_MAX = 100;
const CONCURRENCY_MAX = 100;
export const CONCURRENCY_DEFAULT = 10;
const DISABLE_REASONS = ['failing', 'gone'] as const;

/** A type, or a pattern of types. */
export const TYPE_PATTERN = '(\\*|[a-z_]+(\\.[a-z_]+)*(\\.\\*)?)';
const pattern = Type.String({
  maxLength: 100,
  ...allows(`^${TYPE_PATTERN}$`, 'Use a type of events such as order.created, `order.*`, or `*`.'),
  description: 'A type, `order.*` for every type of orders, or `*` for all',
});

export const EndpointStatus = StringEnum(ENDPOINT_STATUSES, {
  title: 'WebhookEndpointStatus',
  description: 'Whether the endpoint is called',
});
export const DisableReason = StringEnum(DISABLE_REASONS, {
  title: 'WebhookDisabledReason',
  description: 'Why the endpoint was disabled: `failing`: it failed for five days; `gone`: it answered 410',
});

/** The fields that sellers set. */
export const endpointFields = {
  url: Type.String({
    minLength: 1,
    maxLength: URL_CHARS_MAX,
    description:
      'Address that receives the events: https (outside production http as well), public, without user name',
  }),
  event_types: Type.Array(pattern, {
    minItems: 1,
    maxItems: PATTERNS_MAX,
    uniqueItems: true,
    description: 'Types of events that the endpoint receives',
  }),
  description: Nullable(
    Type.String({ maxLength: 500, description: 'What the endpoint is for, in your own words' }),
  ),
  payload: StringEnum(['full', 'thin'], {
    title: 'WebhookPayload',
    description: '`full`: the object as it is read; `thin`: its id and version',
  }),
  ordering: StringEnum(ORDERINGS, {
    title: 'WebhookOrdering',
    description: '`per_object`: a later event of an object waits until the earlier ones are delivered',
  }),
  max_concurrency: Type.Integer({
    minimum: 1,
    maximum: CONCURRENCY_MAX,
    description: 'Most attempts at the same time',
  }),
};

export const Endpoint = Type.Object(
  {
    endpoint_id: Type.String(),
    ...endpointFields,
    status: EndpointStatus,
    disabled_reason: Nullable(DisableReason),
    status_changed_at: Instant({ description: 'When the status last changed' }),
    secret_overlap_ends_at: Nullable(
      Instant({ description: 'Until then the replaced secret signs as well' }),
    ),
    version: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'WebhookEndpoint', description: 'An address that receives events.' },
);
export type EndpointView = Static<typeof Endpoint>;

export const EndpointWithSecret = Extended(
  Endpoint,
  {
    secret: Type.String({ description: 'Shown only once; verifies the signatures' }),
  },
  { title: 'WebhookEndpointWithSecret', description: 'An endpoint with its new secret.' },
);

export type EndpointWithSecretView = Static<typeof EndpointWithSecret>;

export function endpointView(row: EndpointRow): EndpointView {
  const until = row.retired_secrets.map((retired) => retired.until);
  return {
    endpoint_id: row.endpoint_id,
    url: row.url,
    event_types: [...row.event_types],
    description: row.description,
    payload: row.payload,
    ordering: row.ordering,
    max_concurrency: row.max_concurrency,
    status: row.status === 'deleted' ? 'disabled' : row.status,
    disabled_reason: DISABLE_REASONS.find((reason) => reason === row.reason) ?? null,
    status_changed_at: row.status_changed_at,
    secret_overlap_ends_at: until.sort().at(-1) ?? null,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export const ENDPOINT_EXAMPLE: EndpointView = {
  endpoint_id: 'whe_01kc6q3v8x0a4m2h9d7t5w1z6y',
  url: 'https://hooks.example.com/marketplace',
  event_types: ['product.*', 'inventory.*'],
  description: 'Warehouse',
  payload: 'full',
  ordering: 'per_object',
  max_concurrency: 10,
  status: 'active',
  disabled_reason: null,
  status_changed_at: '2026-06-28T01:00:00.000Z',
  secret_overlap_ends_at: null,
  version: 1,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
export const SECRET_EXAMPLE = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD3yJ2Y0bZ0x8=';
