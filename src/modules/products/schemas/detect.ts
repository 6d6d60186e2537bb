import Type from 'typebox';
import { documentedAs, Nullable } from '../../../kernel/schema.ts';
import { FindingSeverity } from './enums.ts';

const columns = (description: string) => Type.Array(Type.String(), { description });

const NearMiss = Type.Object(
  {
    profile: Type.String({ description: 'The profile that comes nearest' }),
    score: Type.Number({ description: 'How well it fits, from 0 to 1' }),
    matched: columns('Columns that it knows'),
    missing: columns('Columns without which the file is not recognised'),
    against: columns('Columns that say that the file is something else'),
    message: Type.String({ description: 'Why the file is not recognised, for people' }),
  },
  { title: 'NearMiss', description: 'The profile that comes nearest to a file that none fits.' },
);

const DetectWarning = Type.Object(
  {
    code: Type.String({ description: 'What was noticed, for programs' }),
    message: Type.String({ description: 'What was noticed, for people' }),
    rows: Type.Optional(Type.Integer({ description: 'Rows that show it' })),
    columns: Type.Optional(columns('Columns that show it')),
  },
  { title: 'DetectWarning', description: 'Something about the file that an import would handle.' },
);

const SampleRow = Type.Object(
  {
    row_number: Type.Integer({ description: 'Data row, from 1' }),
    line_start: Type.Integer({ description: 'First line of the row in the file, from 1' }),
    line_end: Type.Integer({ description: 'Last line of the row in the file' }),
    role: Type.String({ description: 'What the row is: a product, a variant, an image …' }),
    product: Nullable(
      Type.Unsafe<unknown>({
        type: 'object',
        additionalProperties: true,
        description: 'Fields of the product as the import would write them; null when the row gives none',
      }),
    ),
    messages: Type.Array(
      Type.Object({
        code: Type.String({ description: 'What was found, for programs' }),
        severity: FindingSeverity,
        message: Type.String({ description: 'What was found, for people' }),
      }),
      { description: 'What was found in the row' },
    ),
  },
  { title: 'SampleRow', description: 'A row as the import would read it.' },
);

/** Answer of detection; docs/design/feeds-and-imports.md. */
export const DetectAnswerSchema = Type.Object(
  {
    profile: Nullable(Type.String({ description: 'Profile of the file; null when none fits' })),
    generation: Nullable(Type.String({ description: 'Version of the platform’s file format' })),
    confidence: Type.Number({ description: 'How well the profile fits, from 0 to 1' }),
    encoding: Nullable(Type.String({ description: 'Text encoding of the file' })),
    delimiter: Nullable(Type.String({ description: 'Character between the cells' })),
    header_row: Nullable(Type.Integer({ description: 'Number of the header among the rows, from 1' })),
    rows: Nullable(Type.Integer({ description: 'Rows after the header' })),
    currency: Nullable(
      Type.String({ description: 'Currency that the file names; null: the seller’s own is used' }),
    ),
    columns: Type.Object(
      {
        matched: columns('Columns that the profile knows'),
        missing: columns('Columns of the profile that the file lacks'),
        unknown: columns('Columns that the profile does not know'),
      },
      { description: 'The header of the file against the profile' },
    ),
    candidates: Type.Array(
      Type.Object({
        profile: Type.String({ description: 'Name of the profile' }),
        score: Type.Number({ description: 'How well it fits, from 0 to 1' }),
      }),
      { description: 'Profiles that were considered, the best first' },
    ),
    near_miss: documentedAs(Type.Unsafe<unknown>(Nullable(NearMiss))),
    warnings: Type.Array(documentedAs(Type.Unsafe<unknown>(DetectWarning)), {
      description: 'What was noticed about the file',
    }),
    sample: Type.Array(documentedAs(Type.Unsafe<unknown>(SampleRow)), { description: 'The first rows' }),
  },
  { title: 'DetectAnswer', description: 'What a file is, and how an import would read it.' },
);
