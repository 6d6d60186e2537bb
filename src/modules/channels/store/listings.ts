/** Products by where they stand on channels. A page reads the products in the order of their ids, by their index. */
import type { Statement } from '../../../kernel/context.ts';
import { text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ListingState } from '../domain/listing-state.ts';
import { differs, type LinkRow, links } from './links.ts';

/** As `marketplaceState` (`src/modules/channels/domain/listing-state.ts`) says it. */
export const ON_MARKETPLACE = raw(`
      case when p.status = 'draft' then 'draft'
           when p.status <> 'active' then 'inactive'
           when not p.is_live and p.curation_state = 'pending' then 'in_review'
           when not p.is_live or not p.is_complete then 'blocked'
           when p.is_sold_out then 'out_of_stock'
           else 'visible' end`);

/** As `storeListing` says it. */
export const AT_STORE = raw(`
      case when l.link_id is null then 'not_listed'
           when c.status = 'ended' then 'disconnected'
           when l.state = 'gone' then 'gone'
           when c.inbound = 'paused' or l.state = 'ignored' then 'paused'
           when exists (
                select
                  from integration_issue i
                 where i.seller_id = l.seller_id
                   and i.channel_id = l.channel_id
                   and i.kind = 'field_conflict'
                   and i.external_key = 'variant:' || l.external_variant_id
                   and i.state = 'open') then 'conflict'`);

interface Asked {
  readonly channel_id?: string | undefined;
  readonly state?: ListingState | undefined;
}

function hasState(sellerId: string, { channel_id, state }: Asked): Part | false {
  if (state === undefined) return false;
  const marketplace = part`${ON_MARKETPLACE} = ${state}`;
  const store = part`
      exists (
        select
          from channel c
          left join channel_link l
            on l.seller_id = ${sellerId}
           and l.channel_id = c.channel_id
           and l.product_id = p.product_id
         where c.seller_id = ${sellerId}
           and ${allOf(
             channel_id !== undefined && part`c.channel_id = ${channel_id}`,
             part`(c.status <> 'ended' or l.link_id is not null)`,
             part`${AT_STORE} when ${differs} then 'differs' else 'in_step' end = ${state}`,
           )})`;
  if (channel_id === 'marketplace') return marketplace;
  return channel_id === undefined ? part`(${marketplace} or ${store})` : store;
}

/** The ids of a page of products, newest first, with one beyond the page. */
export const listedProducts = (
  sellerId: string,
  asked: Asked,
  after: string | undefined,
  limit: number,
): Statement<{ readonly product_id: string }> => statement({ product_id: text })`
  select p.product_id
    from v_products_listed p
   where p.seller_id = ${sellerId}
     and ${allOf(after !== undefined && part`p.product_id < ${after}`, hasState(sellerId, asked))}
   order by p.product_id desc
   limit ${limit + 1}`;

/** All links of some products. */
export const linksOfListed = (at: SellerDb, productIds: readonly string[]): Promise<LinkRow[]> =>
  productIds.length === 0 ? Promise.resolve([]) : links.all(at, part`product_id = any(${productIds})`);
