import { expect, test } from 'vitest';
import { withFields } from './ready-json.ts';

test('fields are added to an object that is JSON already, also to an empty one', () => {
  const fields = { page: { limit: 2 }, later: undefined, none: null };
  for (const object of [{}, { data: [{ a: '}' }] }])
    expect(JSON.parse(withFields(JSON.stringify(object), fields))).toEqual({
      ...object,
      page: { limit: 2 },
      none: null,
    });
});
