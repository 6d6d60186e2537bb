import Type, { type TInteger, type TProperties } from 'typebox';
import { documentedAs, Nullable, StringEnum } from './schema.ts';

/** One finding about a request that has the wrong form. */
export const FieldProblemSchema = Type.Object(
  {
    loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description:
        'Where the value is: `body`, `query`, `path` or `header`, then each key or index on the way',
    }),
    msg: Type.String({ description: 'What is wrong, for people' }),
    type: Type.String({
      description: 'What is wrong, for programs, for example `missing` or `string_too_long`',
    }),
    input: Type.Optional(
      Type.Unknown({ description: 'The refused value or its beginning; absent where it may be a secret' }),
    ),
    ctx: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        additionalProperties: true,
        description: 'Further facts, for example the span of the text that is refused: `start` and `end`',
      }),
    ),
  },
  { title: 'FieldProblem', description: 'One finding of a validation failure.' },
);

/** The error body of one item of a bulk request. A request with only this item would have got the same body. */
const itemErrorSchema = documentedAs(
  Type.Object(
    {
      code: Type.Optional(Type.String({ description: 'What is wrong, for programs' })),
      detail: Type.Optional(
        Type.Unsafe<unknown>({
          anyOf: [Type.String(), Type.Array(FieldProblemSchema)],
          description: 'What is wrong, for people; a list of findings where the item has the wrong form',
        }),
      ),
      error: Type.Optional(
        Type.String({ description: 'Which boundary of the plan was met, with status 402' }),
      ),
    },
    {
      title: 'ItemError',
      description:
        'Why an item of a bulk request was refused. A request with only this item would get the same body.',
      additionalProperties: true,
    },
  ),
);

/**
 * The answer of a bulk request: the number of items by outcome, and one result for each item.
 *
 * @param outcomes the descriptions of the counts, by outcome
 * @param shown the fields of a result beside its index, status, outcome and error
 */
export function itemResults<const O extends string, P extends TProperties>(
  title: string,
  outcomes: Readonly<Record<O, string>>,
  shown: P,
) {
  const names = Object.keys(outcomes) as O[];
  const counts = Object.fromEntries(
    names.map((name) => [name, Type.Integer({ description: outcomes[name] })]),
  ) as Record<O, TInteger>;
  const result = Type.Object({
    index: Type.Integer({ description: 'Index of the item in the request, from 0' }),
    status: Type.Integer({ description: 'HTTP status that the item would get as a single request' }),
    outcome: StringEnum(names, { description: 'Outcome of the item' }),
    ...shown,
    error: Nullable(itemErrorSchema),
  });
  return Type.Object(
    {
      counts: Type.Object(
        { items: Type.Integer({ description: 'Items in the request' }), ...counts },
        { description: 'Number of items by outcome' },
      ),
      results: Type.Array(result, { description: 'One result per item, in the order of the items' }),
    },
    { title, description: 'The outcome of each item.' },
  );
}
