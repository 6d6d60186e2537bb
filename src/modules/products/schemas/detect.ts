import Type from 'typebox';
import { Nullable } from '../../../kernel/schema.ts';

const Texts = Type.Array(Type.String());
const anything = (description: string) => Type.Unsafe<unknown>({ description });

/** Answer of detection. Source: docs/design/feeds-and-imports.md#detection. */
export const DetectAnswerSchema = Type.Object(
  {
    profile: Nullable(Type.String()),
    generation: Nullable(Type.String()),
    confidence: Type.Number(),
    encoding: Nullable(Type.String()),
    delimiter: Nullable(Type.String()),
    header_row: Nullable(Type.Integer()),
    rows: Nullable(Type.Integer()),
    currency: Nullable(Type.String()),
    columns: Type.Object({ matched: Texts, missing: Texts, unknown: Texts }),
    candidates: Type.Array(Type.Object({ profile: Type.String(), score: Type.Number() })),
    near_miss: anything('The profile that comes nearest and which columns it lacks; null when one matches'),
    warnings: Type.Array(anything('code, message, and the rows or columns that show it')),
    sample: Type.Array(anything('A row as the import would read it')),
  },
  { title: 'DetectAnswer' },
);
