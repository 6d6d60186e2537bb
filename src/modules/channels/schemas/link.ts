import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { StoredProduct } from '../../products/index.ts';
import { compareLink } from '../domain/compare-link.ts';
import {
  type FieldTexts,
  LINK_STATES,
  LINKED_BY,
  MERGED_FIELDS,
  type MergedFieldName,
  type MergeRules,
  ruleOf,
} from '../domain/link-words.ts';
import { MERGE_RULES } from '../domain/merge-field.ts';
import type { IssueRow } from '../store/issues.ts';
import type { LinkRow } from '../store/links.ts';
import { LINK_STOCK_EXAMPLE, LinkStock, type WireLinkStock } from './link-stock.ts';

export const LinkStateSchema = StringEnum(LINK_STATES, {
  title: 'ChannelLinkState',
  description: '`gone`: the store no longer has the variant',
});
export const MergedField = StringEnum(MERGED_FIELDS, {
  title: 'MergedField',
  description: 'Field of a product',
});
export const MergeRuleSchema = StringEnum(MERGE_RULES, {
  title: 'MergeRule',
  description: 'Who wins where both sides changed the field',
});
const value = (description: string) => Nullable(Type.String({ description }));

const External = Type.Object(
  {
    product_id: Type.String({ description: 'Id of the product in the store' }),
    variant_id: Type.String({ description: 'Id of the variant in the store' }),
    inventory_item_id: Nullable(Type.String({ description: 'Id of its item of stock in the store' })),
    sku: Nullable(Type.String({ description: 'SKU in the store' })),
    title: Type.String({ description: 'Title in the store' }),
    updated_at: Instant({ description: 'When the store changed it' }),
  },
  { description: 'The variant in the store' },
);
const Field = Type.Object(
  {
    field: MergedField,
    store: value('Value in the store; lists and attributes as JSON'),
    here: value('Value here'),
    base: value('Value that was last taken from the store; null: none'),
    in_step: Type.Boolean({ description: 'Whether both sides are equal' }),
    rule: MergeRuleSchema,
    issue_id: Nullable(Type.String({ description: 'The conflict that waits, `iss_…`' })),
  },
  { title: 'ChannelLinkField', description: 'A field in the store and here.' },
);
const LINK = { kind: 'lnk_', one: 'link', title: 'ChannelLink' } as const;
export const Link = Type.Object(
  {
    link_id: Type.String({ description: 'Id of the link, `lnk_…`' }),
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    external: External,
    product_id: Nullable(Type.String({ description: 'The product that it is, `prd_…`' })),
    state: LinkStateSchema,
    linked_by: Nullable(StringEnum(LINKED_BY, { description: 'Who found the product' })),
    fields: Type.Array(Field, { description: 'What both sides state' }),
    stock: LinkStock,
    version: Type.Integer({ description: 'Counts the changes, from 1' }),
  },
  { title: LINK.title, description: 'Which product a variant of a store is.' },
);
export type WireLink = Static<typeof Link>;

/** The store's values of the fields of an open conflict. */
export const waitingTexts = ({ facts }: Pick<IssueRow, 'facts'>): FieldTexts => {
  const fields = (facts['fields'] ?? []) as readonly { field: MergedFieldName; store: string | null }[];
  return Object.fromEntries(fields.map(({ field, store }) => [field, store]));
};

export function linkView(
  row: LinkRow,
  rules: MergeRules,
  product: StoredProduct | undefined,
  issue: IssueRow | undefined,
  stock: WireLinkStock,
): WireLink {
  const { link_id, channel_id, product_id, state, linked_by, version } = row;
  const waiting = issue === undefined ? {} : waitingTexts(issue);
  const compared = product === undefined ? [] : compareLink(product, row.base, waiting);
  return {
    ...{ link_id, channel_id },
    external: {
      ...{ product_id: row.external_product_id, variant_id: row.external_variant_id },
      ...{ inventory_item_id: row.inventory_item_id, sku: row.external_sku, title: row.title },
      updated_at: row.external_updated_at,
    },
    ...{ product_id, state, linked_by },
    fields: compared.map((one) => ({
      ...one,
      ...{ base: one.base ?? null, rule: ruleOf(rules, one.field) },
      issue_id: one.field in waiting ? (issue?.issue_id ?? null) : null,
    })),
    ...{ stock, version },
  };
}

export const LINK_EXAMPLE: WireLink = {
  ...{ link_id: 'lnk_01j0000000000000000000000', channel_id: 'chn_01j0000000000000000000000' },
  external: {
    ...{ product_id: '788032119674292922', variant_id: '642667041472713922' },
    ...{ inventory_item_id: '271878346596884015', sku: 'MUG-BLU', title: 'Blue mug / 350 ml' },
    updated_at: '2026-07-01T00:00:05.000Z',
  },
  ...{ product_id: 'prd_01j0000000000000000000000', state: 'linked', linked_by: 'identity' },
  fields: [],
  stock: { ...LINK_STOCK_EXAMPLE, levels: [] },
  version: 4,
};
