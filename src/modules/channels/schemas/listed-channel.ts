import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { DONE } from '../../../kernel/waiting.ts';
import { LISTING_STATES, type ListingState } from '../domain/listing-state.ts';
import { PLATFORM } from '../domain/words.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { ListingCounts } from '../store/listing-counts.ts';
import { Channel, waitingOf } from './channel.ts';

/** The channel that every seller has. In the order of ids it stands after those of stores. */
export const MARKETPLACE_ID = 'marketplace';

const { status, inbound, waiting_on, action, next_check_at } = Channel.properties;

const Counts = Type.Partial(
  Type.Object(
    Object.fromEntries(
      LISTING_STATES.map((state) => [
        state,
        Type.Integer({ description: `Products whose listing is \`${state}\`` }),
      ]),
    ) as Record<ListingState, Type.TInteger>,
  ),
  {
    title: 'ListingCounts',
    description: 'How many products are in each state; a state without one is absent.',
  },
);

export const ListedChannel = Type.Object(
  {
    channel_id: Type.String({ description: '`marketplace`, or the id of a store’s channel' }),
    kind: StringEnum(['marketplace', 'store_platform'], { description: 'What kind of place it is' }),
    platform: Nullable(StringEnum([PLATFORM], { description: 'The store platform' })),
    shop: Nullable(Type.String({ description: 'Permanent domain of the store' })),
    status,
    ...{ waiting_on, action, next_check_at },
    inbound,
    listings: Nullable(Counts),
    listings_counted_at: Nullable(
      Instant({
        description:
          'When `listings` was counted; reading lets old figures be counted again. Null: not yet, so ask again in some seconds',
      }),
    ),
    open_issues: Type.Integer({ description: 'Issues that need a person' }),
  },
  { title: 'ListedChannel', description: 'A place where the catalogue stands.' },
);
type WireListedChannel = Static<typeof ListedChannel>;

export const LISTED_EXAMPLE: WireListedChannel = {
  channel_id: MARKETPLACE_ID,
  kind: 'marketplace',
  platform: null,
  shop: null,
  status: 'connected',
  ...DONE,
  next_check_at: null,
  inbound: 'active',
  listings: { visible: 40, out_of_stock: 2 },
  listings_counted_at: '2026-06-28T01:00:00.000Z',
  open_issues: 0,
};

/** @param row undefined: the marketplace. @param now milliseconds */
export function listedView(
  row: ChannelRow | undefined,
  open_issues: number,
  counted: ListingCounts | undefined,
  now: number,
): WireListedChannel {
  const { channel_id = MARKETPLACE_ID } = row ?? {};
  const listings = counted === undefined ? null : (counted.counts[channel_id] ?? {});
  const shown = { listings, listings_counted_at: counted?.counted_at ?? null, open_issues };
  return row === undefined
    ? { ...LISTED_EXAMPLE, ...shown }
    : {
        ...{ channel_id, kind: 'store_platform', platform: row.platform },
        ...{ shop: row.shop_domain, status: row.status, ...waitingOf(row, now), inbound: row.inbound },
        ...shown,
      };
}
