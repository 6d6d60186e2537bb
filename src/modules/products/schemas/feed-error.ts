import Type from 'typebox';
import { feedLimitFields } from './feed-limits.ts';
import { FeedRunSchema, RowResultSchema } from './feed-run.ts';
import { Finding } from './parts.ts';

const FeedLimits = Type.Object(feedLimitFields, {
  title: 'FeedLimits',
  description: 'The limits of the feed contract that bind one feed of the seller.',
});

/** Body of every refused, failed or interrupted feed. */
export const FeedErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'What happened to the feed, for programs' }),
    detail: Type.String({ description: 'What happened and what to do, for people; the wording may change' }),
    code: Type.String({
      description:
        'The cause: the same as `error`, or a narrower code of the file, for example `too_many_rows` or `header_missing`',
    }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later' }),
    row_results: Type.Array(RowResultSchema, { description: 'The first 100 row results of the run' }),
    limits: Type.Optional(FeedLimits),
    run: Type.Optional(FeedRunSchema),
    messages: Type.Optional(Type.Array(Finding, { description: 'What was found in the header row' })),
    request_id: Type.Optional(Type.String({ description: 'The same as the header `X-Request-Id`' })),
  },
  {
    title: 'FeedError',
    description: 'A feed that was refused, failed or ran out of time. Nothing of it was applied.',
    additionalProperties: true,
  },
);
