/** The stored form of changes, without keys: a row of evidence is mostly changes. */
import type { Change } from '../domain/plan/changes.ts';

/**
 * `[field, after]` without a value before, else `[field, before, after]`. Older rows have changes with keys.
 */
export type StoredChange =
  | readonly [field: string, after: unknown]
  | readonly [field: string, before: unknown, after: unknown]
  | Change;

export const packChanges = (changes: readonly Change[]): StoredChange[] =>
  changes.map(({ field, before, after }) => (before === null ? [field, after] : [field, before, after]));

export const unpackChanges = (stored: readonly StoredChange[] | null): Change[] =>
  (stored ?? []).map((change) => {
    if (!('length' in change)) return change;
    return change.length === 2
      ? { field: change[0], before: null, after: change[1] }
      : { field: change[0], before: change[1], after: change[2] };
  });
