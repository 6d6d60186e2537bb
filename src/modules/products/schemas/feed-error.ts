import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';
import { feedLimitFields } from './feed-limits.ts';
import { FeedRunSchema, RowResultSchema } from './feed-run.ts';
import { Finding } from './parts.ts';

const FeedLimits = Type.Object(feedLimitFields, {
  title: 'FeedLimits',
  description: 'The limits for one feed of the seller.',
});

/** The body for every rejected, failed or cancelled feed. */
export const FeedErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'Code of the error: one of the codes of this answer' }),
    detail: Type.String({ description: 'What happened and what to do, for people. The wording may change' }),
    code: Type.String({
      description:
        'Code of the most specific known cause, for example `too_many_rows`; otherwise the same as `error`',
    }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later' }),
    row_results: Type.Array(RowResultSchema, { description: 'The first 100 row results of the run' }),
    limits: Type.Optional(FeedLimits),
    run: Type.Optional(FeedRunSchema),
    resets_at: Type.Optional(Instant({ description: 'When the quota of the day restarts' })),
    messages: Type.Optional(Type.Array(Finding, { description: 'Findings about the header row' })),
    request_id: Type.Optional(
      Type.String({
        description:
          'Same as the header `X-Request-Id`; in a repeated answer, that of the request that began the run',
      }),
    ),
  },
  {
    title: 'FeedError',
    description:
      'The feed was rejected, failed, was cancelled or exceeded its time limit. Nothing was applied.',
    additionalProperties: true,
  },
);
