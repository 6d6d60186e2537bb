import { expect, test } from 'vitest';
import { shareFields } from './share-fields.ts';

const height = { type: 'integer', description: `Height ${'of the parcel '.repeat(10)}` };
const object = (properties: object) => ({ type: 'object', properties });
const reference = { $ref: '#/components/schemas/Height' };

test('a field that several schemas have alike is a component', () => {
  const { schemas, rest } = shareFields(
    { Parcel: object({ height }), Box: object({ height, width: { type: 'integer' } }) },
    { paths: { schema: object({ height }) } },
  );
  expect(schemas).toEqual({
    Parcel: object({ height: reference }),
    Box: object({ height: reference, width: { type: 'integer' } }),
    Height: height,
  });
  expect(rest).toEqual({ paths: { schema: object({ height: reference }) } });
});

test('a field with another meaning keeps its own schema, and a taken name is not used twice', () => {
  const other = { ...height, minimum: 1 };
  const { schemas } = shareFields(
    {
      Parcel: object({ height }),
      Box: object({ height }),
      Tower: object({ height: other }),
      Hill: object({ height: other }),
      Tree: object({ height: { type: 'number' } }),
    },
    {},
  );
  expect(schemas['Height']).toEqual(height);
  expect(schemas['TowerHeight']).toEqual(other);
  expect(schemas['Hill']).toEqual(object({ height: { $ref: '#/components/schemas/TowerHeight' } }));
  expect(schemas['Tree']).toEqual(object({ height: { type: 'number' } }));
});

test('a nullable reference keeps the name of its component', () => {
  const action = { anyOf: [{ $ref: '#/components/schemas/Action' }, { type: 'null' }] };
  const Action = { type: 'object', description: 'What to do' };
  const owners = ['Channel', 'Issue', 'Ticket', 'Step', 'Case', 'Account'];
  const all = { Action, ...Object.fromEntries(owners.map((name) => [name, object({ action })])) };
  expect(shareFields(all, {}).schemas).toEqual(all);
});

test('examples are no schemas', () => {
  const example = { properties: { height } };
  const { schemas } = shareFields(
    { Parcel: { ...object({ height }), examples: [example] }, Box: object({ height }) },
    {},
  );
  expect(schemas['Parcel']?.['examples']).toEqual([example]);
});
