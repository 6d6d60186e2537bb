/** Open authorisations: a start address, later a state and a browser. Secrets are kept as hashes. */
import type { Db } from '../../../kernel/context.ts';
import type { Role } from '../../../kernel/permissions.ts';
import { boolean, instant, nullable, type RowOf, text, textsOf } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';

const columns = {
  seller_id: text,
  channel_id: text,
  member_id: text,
  order_visibility: boolean,
  return_url: nullable(text),
  browser_hash: nullable(text),
  shop_domain: text,
  expires_at: instant,
};
export type Authorisation = RowOf<typeof columns>;

/** Adds an authorisation, and ends the older ones of the channel. */
export async function addAuthorisation(
  db: Db,
  ticketHash: string,
  row: Omit<Authorisation, 'browser_hash' | 'shop_domain'>,
): Promise<void> {
  const { seller_id, channel_id, member_id, order_visibility, return_url, expires_at } = row;
  await db.run(command`
    with older as (
      delete from channel_authorisation
       where seller_id = ${seller_id}
         and channel_id = ${channel_id})
    insert into channel_authorisation
           (ticket_hash, seller_id, channel_id, member_id, order_visibility, return_url, expires_at)
    values (${ticketHash}, ${seller_id}, ${channel_id}, ${member_id}, ${order_visibility}, ${return_url},
            ${expires_at})`);
}

/** The authorisation of a start address, with the name of the seller's business. */
export function findAuthorisation(db: Db, ticketHash: string, now: string) {
  return db.one(statement({ ...columns, business_name: text })`
    select a.seller_id, a.channel_id, a.member_id, a.order_visibility, a.return_url, a.browser_hash,
           c.shop_domain, a.expires_at, s.business_name
      from channel_authorisation a
      join channel c
        on c.seller_id = a.seller_id
       and c.channel_id = a.channel_id
      join v_sellers_sender s
        on s.seller_id = a.seller_id
     where a.ticket_hash = ${ticketHash}
       and a.used_at is null
       and a.expires_at > ${now}`);
}

/** The browser starts: from now on the store may return this state to it. */
export async function beginAuthorisation(
  db: Db,
  sellerId: string,
  ticketHash: string,
  hashes: { readonly state: string; readonly browser: string },
): Promise<void> {
  await db.run(command`
    update channel_authorisation
       set state_hash = ${hashes.state},
           browser_hash = ${hashes.browser}
     where seller_id = ${sellerId}
       and ticket_hash = ${ticketHash}
       and used_at is null`);
}

/** Finds the authorisation of a state and marks it used, in one statement. */
export function useAuthorisation(db: Db, stateHash: string, now: string): Promise<Authorisation | undefined> {
  return db.one(statement(columns)`
    update channel_authorisation a
       set used_at = ${now}
      from channel c
     where a.state_hash = ${stateHash}
       and a.used_at is null
       and a.expires_at > ${now}
       and c.seller_id = a.seller_id
       and c.channel_id = a.channel_id
    returning a.seller_id, a.channel_id, a.member_id, a.order_visibility, a.return_url, a.browser_hash,
              c.shop_domain, a.expires_at`);
}

/** When the last unused authorisation of a channel expires. */
export function openUntil(db: Db, sellerId: string, channelId: string) {
  return db.one(statement({ expires_at: instant })`
    select expires_at
      from channel_authorisation
     where seller_id = ${sellerId}
       and channel_id = ${channelId}
       and used_at is null`);
}

/** The roles of a member of a seller that is in good standing; undefined: it may not act. */
export function rolesOf(db: Db, sellerId: string, memberId: string) {
  return db.one(statement({ roles: textsOf<Role>() })`
    select roles
      from v_sellers_member
     where seller_id = ${sellerId}
       and member_id = ${memberId}
       and status = 'active'
       and verified
       and api_access`);
}
