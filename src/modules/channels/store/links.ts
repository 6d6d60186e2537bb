/** Links: one for each variant of a connected store, with the product that it is. */
import { bigint, instant, json, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { defineTable, type RowIn } from '../../../platform/db/table.ts';
import type { FieldTexts, LinkedBy, LinkState } from '../domain/link-words.ts';

export const links = defineTable('channel_link', 'link_id', {
  channel_id: text,
  external_product_id: text,
  external_variant_id: text,
  inventory_item_id: nullable(text),
  external_sku: nullable(text),
  title: text,
  product_id: nullable(text),
  state: textOf<LinkState>(),
  linked_by: nullable(textOf<LinkedBy>()),
  base: json<FieldTexts>(),
  base_level: nullable(bigint),
  shortfall: bigint,
  external_updated_at: instant,
  content_sha256: text,
});
export type LinkRow = RowIn<typeof links>;
