import Type from 'typebox';

const Named = Type.Object({
  code: Type.String(),
  severity: Type.String(),
  message: Type.String(),
  hint: Type.Optional(Type.String()),
});

/** The feed contract on the wire. Source: docs/design/feeds-and-imports.md#feed-contract. */
export const FeedContractSchema = Type.Object(
  {
    contract_version: Type.String(),
    max_bytes: Type.Integer({ description: 'Of the file, inflated' }),
    max_rows: Type.Integer(),
    max_row_bytes: Type.Integer(),
    max_cell_bytes: Type.Integer(),
    max_columns: Type.Integer(),
    max_sync_seconds: Type.Integer(),
    max_async_seconds: Type.Integer(),
    content_types: Type.Array(Type.String()),
    content_encodings: Type.Array(Type.String()),
    encodings: Type.Array(Type.String()),
    delimiters: Type.Array(Type.String()),
    modes: Type.Array(Type.String()),
    on_error: Type.Array(Type.String()),
    async_available: Type.Boolean(),
    runs_remaining_today: Type.Integer(),
    evidence_retention_days: Type.Integer(),
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        required: Type.Boolean(),
        type: Type.String(),
        rule: Type.String(),
      }),
    ),
    import_profiles: Type.Array(Type.String()),
    error_codes: Type.Array(Named),
    file_errors: Type.Array(
      Type.Object({ code: Type.String(), status: Type.Integer(), message: Type.String() }),
    ),
    templates: Type.Array(
      Type.Object({ name: Type.String(), content_type: Type.String(), content: Type.String() }),
    ),
  },
  { title: 'FeedContract' },
);
