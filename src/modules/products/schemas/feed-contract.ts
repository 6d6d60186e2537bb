import Type from 'typebox';
import { FeedMode, FindingSeverity, OnError } from './enums.ts';
import { feedLimitFields } from './feed-limits.ts';

const Named = Type.Object(
  {
    code: Type.String({ description: 'Code of the finding' }),
    severity: FindingSeverity,
    message: Type.String({ description: 'What it means' }),
    hint: Type.Optional(Type.String({ description: 'What to do about it' })),
  },
  { title: 'FindingCode', description: 'A finding that a row may have.' },
);
const texts = (description: string) => Type.Array(Type.String(), { description });

/** The feed contract on the wire: docs/design/feeds-and-imports.md. */
export const FeedContractSchema = Type.Object(
  {
    contract_version: Type.String(),
    ...feedLimitFields,
    content_types: texts('Content types that feeds accept'),
    content_encodings: texts('Values of `Content-Encoding` that feeds accept'),
    encodings: texts('Text encodings that feeds accept'),
    delimiters: texts('Characters that may stand between cells'),
    modes: Type.Array(FeedMode, { description: 'Values of `mode`' }),
    on_error: Type.Array(OnError, { description: 'Values of `on_error`' }),
    async_available: Type.Boolean({ description: 'Whether the plan allows asynchronous runs' }),
    runs_remaining_today: Type.Integer({ description: 'Feed runs that the plan still allows today' }),
    evidence_retention_days: Type.Integer({ description: 'Days for which row results are kept' }),
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the column' }),
        required: Type.Boolean({ description: 'Whether every file needs it' }),
        type: Type.String({ description: 'Kind of value' }),
        rule: Type.String({ description: 'What a value must be' }),
      }),
      { description: 'Columns that feeds know' },
    ),
    import_profiles: texts('Names of the import profiles'),
    error_codes: Type.Array(Named, { description: 'Findings that a row may have' }),
    file_errors: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Code of the error' }),
        status: Type.Integer({ description: 'HTTP status of the answer' }),
        message: Type.String({ description: 'What it means' }),
      }),
      { description: 'Errors of a whole file' },
    ),
    templates: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the file' }),
        content_type: Type.String(),
        content: Type.String({ description: 'Content of the file' }),
      }),
      { description: 'Files to start from' },
    ),
  },
  { title: 'FeedContract', description: 'Limits, columns and codes of feeds, for the plan of the seller.' },
);
