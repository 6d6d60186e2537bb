import { isDeepStrictEqual } from 'node:util';

/** The names of the fields that a change gives another value. */
export const changedFields = (before: object, change: object): string[] => {
  const old = new Map(Object.entries(before));
  return Object.entries(change).flatMap(([name, value]) =>
    isDeepStrictEqual(value, old.get(name)) ? [] : [name],
  );
};
