/** The words of links between variants of a store and products. Source: docs/design/channels.md#links. */
import type { MergeRule } from './merge-field.ts';

export const LINK_STATES = ['unlinked', 'linked', 'ignored', 'gone'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** Who found out which product a variant is. */
export const LINKED_BY = ['identity', 'import', 'member'] as const;
export type LinkedBy = (typeof LINKED_BY)[number];

/** Whether a member has unlinked or ignored a variant: neither a delivery nor an import links it again. */
export const isLeftAlone = ({
  state,
  linked_by,
}: {
  readonly state: LinkState;
  readonly linked_by: LinkedBy | null;
}): boolean => state === 'ignored' || (state === 'unlinked' && linked_by === 'member');

/** The fields of a product that a store changes. */
export const MERGED_FIELDS = [
  'title',
  'description',
  'brand',
  'category',
  'images',
  'attributes',
  'price_minor',
  'compare_at_minor',
  'status',
] as const;
export type MergedFieldName = (typeof MERGED_FIELDS)[number];

/** Values of fields in canonical form. */
export type FieldTexts = Readonly<Partial<Record<MergedFieldName, string | null>>>;

export type MergeRules = Readonly<Partial<Record<MergedFieldName, MergeRule>>>;

/** Prices are money, so a person decides; an edit of anything else here stands. */
export const ruleOf = (rules: MergeRules, field: MergedFieldName): MergeRule =>
  rules[field] ?? (field === 'price_minor' || field === 'compare_at_minor' ? 'ask' : 'here');
