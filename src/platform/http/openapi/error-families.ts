/**
 * The bodies of refused requests: one schema and one example per family. Source: docs/design/wire.md#errors.
 */
import type { ErrorDef } from '../../../kernel/errors.ts';
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
import type { Json } from './document.ts';

const REQUEST_ID = 'req_4f0c2a9b8d7e6f5a4b3c2d1e';
const text = (description: string): Json => ({ type: 'string', description });
const whole = (description: string): Json => ({ type: 'integer', description });

const problem: Json = {
  type: 'object',
  required: ['loc', 'msg', 'type'],
  properties: {
    loc: {
      type: 'array',
      description: 'Place of the value: `body`, `query`, `path` or `header`, then the way to it',
      items: { type: ['string', 'integer'] },
    },
    msg: text('What is wrong, for people'),
    type: text('What is wrong, for programs'),
    input: { description: 'The refused value or its beginning; left out where it may be a secret' },
  },
};

/** Components of the families. */
export const ERROR_SCHEMAS: { readonly [name: string]: Json } = {
  Error: {
    type: 'object',
    description:
      'A refused request. Documented facts, for example `from` and `allowed`, may stand beside these fields.',
    required: ['detail', 'code', 'request_id'],
    additionalProperties: true,
    properties: {
      detail: text('What is wrong and how to mend it, for people; the wording may change'),
      code: text('What is wrong, for programs; a code never changes its meaning'),
      request_id: text('The same as the header `X-Request-Id`'),
    },
  },
  ValidationError: {
    type: 'object',
    description: 'The request does not have the form that the route takes.',
    required: ['detail', 'code', 'request_id'],
    properties: {
      detail: { type: 'array', description: 'One entry for each finding', items: problem },
      code: { type: 'string', const: 'validation_error' },
      request_id: text('The same as the header `X-Request-Id`'),
    },
  },
  PlanBoundary: {
    type: 'object',
    description: 'The plan does not allow this. The answer is stable: do not retry it.',
    required: ['error', 'tier', 'message', 'upgrade_url'],
    properties: {
      error: { type: 'string', enum: ['feature_not_available', 'tier_limit_exceeded'] },
      feature_name: text('The gated feature; with `feature_not_available` only'),
      tier: { type: 'string', enum: [...PLANS], description: 'Name of the plan' },
      message: text('For people'),
      upgrade_url: text(`Relative path of the plan settings, \`${UPGRADE_URL}\``),
      current_usage: whole('With `tier_limit_exceeded` only'),
      limit: whole('With `tier_limit_exceeded` only'),
    },
  },
  FeedError: {
    type: 'object',
    description: 'A feed that was refused, failed or ran out of time.',
    required: ['error', 'detail', 'code', 'retryable', 'row_results'],
    additionalProperties: true,
    properties: {
      error: text('What happened to the feed'),
      detail: text('For people'),
      code: text('The same as `error`, or a narrower reason, for example `too_many_rows`'),
      retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
      limits: { type: 'object', description: 'The limits of the feed contract, where one was passed' },
      run: { type: 'object', description: 'The feed run, where one was persisted' },
      row_results: {
        type: 'array',
        description: 'The first 100 row results',
        items: { type: 'object' },
      },
      request_id: text('The same as the header `X-Request-Id`'),
    },
  },
};

export type Family = keyof typeof ERROR_SCHEMAS;

/** Errors of uploads are named after the feed. */
export const familyOf = (def: ErrorDef): string => (def.code.startsWith('feed_') ? 'FeedError' : 'Error');

/** After these the same feed may be sent again. */
const RETRYABLE_STATUS = new Set([429, 500, 503, 504]);
const RETRYABLE_CODE = 'idempotency_in_progress';

/** What an error looks like on the wire. */
export function exampleOf(def: ErrorDef, family = familyOf(def)): Json {
  const { code, detail, facts, status } = def;
  if (family === 'Error') return { detail, code, ...facts, request_id: REQUEST_ID };
  const retryable = RETRYABLE_STATUS.has(status) || code === RETRYABLE_CODE;
  return { error: code, detail, code, retryable, ...facts, row_results: [], request_id: REQUEST_ID };
}

export const VALIDATION_EXAMPLE: Json = {
  detail: [
    { loc: ['body', 'title'], msg: 'This field is required.', type: 'missing' },
    { loc: ['query', 'limit'], msg: 'The value must be <= 200.', type: 'less_than_equal', input: 500 },
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
