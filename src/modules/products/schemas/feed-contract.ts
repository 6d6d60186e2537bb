import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { FEED_PLAN_LIMITS } from '../domain/feed-run/limits.ts';
import { FeedMode, FindingSeverity, OnError } from './enums.ts';
import { feedLimitFields } from './feed-limits.ts';

const Named = Type.Object(
  {
    code: Type.String({ description: 'The code' }),
    severity: FindingSeverity,
    message: Type.String({ description: 'Meaning' }),
    hint: Type.Optional(Type.String({ description: 'What to do' })),
  },
  { title: 'FindingCode', description: 'A code of findings.' },
);
const texts = (description: string) => Type.Array(Type.String(), { description });

/** The feed contract: docs/design/feeds-and-imports.md. */
export const FeedContractSchema = Type.Object(
  {
    contract_version: Type.String(),
    ...feedLimitFields,
    content_types: texts('Content types that feeds accept'),
    content_encodings: texts('Values of `Content-Encoding` that feeds accept'),
    encodings: texts('Text encodings that feeds accept'),
    delimiters: texts('Delimiters that feeds accept'),
    modes: Type.Array(FeedMode, { description: 'Values of `mode`' }),
    on_error: Type.Array(OnError, { description: 'Values of `on_error`' }),
    plan_limits: Type.Array(
      Type.Object({
        limit: StringEnum(FEED_PLAN_LIMITS, {
          description: 'Name of the limit in `GET /billing/entitlements`',
        }),
        allowed: Type.Integer({ description: 'How many the plan allows' }),
        code: Type.String({ description: 'Code of that answer, or of the rows beyond the limit' }),
        effect: Type.String({ description: 'What becomes of the feed' }),
      }),
      { description: 'How each limit of the plan is answered' },
    ),
    async_available: Type.Boolean({ description: 'Whether the plan allows asynchronous runs' }),
    runs_remaining_today: Type.Integer({ description: 'Feed runs left today' }),
    evidence_retention_days: Type.Integer({ description: 'Days for which row results are kept' }),
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the column' }),
        required: Type.Boolean({ description: 'Whether every file must have the column' }),
        type: Type.String({ description: 'Type of the values' }),
        rule: Type.String({ description: 'Rule for the values' }),
      }),
      { description: 'Columns of feeds' },
    ),
    import_profiles: texts('Names of the import profiles'),
    error_codes: Type.Array(Named, { description: 'Codes of findings' }),
    file_errors: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Code of the error' }),
        status: Type.Integer({ description: 'HTTP status of the answer' }),
        message: Type.String({ description: 'Meaning' }),
      }),
      { description: 'Errors that reject the whole file' },
    ),
    templates: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the file' }),
        path: Type.String({ description: 'Path that accepts the file as it is, by POST' }),
        content_type: Type.String(),
        content: Type.String({ description: 'Content of the file' }),
      }),
      { description: 'Example files to start from' },
    ),
  },
  { title: 'FeedContract', description: 'Limits, columns and codes of feeds for the seller’s plan.' },
);
