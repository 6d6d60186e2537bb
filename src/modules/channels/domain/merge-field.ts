/**
 * Merges a field of a product three ways: the value that was last taken from the store, the value here, and the value that
 * arrives. Values are canonical: equal values have equal texts. Source: docs/design/channels.md#merge.
 */

/** Who wins where both sides changed a field. `never`: the store's value is never taken. */
export const MERGE_RULES = ['store', 'here', 'ask', 'never'] as const;
export type MergeRule = (typeof MERGE_RULES)[number];

interface FieldValues {
  /** Undefined until the field was compared once. */
  readonly base: string | null | undefined;
  readonly here: string | null;
  readonly store: string | null;
}

export interface MergedField {
  readonly here: string | null;
  readonly base: string | null | undefined;
  /** `conflict`: both values wait for a person. `edit_replaced`: an edit here was overwritten. */
  readonly outcome: 'unchanged' | 'taken' | 'agreed' | 'edit_replaced' | 'kept' | 'conflict';
}

export function mergeField({ base, here, store }: FieldValues, rule: MergeRule): MergedField {
  // The store did not change it: an edit here stands.
  if (base === store) return { here, base, outcome: 'unchanged' };
  if (here === store) return { here, base: store, outcome: 'agreed' };
  if (rule === 'never') return { here, base: store, outcome: 'kept' };
  if (base !== undefined && here === base) return { here: store, base: store, outcome: 'taken' };
  if (rule === 'store') return { here: store, base: store, outcome: 'edit_replaced' };
  if (rule === 'here') return { here, base: store, outcome: 'kept' };
  return { here, base, outcome: 'conflict' };
}
