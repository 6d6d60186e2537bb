import Type from 'typebox';
import { documentedAs, Nullable } from '../../../kernel/schema.ts';
import { FindingSeverity } from './enums.ts';

const columns = (description: string) => Type.Array(Type.String(), { description });

const NearMiss = Type.Object(
  {
    profile: Type.String({ description: 'Name of the profile' }),
    score: Type.Number({ description: 'How well the file matches the profile, from 0 to 1' }),
    matched: columns('Columns that the profile knows'),
    missing: columns('Columns that the profile requires and the file lacks'),
    against: columns('Columns that belong to another format'),
    message: Type.String({ description: 'Why the file does not match, for people' }),
  },
  { title: 'NearMiss', description: 'The most similar profile, when no profile matches the file.' },
);

const DetectWarning = Type.Object(
  {
    code: Type.String({ description: 'Code of the warning' }),
    message: Type.String({ description: 'The warning, for people' }),
    rows: Type.Optional(Type.Integer({ description: 'Number of rows concerned' })),
    columns: Type.Optional(columns('Columns concerned')),
  },
  { title: 'DetectWarning', description: 'A warning about the file. An import would handle it.' },
);

const SampleRow = Type.Object(
  {
    row_number: Type.Integer({ description: 'Data row, from 1' }),
    line_start: Type.Integer({ description: 'First line of the row in the file, from 1' }),
    line_end: Type.Integer({ description: 'Last line of the row in the file' }),
    role: Type.String({ description: 'Role of the row: a product, a variant, an image …' }),
    product: Nullable(
      Type.Unsafe<unknown>({
        type: 'object',
        additionalProperties: true,
        description: 'Fields of the product that the import would write; null when the row has no product',
      }),
    ),
    messages: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Code of the finding' }),
        severity: FindingSeverity,
        message: Type.String({ description: 'The finding, for people' }),
      }),
      { description: 'Findings about the row' },
    ),
  },
  { title: 'SampleRow', description: 'A row and how the import would read it.' },
);

/** The result of detection: docs/design/feeds-and-imports.md. */
export const DetectAnswerSchema = Type.Object(
  {
    profile: Nullable(Type.String({ description: 'Profile of the file; null when no profile matches' })),
    generation: Nullable(Type.String({ description: 'Version of the platform’s file format' })),
    confidence: Type.Number({ description: 'How well the file matches the profile, from 0 to 1' }),
    encoding: Nullable(Type.String({ description: 'Text encoding of the file' })),
    delimiter: Nullable(Type.String({ description: 'Delimiter of the cells' })),
    header_row: Nullable(Type.Integer({ description: 'Number of the header among the rows, from 1' })),
    rows: Nullable(Type.Integer({ description: 'Rows after the header' })),
    currency: Nullable(
      Type.String({ description: 'Currency in the file; null means the currency of the seller' }),
    ),
    columns: Type.Object(
      {
        matched: columns('Columns that the profile knows'),
        missing: columns('Columns of the profile that the file lacks'),
        unknown: columns('Columns that the profile does not know'),
      },
      { description: 'The header of the file, compared with the profile' },
    ),
    candidates: Type.Array(
      Type.Object({
        profile: Type.String({ description: 'Name of the profile' }),
        score: Type.Number({ description: 'How well the file matches the profile, from 0 to 1' }),
      }),
      { description: 'Considered profiles, best match first' },
    ),
    near_miss: documentedAs(Type.Unsafe<unknown>(Nullable(NearMiss))),
    warnings: Type.Array(documentedAs(Type.Unsafe<unknown>(DetectWarning)), {
      description: 'Warnings about the file',
    }),
    sample: Type.Array(documentedAs(Type.Unsafe<unknown>(SampleRow)), { description: 'The first rows' }),
  },
  { title: 'DetectAnswer', description: 'The format of a file, and how an import would read it.' },
);
