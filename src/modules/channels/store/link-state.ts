/** Links as imports and sweeps see them: which variants are known, and the content that was last applied. */
import { nullable, text, textOf } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { LinkedBy, LinkState } from '../domain/link-words.ts';
import { type LinkRow, links } from './links.ts';

const KNOWN = {
  external_product_id: text,
  external_variant_id: text,
  product_id: nullable(text),
  state: textOf<LinkState>(),
  linked_by: nullable(textOf<LinkedBy>()),
  content_sha256: text,
};

/** The links of products of a store. */
export const linksOfProducts = (
  { db, seller_id }: SellerDb,
  channelId: string,
  externalIds: readonly string[],
) =>
  db.all(statement(KNOWN)`
    select external_product_id, external_variant_id, product_id, state, linked_by, content_sha256
      from channel_link
     where seller_id = ${seller_id}
       and channel_id = ${channelId}
       and external_product_id = any(${externalIds})`);

/** The links of variants, and those that have one of the products. */
export const linksOfImport = (
  at: SellerDb,
  channelId: string,
  variants: readonly string[],
  products: readonly string[],
): Promise<LinkRow[]> =>
  links.all(
    at,
    part`channel_id = ${channelId}
       and (external_variant_id = any(${variants}) or product_id = any(${products}))`,
  );

const LINKED = { link_id: text, external_product_id: text, inventory_item_id: nullable(text) };

/** Linked variants after a link, in the order of their ids. */
export const linkedAfter = ({ db, seller_id }: SellerDb, channelId: string, after: string, limit: number) =>
  db.all(statement(LINKED)`
    select link_id, external_product_id, inventory_item_id
      from channel_link
     where seller_id = ${seller_id}
       and channel_id = ${channelId}
       and state = 'linked'
       and link_id > ${after}
     order by link_id
     limit ${limit}`);

/** Keeps which run has made links. */
export const noteRun = (at: SellerDb, runId: string, linkIds: readonly string[]): Promise<number> =>
  links.change(at, part`import_run_id = ${runId}`, part`link_id = any(${linkIds})`);

/** Ends the links that a run has made, and those of the products that its revert has deleted. */
export const endLinks = (
  own: SellerDb,
  {
    channelId,
    runId,
    at,
  }: { readonly channelId: string; readonly runId: string | null; readonly at: string },
  { products, deleted }: { readonly products: readonly string[]; readonly deleted: readonly string[] },
): Promise<number> =>
  links.change(
    own,
    part`state = 'unlinked', product_id = null, linked_by = null, base = '{}', base_level = null, shortfall = 0,
         version = version + 1, updated_at = ${at}`,
    part`channel_id = ${channelId}
     and (product_id = any(${deleted})
          or (product_id = any(${products}) and linked_by = 'import' and import_run_id = ${runId}))`,
  );
