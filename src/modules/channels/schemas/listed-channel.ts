import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { PLATFORM } from '../domain/words.ts';
import type { ChannelRow } from '../store/channels.ts';
import { Channel } from './channel.ts';

/** The channel that every seller has. In the order of ids it stands after those of stores. */
export const MARKETPLACE_ID = 'marketplace';

const { status, inbound } = Channel.properties;

export const ListedChannel = Type.Object(
  {
    channel_id: Type.String({ description: '`marketplace`, or the id of a store’s channel' }),
    kind: StringEnum(['marketplace', 'store_platform'], { description: 'What kind of place it is' }),
    platform: Nullable(StringEnum([PLATFORM], { description: 'The store platform' })),
    shop: Nullable(Type.String({ description: 'Permanent domain of the store' })),
    status,
    inbound,
    open_issues: Type.Integer({ description: 'Issues that need a person' }),
  },
  { title: 'ListedChannel', description: 'A place where the catalogue stands.' },
);
export type WireListedChannel = Static<typeof ListedChannel>;

export const LISTED_EXAMPLE: WireListedChannel = {
  channel_id: MARKETPLACE_ID,
  kind: 'marketplace',
  platform: null,
  shop: null,
  status: 'connected',
  inbound: 'active',
  open_issues: 0,
};

/** @param row undefined: the marketplace */
export const listedView = (row: ChannelRow | undefined, open_issues: number): WireListedChannel =>
  row === undefined
    ? LISTED_EXAMPLE
    : {
        ...{ channel_id: row.channel_id, kind: 'store_platform', platform: row.platform },
        ...{ shop: row.shop_domain, status: row.status, inbound: row.inbound, open_issues },
      };
