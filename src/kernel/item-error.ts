import Type from 'typebox';
import { documentedAs } from './schema.ts';

/** The body with which one item of a bulk request was refused, as a request of its own would have been. */
export const itemErrorSchema = documentedAs(
  Type.Object(
    {
      code: Type.Optional(Type.String({ description: 'What is wrong, for programs' })),
      detail: Type.Optional(
        Type.Unsafe<unknown>({
          anyOf: [
            { type: 'string' },
            { type: 'array', items: { type: 'object', additionalProperties: true } },
          ],
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
        'Why an item of a bulk request was refused: the body that a request of its own would answer.',
      additionalProperties: true,
    },
  ),
);
