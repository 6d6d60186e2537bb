/**
 * The bodies of refused requests: one schema and one example per family. Source: docs/design/wire.md#errors.
 */
import type { ErrorDef } from '../../../kernel/errors.ts';
import { FIELD_DESCRIPTIONS } from '../../../kernel/field-descriptions.ts';
import {
  type FeatureName,
  featureBody,
  type LimitName,
  limitBody,
  PLANS,
  planHasFeature,
  planLimit,
  UPGRADE_URL,
} from '../../../kernel/plans.ts';
import { compact, type Json, ref } from './document.ts';

const REQUEST_ID = 'req_4f0c2a9b8d7e6f5a4b3c2d1e';
const text = (description: string): Json => ({ type: 'string', description });
const whole = (description: string): Json => ({ type: 'integer', description });
const requestId = text('The same as the header `X-Request-Id`; quote it when you ask for help');

const planFields: Json = {
  tier: { ...ref('schemas', 'Plan'), description: 'The present plan of the seller' },
  message: text('Why the plan refuses the request, for people'),
  upgrade_url: text(`Relative path of the plan settings, \`${UPGRADE_URL}\``),
};
const boundary = (error: string, description: string, own: Json): Json => ({
  type: 'object',
  description,
  required: ['error', ...Object.keys(own), 'tier', 'message', 'upgrade_url'],
  properties: {
    error: { type: 'string', const: error, description: 'Which kind of boundary was met' },
    ...own,
    ...planFields,
  },
});

/** Components of the families that the request path itself answers. */
export const ERROR_SCHEMAS: { readonly [name: string]: Json } = {
  ApiError: {
    type: 'object',
    description:
      'A refused request. Further fields have facts about the refusal, for example `from` and `allowed`.',
    required: ['detail', 'code', 'request_id'],
    additionalProperties: true,
    properties: {
      detail: text('What is wrong and what to do, for people; the wording may change'),
      code: text('What is wrong, for programs; a code never changes its meaning'),
      request_id: requestId,
    },
  },
  ValidationError: {
    type: 'object',
    description: 'The request does not have the form that the operation takes.',
    required: ['detail', 'code', 'request_id'],
    properties: {
      detail: {
        type: 'array',
        description: 'One entry for each finding',
        items: ref('schemas', 'FieldProblem'),
      },
      code: { type: 'string', const: 'validation_error', description: 'Always `validation_error`' },
      request_id: requestId,
    },
  },
  FeatureNotAvailable: boundary(
    'feature_not_available',
    'The plan does not include the feature. The answer is stable: do not retry it.',
    { feature_name: text('The feature that the plan does not include') },
  ),
  TierLimitExceeded: boundary(
    'tier_limit_exceeded',
    'The plan allows no more of these. The answer is stable: do not retry it.',
    {
      current_usage: whole('How many the seller has now'),
      limit: whole('How many the plan allows'),
    },
  ),
  PlanBoundary: {
    description: 'The plan does not allow the request. The answer is stable: do not retry it.',
    oneOf: [ref('schemas', 'FeatureNotAvailable'), ref('schemas', 'TierLimitExceeded')],
    discriminator: {
      propertyName: 'error',
      mapping: {
        feature_not_available: '#/components/schemas/FeatureNotAvailable',
        tier_limit_exceeded: '#/components/schemas/TierLimitExceeded',
      },
    },
  },
};

/** An error with a body of its own declares the schema. Other errors belong to the domain family. */
export const familyOf = (def: ErrorDef): string =>
  (def.schema as { title?: string } | undefined)?.title ?? 'ApiError';

/** The field that holds the documented code. */
export const codeField = (family: string): string => (family === 'ApiError' ? 'code' : 'error');

/** Statuses after which the client may send the same feed again. */
const RETRYABLE_STATUS = new Set([429, 500, 503, 504]);
const RETRYABLE_CODE = 'idempotency_in_progress';

/** An example of the body of an error. */
export function exampleOf(def: ErrorDef, family = familyOf(def)): Json {
  const { code, detail, facts, status } = def;
  if (family === 'ApiError') return { detail, code, ...facts, request_id: REQUEST_ID };
  const retryable = RETRYABLE_STATUS.has(status) || code === RETRYABLE_CODE;
  return { error: code, detail, code, retryable, ...facts, row_results: [], request_id: REQUEST_ID };
}

const INSTANT = /^\d{4}-\d\d-\d\dT.*Z$/;

/** Whether each field has a description here; others keep the schema of what they hold. */
const isDescribed = (example: unknown): example is Json =>
  typeof example === 'object' &&
  example !== null &&
  Object.keys(example).every((name) => FACTS[name] !== undefined);

/** The type of a fact, from its example. */
function factType(example: unknown): Json {
  // A list has names, even if the example is empty.
  if (Array.isArray(example)) return { type: 'array', items: factType(example[0] ?? '') };
  if (typeof example === 'number') return { type: Number.isInteger(example) ? 'integer' : 'number' };
  if (typeof example === 'string')
    return compact({ type: 'string', format: INSTANT.test(example) ? 'date-time' : undefined });
  if (isDescribed(example))
    return {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(example).map(([name, value]) => [name, factSchema(name, value)]),
      ),
    };
  return {};
}

/** Facts whose names mean something else in other schemas. */
const FACTS: Readonly<Record<string, string>> = {
  status: 'State of the object',
  version: 'Version of the seller agreement that waits to be accepted',
  provider_code: 'The payment provider’s own code of the refusal',
  amount_minor: 'Amount that was asked for, in minor units',
  quantity: 'Units that were asked for',
  minimum_quantity: 'The fewest units that the supplier sells at once',
  maximum_quantity: 'The most units that the supplier sells at once; null: no limit',
  pack_size: 'Units of a pack',
  nearest: 'The next quantities that the supplier sells: `down` and `up`, null where there is none',
  changes: 'What has changed, with `line_no`, `field`, `before` and `after`',
  total_minor: 'Goods and freight now; null: the freight is not stated',
  goods_minor: 'Price of the goods',
  minimum_order_minor: 'The least that the supplier takes orders for',
  purchase_line_id: 'Id of the line, `pol_…`',
  receipt_id: 'Id of the receipt, `rec_…`',
  outstanding: 'Units that the supplier owes',
  free: 'Units that no order has reserved',
  down: 'The next lower quantity',
  up: 'The next higher quantity',
  line_no: 'Number of the line; null: the whole order',
  field: 'What has changed',
  before: 'The figure of before',
  after: 'The figure now',
};
/** Facts that may be null. */
const NULLABLE = new Set(['maximum_quantity', 'total_minor', 'down', 'up', 'line_no', 'before', 'after']);

/** The schema of a fact that stands beside the code. */
export function factSchema(name: string, example: unknown): Json {
  const type = factType(example);
  return compact({
    ...type,
    ...(NULLABLE.has(name) && { type: [type['type'] ?? 'integer', 'null'] }),
    description: FACTS[name] ?? FIELD_DESCRIPTIONS[name],
  });
}

export const VALIDATION_EXAMPLE: Json = {
  detail: [
    { loc: ['body', 'title'], msg: 'This field is required.', type: 'missing' },
    { loc: ['query', 'limit'], msg: 'Must be at most 200.', type: 'less_than_equal', input: 500 },
  ],
  code: 'validation_error',
  request_id: REQUEST_ID,
};

/** The 402 body of a gated feature, for a seller of the highest plan that lacks it. */
export function featureExample(feature: FeatureName): Json {
  const without = [...PLANS].reverse().find((plan) => !planHasFeature(plan, feature)) ?? 'Free';
  return featureBody(without, feature);
}

/** The 402 body of a counted resource, for a Free seller that has reached its count. */
export const limitExample = (limit: LimitName): Json => limitBody('Free', limit, planLimit('Free', limit));
