/** Links: one for each variant of a connected store, with the product that it is. */
import type { Db } from '../../../kernel/context.ts';
import { bigint, instant, integer, json, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
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

export const linksOfProduct = (
  { db, seller_id }: SellerDb,
  channelId: string,
  externalProductId: string,
): Promise<LinkRow[]> =>
  db.all(
    links.select(
      seller_id,
      part`
        channel_id = ${channelId}
        and external_product_id = ${externalProductId}
        order by link_id
          for update`,
    ),
  );

/** Links of a channel that have one of these products. */
export const linksWithProducts = (
  { db, seller_id }: SellerDb,
  channelId: string,
  productIds: readonly string[],
): Promise<LinkRow[]> =>
  productIds.length === 0
    ? Promise.resolve([])
    : db.all(
        links.select(
          seller_id,
          part`channel_id = ${channelId} and product_id = any(${productIds}) for update`,
        ),
      );

/** Products that another connected store of the seller feeds. */
export async function fedElsewhere(
  { db, seller_id }: SellerDb,
  channelId: string,
  productIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ product_id: text })`
    select distinct l.product_id
      from channel_link l
      join channel c
        on c.seller_id = ${seller_id}
       and c.channel_id = l.channel_id
       and c.status in ('connected', 'degraded')
     where l.seller_id = ${seller_id}
       and l.channel_id <> ${channelId}
       and l.product_id = any(${productIds})
       and l.state = 'linked'`);
  return new Set(rows.map(({ product_id }) => product_id));
}

/** Whether a product of a store is known in another connected channel, of any seller. */
export async function isLinkedElsewhere(
  db: Db,
  { channel_id, external_product_id }: Pick<LinkRow, 'channel_id' | 'external_product_id'>,
): Promise<boolean> {
  const row = await db.one(statement({ found: integer })`
    select 1 as found
      from channel_link l
      join channel_shop s
        on s.seller_id = l.seller_id
       and s.channel_id = l.channel_id
     where l.external_product_id = ${external_product_id}
       and l.channel_id <> ${channel_id}
       and l.state <> 'gone'
     limit 1`);
  return row !== undefined;
}
