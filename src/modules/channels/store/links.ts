/** Links: one for each variant of a connected store, with the product that it is. */
import type { Acting, Db } from '../../../kernel/context.ts';
import { bigint, instant, integer, json, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, firstVersion, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
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

/** What a link has while its variant is no product. */
export const NO_PRODUCT = {
  product_id: null,
  state: 'unlinked',
  linked_by: null,
  base: {},
  base_level: null,
  shortfall: 0n,
} as const;

/** The first version of the link of a variant. Without more it is `unlinked`. */
export const newLink = (
  ctx: Pick<Acting, 'ids' | 'at'>,
  channel_id: string,
  link: Pick<LinkRow, 'external_product_id' | 'external_variant_id' | 'external_updated_at'> &
    Partial<LinkRow>,
): LinkRow => ({
  ...{ link_id: ctx.ids.next('lnk_'), channel_id, ...NO_PRODUCT },
  ...{ inventory_item_id: null, external_sku: null, title: '', content_sha256: '' },
  ...firstVersion(ctx.at()),
  ...link,
});

/** Whether one of these variants or items belongs to another product of the channel. */
export async function areOthersVariants(
  { db, seller_id }: SellerDb,
  channelId: string,
  externalProductId: string,
  { ids, items }: { readonly ids: readonly string[]; readonly items: readonly string[] },
): Promise<boolean> {
  const row = await db.one(statement({ link_id: text })`
    select link_id
      from channel_link
     where seller_id = ${seller_id}
       and channel_id = ${channelId}
       and external_product_id <> ${externalProductId}
       and (external_variant_id = any(${ids}) or inventory_item_id = any(${items}))
     limit 1`);
  return row !== undefined;
}

export const linksOfProduct = (
  at: SellerDb,
  channelId: string,
  externalProductId: string,
): Promise<LinkRow[]> =>
  links.all(
    at,
    part`
        channel_id = ${channelId}
        and external_product_id = ${externalProductId}
        order by link_id
          for update`,
  );

/** The link of a variant, or of its item of stock. */
export const linkOfExternal = (
  at: SellerDb,
  channelId: string,
  { variant, item }: { readonly variant: string | null; readonly item: string | null },
): Promise<LinkRow | undefined> =>
  links.one(
    at,
    part`
        channel_id = ${channelId}
        and (external_variant_id = ${variant} or inventory_item_id = ${item})
        limit 1
          for update`,
  );

/** Links of a channel that have one of these products. */
export const linksWithProducts = (
  at: SellerDb,
  channelId: string,
  productIds: readonly string[],
): Promise<LinkRow[]> =>
  productIds.length === 0
    ? Promise.resolve([])
    : links.all(at, part`channel_id = ${channelId} and product_id = any(${productIds}) for update`);

/** Linked variants of a channel after a link, in the order of their ids. */
export const linkedVariants = (
  at: SellerDb,
  channelId: string,
  after: string,
  limit: number,
): Promise<LinkRow[]> =>
  links.all(
    at,
    part`
        channel_id = ${channelId}
        and state = 'linked'
        and link_id > ${after}
        order by link_id
        limit ${limit}
          for update`,
  );

/** Products that are variants of another product of this store, or of another store. */
export async function linkedToOthers(
  { db, seller_id }: SellerDb,
  channelId: string,
  externalProductId: string,
  productIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (productIds.length === 0) return new Set();
  const rows = await db.all(statement({ product_id: text })`
    select distinct product_id
      from channel_link
     where seller_id = ${seller_id}
       and product_id = any(${productIds})
       and state <> 'gone'
       and not (channel_id = ${channelId} and external_product_id = ${externalProductId})`);
  return new Set(rows.map(({ product_id }) => product_id));
}

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

/** Whether a product of a store is linked in another connected channel, of any seller. */
export async function isLinkedElsewhere(
  db: Db,
  { channel_id, external_product_id }: Pick<LinkRow, 'channel_id' | 'external_product_id'>,
): Promise<boolean> {
  const row = await db.one(statement({ found: integer })`
    select 1 as found
      from channel_link l
      join channel c
        on c.seller_id = l.seller_id
       and c.channel_id = l.channel_id
       and c.status in ('connected', 'degraded')
     where l.external_product_id = ${external_product_id}
       and l.channel_id <> ${channel_id}
       and l.state = 'linked'
     limit 1`);
  return row !== undefined;
}

/** Erases what links say about the store; those of products keep their ids. */
export async function eraseLinks(at: SellerDb, channelId: string): Promise<void> {
  await links.deleteWhere(at, part`channel_id = ${channelId} and product_id is null`);
  const nothing = part`external_sku = null, title = '', base = '{}', content_sha256 = ''`;
  await links.change(at, nothing, part`channel_id = ${channelId}`);
}

interface LinkFilter {
  readonly state?: LinkState | undefined;
  readonly product_id?: string | undefined;
  readonly external_product_id?: string | undefined;
  readonly inventory_item_id?: string | undefined;
  readonly differs?: boolean | undefined;
}

/**
 * Whether the product `p` differs from the base of the link `l`. It compares as the merge does
 * (`src/modules/channels/domain/field-texts.ts`).
 */
export const differs: Part = raw(`(
     l.base -> 'title' is not null
       and l.base ->> 'title' is distinct from nullif(btrim(normalize(p.title, nfc)), '')
  or l.base -> 'description' is not null
       and l.base ->> 'description' is distinct from
           nullif(btrim(normalize(p.description, nfc), E' \\t\\r\\n'), '')
  or l.base -> 'brand' is not null
       and l.base ->> 'brand' is distinct from nullif(btrim(normalize(p.brand, nfc)), '')
  or l.base -> 'category' is not null
       and l.base ->> 'category' is distinct from nullif(btrim(normalize(p.category, nfc)), '')
  or l.base -> 'images' is not null
       and (l.base ->> 'images')::jsonb is distinct from
           jsonb_path_query_array(p.images, '$[*].url')
  or l.base -> 'attributes' is not null
       and not p.attributes @> (l.base ->> 'attributes')::jsonb
  or l.base -> 'price_minor' is not null
       and l.base ->> 'price_minor' is distinct from p.price_minor::text
  or l.base -> 'compare_at_minor' is not null
       and l.base ->> 'compare_at_minor' is distinct from p.compare_at_minor::text
  or l.base -> 'status' is not null
       and l.base ->> 'status' is distinct from
           case p.status when 'active' then 'active' when 'archived' then 'archived' else 'inactive' end)`);

export const linkFilter = (sellerId: string, channelId: string, asked: LinkFilter): Part =>
  allOf(
    part`channel_id = ${channelId}`,
    asked.state !== undefined && part`state = ${asked.state}`,
    asked.product_id !== undefined && part`product_id = ${asked.product_id}`,
    asked.external_product_id !== undefined && part`external_product_id = ${asked.external_product_id}`,
    asked.inventory_item_id !== undefined && part`inventory_item_id = ${asked.inventory_item_id}`,
    asked.differs !== undefined &&
      part`${asked.differs} = exists (
            select
              from channel_link l
              join v_products_listed p
                on p.seller_id = ${sellerId}
               and p.product_id = l.product_id
             where l.seller_id = ${sellerId}
               and l.link_id = channel_link.link_id
               and ${differs})`,
  );
