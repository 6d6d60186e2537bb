/** Channels, their stores and their locations. Tokens are sealed. */

import type { Db, Statement } from '../../../kernel/context.ts';
import {
  boolean,
  type Column,
  encodeValue,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { command, join, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { StockMode } from '../domain/apply-level.ts';
import type { ChannelStatus, Leaving, StatusReason } from '../domain/channel-machine.ts';
import type { CountingRule } from '../domain/counting.ts';
import type { MergeRules } from '../domain/link-words.ts';
import { type INBOUND, PLATFORM } from '../domain/words.ts';

/** What a sweep has found. */
export interface SweepFindings {
  readonly at: string;
  /** Whether everything was compared, or only what had changed. */
  readonly whole: boolean;
  /** Products of the store. */
  readonly compared: number;
  readonly differences: number;
  /** Differences that no delivery of the store has told. */
  readonly missed: number;
}

export const channels = defineTable('channel', 'channel_id', {
  platform: textOf<typeof PLATFORM>(),
  shop_domain: text,
  shop_id: nullable(text),
  shop_name: nullable(text),
  currency: nullable(text),
  status: textOf<ChannelStatus>(),
  status_reason: nullable(textOf<StatusReason>()),
  inbound: textOf<(typeof INBOUND)[number]>(),
  order_visibility: boolean,
  scopes: texts,
  access_sealed: nullable(text),
  access_expires_at: nullable(instant),
  refresh_sealed: nullable(text),
  refresh_previous_sealed: nullable(text),
  refresh_expires_at: nullable(instant),
  refreshing_until: nullable(instant),
  unreachable_since: nullable(instant),
  subscribed: texts,
  checked_at: nullable(instant),
  rules: json<MergeRules>(),
  stock_mode: textOf<StockMode>(),
  create_products: boolean,
  /** Ids of the locations whose stock counts. */
  selected_locations: texts,
  /** By which rules its stock is counted, the newest last. */
  counting: json<readonly CountingRule[]>(),
  connected_at: nullable(instant),
  /** How often the store was connected, or followed again after a pause. */
  connections: integer,
  imported_at: nullable(instant),
  watermark: nullable(instant),
  swept_whole_at: nullable(instant),
  last_sweep: nullable(json<SweepFindings>()),
  links_changed_at: nullable(instant),
  /** Whether a job takes its products off sale, until the store is connected again. */
  deactivating: boolean,
  leaving: nullable(textOf<Leaving>()),
  leaving_until: nullable(instant),
  leaving_result: nullable(textOf<'done' | 'failed'>()),
  leaving_error: nullable(text),
});
export type ChannelRow = RowIn<typeof channels>;

export const locations = defineTable('channel_location', ['channel_id', 'location_id'], {
  channel_id: text,
  location_id: text,
  name: text,
  active: boolean,
});
export type LocationRow = RowIn<typeof locations>;

/** The columns of a channel about the work that is left in its store after a disconnection: there is none. */
export const NOT_LEAVING = {
  leaving: null,
  leaving_until: null,
  leaving_result: null,
  leaving_error: null,
} as const;

/** The token columns of a channel without a connection. */
export const NO_TOKENS = {
  access_sealed: null,
  access_expires_at: null,
  refresh_sealed: null,
  refresh_previous_sealed: null,
  refresh_expires_at: null,
  refreshing_until: null,
  unreachable_since: null,
  subscribed: [],
} as const;

/** Locks the channels of a seller until the transaction ends, so that their number is counted right. */
export async function lockChannels({ db, seller_id }: SellerDb): Promise<void> {
  await lockName(db, `channels/${seller_id}`);
}

export const findByShop = (at: SellerDb, shop: string): Promise<ChannelRow | undefined> =>
  channels.one(at, part`platform = ${PLATFORM} and shop_domain = ${shop} for no key update`);

/** All stores of a seller, newest first. */
export const allChannels = (at: SellerDb): Promise<ChannelRow[]> =>
  channels.all(at, part`true order by channel_id desc`);

/** The number of channels that are not ended. */
export const countOpen = (at: SellerDb): Promise<number> => channels.count(at, part`status <> 'ended'`);

const owner = { seller_id: text, channel_id: text };
export type ChannelKey = RowOf<typeof owner>;

/** The channel that has a store now, of any seller. */
export function shopOwner(db: Db, shop: string): Promise<ChannelKey | undefined> {
  return db.one(statement(owner)`
    select seller_id, channel_id
      from channel_shop
     where platform = ${PLATFORM}
       and shop_domain = ${shop}`);
}

/** Gives a store to a channel. @returns false if another seller has it */
export async function claimShop(
  db: Db,
  shop: string,
  { seller_id, channel_id }: ChannelKey,
): Promise<boolean> {
  const claimed = await db.run(command`
    insert into channel_shop as s (platform, shop_domain, seller_id, channel_id)
    values (${PLATFORM}, ${shop}, ${seller_id}, ${channel_id})
        on conflict (platform, shop_domain) do update
           set channel_id = excluded.channel_id
         where s.seller_id = excluded.seller_id`);
  return claimed === 1;
}

/** The store may be connected by another seller from now on. */
export async function releaseShop(db: Db, { seller_id, channel_id }: ChannelKey): Promise<void> {
  await db.run(command`
    delete from channel_shop
     where seller_id = ${seller_id}
       and channel_id = ${channel_id}`);
}

/** Channels of all sellers that have a store. */
export const openChannels = (): Statement<ChannelKey> => statement(owner)`
  select seller_id, channel_id
    from channel_shop`;

/**
 * Takes the right to replace the tokens of a channel until an instant of the system's clock.
 *
 * @returns the row; undefined while another worker has the right
 */
export function leaseTokens(
  { db, seller_id }: SellerDb,
  channelId: string,
  now: number,
  until: number,
): Promise<ChannelRow | undefined> {
  return db.one(statement(channels.columns)`
    update channel
       set refreshing_until = ${new Date(until).toISOString()}
     where seller_id = ${seller_id}
       and channel_id = ${channelId}
       and coalesce(refreshing_until <= ${new Date(now).toISOString()}, true)
    returning ${channels.list}`);
}

/** Writes columns of a channel for the worker that still has the right of {@link leaseTokens}. @returns false: it has not */
export const writeLeased = (
  at: SellerDb,
  { channel_id, refreshing_until }: ChannelRow,
  columns: Partial<ChannelRow>,
): Promise<boolean> => touch(at, channel_id, columns, part`refreshing_until = ${refreshing_until}`);

/** Writes columns without a new version, because the seller does not see a change. @returns false: `and` does not hold */
export async function touch(
  at: SellerDb,
  channelId: string,
  columns: Partial<ChannelRow>,
  and: Part = part`true`,
): Promise<boolean> {
  const defined: Readonly<Record<string, Column<never>>> = channels.columns;
  const set = Object.entries(columns).map(([name, value]) => {
    const column = defined[name] as Column<unknown> | undefined;
    return part`${raw(name)} = ${column === undefined ? value : encodeValue(column, value)}`;
  });
  return (await channels.change(at, join(set, ', '), part`channel_id = ${channelId} and ${and}`)) === 1;
}

export const locationsOf = (at: SellerDb, channelId: string): Promise<LocationRow[]> =>
  locations.all(at, part`channel_id = ${channelId} order by location_id`);

/** Deletes the locations of a channel that are not among these. */
export const dropLocations = (at: SellerDb, channelId: string, kept: readonly string[]): Promise<number> =>
  locations.deleteWhere(at, part`channel_id = ${channelId} and location_id <> all(${kept})`);
