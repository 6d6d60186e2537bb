/** Merges what a store says about a variant into its product, field by field. Source: docs/design/channels.md#merge. */
import type { CatalogueProduct } from '../../products/domain/product.ts';
import type { ProductPatch } from '../../products/domain/row.ts';
import { hereTexts, patchOf } from './field-texts.ts';
import {
  type FieldTexts,
  MERGED_FIELDS,
  type MergedFieldName,
  type MergeRules,
  ruleOf,
} from './link-words.ts';
import { mergeField } from './merge-field.ts';

export interface FieldDifference {
  readonly field: MergedFieldName;
  readonly store: string | null;
  readonly here: string | null;
  readonly base: string | null;
}

export interface MergedProduct {
  /** The fields that take the store's value. */
  readonly patch: ProductPatch;
  readonly base: FieldTexts;
  /** Fields that wait for a person. */
  readonly conflicts: readonly FieldDifference[];
  /** Edits here that the store's values replace. */
  readonly replaced: readonly FieldDifference[];
}

/**
 * @param store the fields that the store states
 * @param base the values that were last taken from it
 */
export function mergeProduct(
  product: Pick<CatalogueProduct, MergedFieldName>,
  store: FieldTexts,
  base: FieldTexts,
  rules: MergeRules,
): MergedProduct {
  const here = hereTexts(product, store, base);
  const conflicts: FieldDifference[] = [];
  const replaced: FieldDifference[] = [];
  let patch: ProductPatch = {};
  const nextBase: Record<string, string | null> = { ...base };
  for (const field of MERGED_FIELDS) {
    const theirs = store[field];
    if (theirs === undefined) continue;
    const values = { base: base[field], here: here[field], store: theirs };
    const merged = mergeField(values, ruleOf(rules, field));
    const difference = { field, store: theirs, here: here[field], base: base[field] ?? null };
    if (merged.outcome === 'conflict') conflicts.push(difference);
    if (merged.outcome === 'edit_replaced') replaced.push(difference);
    if (merged.here !== here[field]) patch = { ...patch, ...patchOf(field, merged.here, here[field]) };
    if (merged.base !== undefined) nextBase[field] = merged.base;
  }
  return { patch, base: nextBase, conflicts, replaced };
}
