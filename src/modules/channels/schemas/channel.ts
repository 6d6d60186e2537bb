import Type, { type Static } from 'typebox';
import { firstAfter, isoOf } from '../../../kernel/instant.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { DONE, sellerCalls, type Waiting, waitFor, waitingFields } from '../../../kernel/waiting.ts';
import { CHANNEL_STATUSES, isLeaving, isOpen, LEAVINGS, STATUS_REASONS } from '../domain/channel-machine.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/delivery-words.ts';
import { MERGED_FIELDS, type MergedFieldName, type MergeRules, ruleOf } from '../domain/link-words.ts';
import type { MergeRule } from '../domain/merge-field.ts';
import { topicsOf } from '../domain/topics.ts';
import { INBOUND, PLATFORM } from '../domain/words.ts';
import type { ChannelRow, LocationRow } from '../store/channels.ts';
import { MergeRuleSchema } from './link.ts';
import { StockModeSchema } from './link-stock.ts';

const Shop = Type.Object(
  {
    domain: Type.String({ description: 'Permanent domain of the store' }),
    name: Nullable(Type.String({ description: 'Name of the store, as the store says' })),
    currency: Nullable(Type.String({ description: 'Currency of the store’s prices, ISO 4217' })),
  },
  { title: 'ChannelShop', description: 'The connected store.' },
);
const Location = Type.Object(
  {
    location_id: Type.String({ description: 'Id of the location in the store' }),
    name: Type.String({ description: 'Name of the location' }),
    active: Type.Boolean({ description: 'Whether the store uses it' }),
    selected: Type.Boolean({ description: 'Whether its stock counts here, while it is active' }),
  },
  { title: 'ChannelLocation', description: 'A place where the store keeps stock.' },
);
const Health = Type.Object(
  {
    status: StringEnum(['ok', 'attention', 'broken'], {
      description:
        '`broken`: nothing arrives until somebody acts; `attention`: a subscription is missing, a delivery waits for 15 minutes or has failed in 24 hours',
    }),
    checked_at: Nullable(Instant({ description: 'When the store was last asked about itself' })),
    last_delivery_at: Nullable(Instant({ description: 'When the store last sent something' })),
    deliveries_24h: Type.Object(
      Object.fromEntries(
        DELIVERY_STATUSES.map((status) => [
          status,
          Type.Integer({ description: `Deliveries of the last 24 hours that are \`${status}\`` }),
        ]),
      ) as Record<DeliveryStatus, Type.TInteger>,
      { title: 'ChannelDeliveryCounts', description: 'What became of the deliveries of the last 24 hours.' },
    ),
    oldest_unprocessed_seconds: Type.Integer({
      description: 'How long the oldest delivery has waited that is not decided; 0: none waits',
    }),
    subscriptions: Type.Object(
      {
        wanted: Type.Integer({ description: 'Topics that the service needs' }),
        present: Type.Integer({ description: 'Topics that the store sends' }),
      },
      { description: 'What the store sends, as of `checked_at`' },
    ),
    last_sweep: Nullable(
      Type.Object(
        {
          at: Instant({ description: 'When it began' }),
          whole: Type.Boolean({
            description: 'Whether everything was compared, or only what had changed since the sweep before',
          }),
          compared: Type.Integer({ description: 'Products of the store that were compared' }),
          differences: Type.Integer({
            description: 'Products and levels that were not as they were applied',
          }),
          missed: Type.Integer({
            description: 'Differences that no delivery of the store has told; above 0: deliveries were lost',
          }),
        },
        {
          title: 'ChannelSweep',
          description:
            'The last comparison with the store; its differences are deliveries with `origin` `sweep`.',
        },
      ),
    ),
    token_expires_at: Nullable(
      Instant({
        description: 'When the store must be authorised again, unless the service refreshes it before',
      }),
    ),
  },
  { title: 'ChannelHealth', description: 'Whether the connection works.' },
);

const Removal = Type.Object(
  {
    wanted: StringEnum(LEAVINGS, {
      description: '`uninstall`: the app; `unsubscribe`: its subscriptions only',
    }),
    status: StringEnum(['pending', 'done', 'failed'], {
      description: '`pending`: the store is being asked; `failed`: it did not do it, so do it in the store',
    }),
    until: Instant({ description: 'Until when the store is asked' }),
    error: Nullable(Type.String({ description: 'What the store answered last, if it failed' })),
  },
  { title: 'ChannelRemoval', description: 'The removal of the app from the store of an ended channel.' },
);

const status = StringEnum(CHANNEL_STATUSES, {
  title: 'ChannelStatus',
  description: 'State of the connection',
});
const inbound = StringEnum(INBOUND, {
  description: 'While `paused`, what the store sends is recorded and not applied',
});
/** An answer has all of them; a change has those that it changes. */
const Rules = Type.Partial(
  Type.Object(
    Object.fromEntries(MERGED_FIELDS.map((field) => [field, MergeRuleSchema])) as Record<
      MergedFieldName,
      typeof MergeRuleSchema
    >,
  ),
  { title: 'ChannelRules', description: 'Who wins where both sides changed a field.' },
);
const create_products = Type.Boolean({
  description: 'Whether new variants become products',
});
const order_visibility = Type.Boolean({
  description: 'Whether the store’s own orders are shown here. It needs the scope `read_orders`',
});

export const CHANNEL = { kind: 'chn_', one: 'channel', title: 'Channel' } as const;
export const Channel = Type.Object(
  {
    channel_id: Type.String({ description: 'Id of the channel, `chn_…`' }),
    kind: Type.Literal('store_platform', {
      description: 'A store; the marketplace itself stands in lists only',
    }),
    platform: StringEnum([PLATFORM], { description: 'The store platform' }),
    shop: Shop,
    status,
    status_reason: Nullable(
      StringEnum(STATUS_REASONS, { description: 'Why it is degraded, or how it ended' }),
    ),
    ...waitingFields,
    next_check_at: Nullable(
      Instant({ description: 'When the store is asked again at the latest, while it does not answer' }),
    ),
    scopes: Type.Array(Type.String(), { description: 'Scopes that the store has granted' }),
    order_visibility,
    inbound,
    removal: Nullable(Removal),
    locations: Type.Array(Location, { description: 'Locations of the store' }),
    stock_mode: StockModeSchema,
    rules: Rules,
    create_products,
    health: Health,
    version: Type.Integer({ description: 'Counts the changes, from 1' }),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: CHANNEL.title, description: 'The connection to a store of the seller.' },
);
export type WireChannel = Static<typeof Channel>;

const change = {
  inbound,
  stock_mode: StockModeSchema,
  rules: Rules,
  create_products,
  locations: Type.Array(Type.String({ maxLength: 30 }), {
    maxItems: 250,
    description:
      'Ids of the locations whose stock counts, instead of those before. Stock does not move by it',
  }),
};
export const ChannelChange = Type.Partial(Type.Object(change), {
  title: 'ChannelChange',
  description: 'The fields of a channel to change.',
  minProperties: 1,
});

const CHECK_EVERY_MS = 3_600_000;

/** Who must act for a channel, and how. @param instant now, milliseconds */
export function waitingOf(
  row: ChannelRow,
  instant: number,
): Waiting & { readonly next_check_at: string | null } {
  const { channel_id, status: now, status_reason } = row;
  const asked = `/api/v1/channels/${channel_id}/reauthorise`;
  if (now === 'degraded' && status_reason === 'unreachable')
    return {
      ...waitFor('provider', 'The store does not answer; the service asks it every hour.'),
      next_check_at: isoOf(firstAfter(instant, Date.parse(row.checked_at ?? row.created_at), CHECK_EVERY_MS)),
    };
  if (isLeaving(row))
    return {
      ...waitFor('provider', 'The app is being removed from the store; then it can be connected again.'),
      next_check_at: row.leaving_until,
    };
  const text =
    now === 'authorising'
      ? 'Open the start address in a browser and install the app, or ask for a new address.'
      : now === 'degraded'
        ? 'Authorise the store again.'
        : undefined;
  return { ...(text === undefined ? DONE : sellerCalls(asked, text)), next_check_at: null };
}

/** What the decision log says about a channel. */
export interface Traffic {
  readonly counts: Partial<Record<DeliveryStatus, number>>;
  readonly last_delivery_at: string | null;
  readonly oldest_unprocessed_seconds: number;
}

const rulesOf = (rules: MergeRules): Record<MergedFieldName, MergeRule> =>
  Object.fromEntries(MERGED_FIELDS.map((field) => [field, ruleOf(rules, field)])) as never;

const countsOf = (counts: Traffic['counts']): WireChannel['health']['deliveries_24h'] =>
  Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, counts[status] ?? 0])) as never;

/** A delivery that waits longer is not only retried after a short failure. */
const LATE_SECONDS = 15 * 60;

function healthOf(row: ChannelRow, traffic: Traffic): WireChannel['health'] {
  const { checked_at, subscribed } = row;
  const token_expires_at = isOpen(row) ? row.refresh_expires_at : null;
  const { counts, last_delivery_at, oldest_unprocessed_seconds } = traffic;
  const subscriptions = { wanted: topicsOf(row).length, present: subscribed.length };
  const isWell =
    subscriptions.present === subscriptions.wanted &&
    oldest_unprocessed_seconds < LATE_SECONDS &&
    (counts.failed ?? 0) === 0;
  const status = row.status !== 'connected' ? 'broken' : isWell ? 'ok' : 'attention';
  return {
    ...{ status, checked_at, last_delivery_at, deliveries_24h: countsOf(counts), oldest_unprocessed_seconds },
    ...{ subscriptions, last_sweep: row.last_sweep, token_expires_at },
  };
}

function removalOf({
  leaving,
  leaving_until,
  leaving_result,
  leaving_error,
}: ChannelRow): WireChannel['removal'] {
  if (leaving === null || leaving_until === null) return null;
  return {
    ...{ wanted: leaving, status: leaving_result ?? 'pending' },
    ...{ until: leaving_until, error: leaving_error },
  };
}

/** A channel as the API shows it. @param now milliseconds */
export function channelView(
  row: ChannelRow,
  locations: readonly LocationRow[],
  traffic: Traffic,
  now: number,
): WireChannel {
  const { channel_id, platform, shop_domain: domain, shop_name: name, currency, scopes } = row;
  return {
    ...{ channel_id, kind: 'store_platform', platform, shop: { domain, name, currency } },
    ...{ status: row.status, status_reason: row.status_reason, ...waitingOf(row, now), scopes: [...scopes] },
    ...{ order_visibility: row.order_visibility, inbound: row.inbound, removal: removalOf(row) },
    locations: locations.map(({ channel_id: _, ...location }) => ({
      ...location,
      selected: row.selected_locations.includes(location.location_id),
    })),
    stock_mode: row.stock_mode,
    rules: rulesOf(row.rules),
    create_products: row.create_products,
    health: healthOf(row, traffic),
    ...{ version: row.version, created_at: row.created_at, updated_at: row.updated_at },
  };
}

export const CHANNEL_EXAMPLE: WireChannel = {
  channel_id: 'chn_01j0000000000000000000000',
  kind: 'store_platform' as const,
  platform: PLATFORM,
  shop: { domain: 'mia-ceramics.myshopify.com', name: 'Mia Ceramics', currency: 'AUD' },
  status: 'connected' as const,
  status_reason: null,
  ...DONE,
  next_check_at: null,
  scopes: ['read_products', 'read_inventory', 'read_locations'],
  order_visibility: false,
  inbound: 'active' as const,
  removal: null,
  locations: [{ location_id: '24826418', name: 'Sydney', active: true, selected: true }],
  stock_mode: 'pool' as const,
  rules: rulesOf({}),
  create_products: true,
  health: {
    ...{ status: 'ok' as const, checked_at: '2026-06-28T01:00:05.000Z', last_delivery_at: null },
    deliveries_24h: countsOf({}),
    oldest_unprocessed_seconds: 0,
    subscriptions: { wanted: 6, present: 6 },
    last_sweep: { at: '2026-06-28T17:42:00.000Z', whole: true, compared: 12, differences: 1, missed: 0 },
    token_expires_at: '2026-09-26T01:00:00.000Z',
  },
  version: 2,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:05.000Z',
};
