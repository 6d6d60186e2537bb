/** How changes stand in the database: a row of evidence is mostly changes, and their keys would be half of them. */
import type { Change } from '../domain/plan/changes.ts';

/** `[field, after]` where there was nothing before, else `[field, before, after]`. */
export type StoredChange =
  | readonly [field: string, after: unknown]
  | readonly [field: string, before: unknown, after: unknown];

export const packChanges = (changes: readonly Change[]): StoredChange[] =>
  changes.map(({ field, before, after }) => (before === null ? [field, after] : [field, before, after]));

export const unpackChanges = (stored: readonly StoredChange[] | null): Change[] =>
  (stored ?? []).map((change) =>
    change.length === 2
      ? { field: change[0], before: null, after: change[1] }
      : { field: change[0], before: change[1], after: change[2] },
  );
