/** What a linked product has in the store and here, field by field. Source: docs/design/channels.md#links. */
import type { CatalogueProduct } from '../../products/domain/product.ts';
import { hereTexts } from './field-texts.ts';
import { type FieldTexts, MERGED_FIELDS, type MergedFieldName } from './link-words.ts';

interface ComparedField {
  readonly field: MergedFieldName;
  readonly store: string | null;
  readonly here: string | null;
  /** The value that was last taken from the store; undefined: none. */
  readonly base: string | null | undefined;
  readonly in_step: boolean;
}

/**
 * The store's value is the base, except where a conflict waits.
 *
 * @param waiting the store's values of fields that wait for a person
 */
export function compareLink(
  product: Pick<CatalogueProduct, MergedFieldName>,
  base: FieldTexts,
  waiting: FieldTexts = {},
): ComparedField[] {
  const here = hereTexts(product, base, waiting);
  return MERGED_FIELDS.flatMap((field) => {
    const store = waiting[field] ?? base[field];
    if (store === undefined) return [];
    return [{ field, store, here: here[field], base: base[field], in_step: store === here[field] }];
  });
}
