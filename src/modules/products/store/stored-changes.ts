/** The stored form of changes. It has no keys, because changes are most of the evidence. */
import type { Change } from '../domain/plan/changes.ts';

/**
 * `[field, after]` when the value before is null, otherwise `[field, before, after]`. Older rows have keys.
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
