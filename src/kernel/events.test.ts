import Type from 'typebox';
import { expect, expectTypeOf, test } from 'vitest';
import type { Acting } from './context.ts';
import { type DeclaredEvent, defineEvent } from './events.ts';

const renamed = defineEvent({
  type: 'thing.renamed',
  summary: 'A thing was renamed',
  schema: Type.Object({ thing_id: Type.String(), version: Type.Integer(), name: Type.String() }),
  example: { thing_id: 'thg_1', version: 2, name: 'new' },
  id: 'thing_id',
});
const thing = { thing_id: 'thg_1', version: 2, name: 'new' };

test('a declaration takes id and version from the object, unless the call passes others', () => {
  expect(renamed.of(thing)).toEqual({
    type: 'thing.renamed',
    object_id: 'thg_1',
    object_version: 2,
    data: { object: thing },
  });
  expect(renamed.of(thing, { object_id: 'thg_2', version: 3, previous: { name: 'old' } })).toMatchObject({
    object_id: 'thg_2',
    object_version: 3,
    data: { previous: { name: 'old' } },
  });
  expect(renamed.bare('thg_1', 2)).toEqual({ type: 'thing.renamed', object_id: 'thg_1', object_version: 2 });
});

test('only a declaration can make an event, and only from an object that it describes', () => {
  expectTypeOf<Parameters<Acting['emit']>>().toEqualTypeOf<DeclaredEvent[]>();
  // @ts-expect-error an object literal is no event
  const literal: DeclaredEvent = { type: 'thing.renamed', object_id: 'thg_1', object_version: 2 };
  expect(literal).toEqual(renamed.bare('thg_1', 2));
  // @ts-expect-error the name is missing
  renamed.of({ thing_id: 'thg_1', version: 2 });
});
