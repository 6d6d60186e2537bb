import Type from 'typebox';
import { coreErrors, fail, invalid, requireFound } from '../../../kernel/errors.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { refuseOverdue } from '../../../kernel/standing.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { requireReturnUrl } from '../../../platform/net/return-url.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { keyed } from '../../../platform/rest/keyed.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resource } from '../../../platform/rest/resource.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { followAgain } from '../actions/apply-levels.ts';
import { authorise, connect, refuseElsewhere, revive } from '../actions/connect.ts';
import { readCounts } from '../actions/count-listings.ts';
import { deactivateSoon } from '../actions/deactivate-channel.ts';
import { disconnect } from '../actions/disconnect.ts';
import { changeCounting } from '../actions/select-locations.ts';
import { showChannel } from '../actions/show-channel.ts';
import { sweepSoon } from '../actions/sweep.ts';
import { readShopDomain } from '../domain/shop-domain.ts';
import { PLATFORM } from '../domain/words.ts';
import { channelErrors } from '../errors.ts';
import { CHANNEL, CHANNEL_EXAMPLE, Channel, ChannelChange } from '../schemas/channel.ts';
import { LISTED_EXAMPLE, ListedChannel, listedView, MARKETPLACE_ID } from '../schemas/listed-channel.ts';
import { storePlatformOf } from '../settings.ts';
import { type ChannelRow, channels } from '../store/channels.ts';
import { countOpenIssues } from '../store/issues.ts';

const { channel_limit, channel_leaving, shop_already_connected, shop_connected_elsewhere, channel_ended } =
  channelErrors;

const asked = {
  order_visibility: Type.Optional(
    Type.Boolean({
      description:
        'Show the store’s own orders too; it needs the scope `read_orders`. Left out: as it was, at first `false`',
    }),
  ),
  return_url: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 2_000,
        description: 'Where the browser goes afterwards; null: a page of the service',
      }),
    ),
  ),
};
const Connect = Type.Object(
  {
    platform: StringEnum([PLATFORM], { description: 'The store platform' }),
    shop: Type.String({ maxLength: 255, description: 'Permanent domain of the store, `….myshopify.com`' }),
    ...asked,
  },
  { title: 'ChannelConnect', description: 'The store to connect.' },
);
const Reauthorise = Type.Object(asked, {
  title: 'ChannelReauthorise',
  description: 'How to authorise again.',
});
const Started = Type.Object(
  {
    channel_id: Type.String({ description: 'Id of the channel, `chn_…`' }),
    status: Channel.properties.status,
    start_url: Type.String({ description: 'Open it in the browser of the store’s owner; it is a secret' }),
    expires_at: Instant({ description: 'Until when the address works' }),
  },
  { title: 'ChannelStart', description: 'The way to the store’s consent.' },
);
const started = {
  status: 201,
  description: 'Open `start_url`',
  schema: Started,
  example: {
    channel_id: 'chn_01j0000000000000000000000',
    status: 'authorising' as const,
    start_url: 'https://api.example/api/v1/channels/oauth/start/Zk3…',
    expires_at: '2026-06-28T01:10:00.000Z',
  },
} as const;
const params = Type.Object({ channel_id: Type.String({ description: 'Id of the channel, `chn_…`' }) });

/** @throws ApiError 404 `not_found` */
export async function requireChannel(ctx: HandlerCtx, channel_id: string): Promise<ChannelRow> {
  return requireFound(await channels.find(ctx, { channel_id }, 'for no key update'));
}

/** @throws ApiError 422 `return_url_not_allowed` */
const returnUrlOf = ({ services }: HandlerCtx, given: string | null | undefined): string | null =>
  given == null ? null : requireReturnUrl(services.config, 'return_url', given);

/** @throws ApiError 422 `shop_invalid` */
function requireShop(text: string): string {
  const shop = readShopDomain(text);
  if (shop !== undefined) return shop;
  const msg =
    'Send the permanent domain of the store, such as mia-ceramics.myshopify.com; the settings of the store show it.';
  throw invalid([{ loc: ['body', 'shop'], msg, type: 'shop_invalid', input: text }]);
}

const create = defineRoute({
  id: 'channels.create',
  method: 'POST',
  path: '',
  summary: 'Connect a store',
  description:
    'Answers with an address: open it in a browser in which you are signed in to the store, and install the app there. A store that was connected before gets the same channel, so nothing is doubled. One store belongs to one seller.',
  access: { ...writes('settings'), growsCatalogue: true },
  tx: 'own',
  cache: 'no-store',
  secretAnswer: true,
  body: {
    kind: 'json',
    schema: Connect,
    example: { platform: PLATFORM, shop: 'mia-ceramics.myshopify.com' },
  },
  ok: [started],
  errors: [channel_limit, channel_leaving, shop_already_connected, shop_connected_elsewhere],
  handler: async (ctx, request) => {
    storePlatformOf(ctx.config);
    const { shop: text, order_visibility, return_url } = request.body;
    const shop = requireShop(text);
    const how = { order_visibility, return_url: returnUrlOf(ctx, return_url) };
    await refuseElsewhere(ctx, shop);
    return keyed(ctx, request, async (own) => ({ status: 201, body: await connect(own, shop, how) }));
  },
});

const reauthorise = defineRoute({
  id: 'channels.reauthorise',
  method: 'POST',
  path: '/{channel_id}/reauthorise',
  summary: 'Authorise a store again',
  description:
    'For a channel whose tokens the store refuses, or to show the store’s orders. Answers as connecting does; until the owner has agreed, a connected channel stays as it is.',
  access: { ...writes('settings'), growsCatalogue: 'some' },
  tx: 'own',
  cache: 'no-store',
  secretAnswer: true,
  params,
  body: { kind: 'json', schema: Reauthorise, example: { order_visibility: true } },
  ok: [started],
  errors: [coreErrors.not_found, channel_ended, channel_leaving, channel_limit, shop_connected_elsewhere],
  handler: async (ctx, request) => {
    storePlatformOf(ctx.config);
    const { params: at, body } = request;
    const how = { ...body, return_url: returnUrlOf(ctx, body.return_url) };
    const known = await ctx.transaction('read', (db) => channels.find(ctx.in(db), at));
    if (known !== undefined) await refuseElsewhere(ctx, known.shop_domain);
    return keyed(ctx, request, async (own) => {
      const row = await requireChannel(own, at.channel_id);
      const { status_reason } = row;
      if (status_reason === 'erased') throw fail(channel_ended, { facts: { status_reason } });
      if (row.status === 'ended') refuseOverdue(await own.standing(), own.now());
      return { status: 201, body: await authorise(own, await revive(own, row), how) };
    });
  },
});

const Disconnect = Type.Object(
  {
    uninstall: Type.Optional(Type.Boolean({ default: true, description: 'Remove the app from the store' })),
    products: Type.Optional(
      StringEnum(['keep', 'deactivate'], {
        default: 'keep',
        description: '`deactivate`: they become inactive, unless another store feeds them',
      }),
    ),
  },
  { title: 'ChannelDisconnect', description: 'How to disconnect.' },
);
const end = defineRoute({
  id: 'channels.disconnect',
  method: 'POST',
  path: '/{channel_id}/disconnect',
  summary: 'Disconnect a store',
  description:
    'The channel ends at once, and the products stay as they are, or become inactive as asked. The service then removes its app from the store, or with `uninstall: false` its subscriptions only, and erases the tokens; `removal` shows it. A store that does not answer is asked for 24 hours; until then it cannot be connected again.',
  access: writes('settings'),
  params,
  body: { kind: 'json', schema: Disconnect, example: { uninstall: true } },
  ok: okJson('The ended channel', Channel, CHANNEL_EXAMPLE),
  errors: [coreErrors.not_found, coreErrors.precondition_failed, channel_ended],
  handler: async (
    ctx,
    { params: { channel_id }, body: { uninstall = true, products = 'keep' }, headers },
  ) => {
    const row = await requireChannel(ctx, channel_id);
    checkIfMatch(headers, `${channel_id}.${row.version}`);
    ctx.audit({ target_type: 'channel', target_id: channel_id, changed_fields: ['status'] });
    const ended = await disconnect(ctx, row, uninstall ? 'uninstall' : 'unsubscribe');
    if (products === 'deactivate') await deactivateSoon(ctx, channel_id);
    return { body: await showChannel(ctx, ended) };
  },
});

const list = pageRoute({
  id: 'channels.list',
  path: '',
  summary: 'List channels',
  description:
    'The marketplace itself first, then the stores, newest first; ended ones too. `listings` has figures of a moment ago.',
  access: reads('catalogue'),
  schema: ListedChannel,
  example: LISTED_EXAMPLE,
  read: async (ctx, { after, limit }) => {
    const rows = await channels.page(ctx, { after, limit, order: ['channel_id'], descending: true });
    const listed = after === undefined ? [undefined, ...rows].slice(0, limit + 1) : rows;
    const counted = await readCounts(ctx);
    return listed.map((row) => ({ row, counted }));
  },
  position: ({ row }) => [row?.channel_id ?? MARKETPLACE_ID],
  view: async ({ row, counted }, ctx) =>
    listedView(row, row === undefined ? 0 : await countOpenIssues(ctx, row.channel_id), counted, ctx.now()),
});

const one = resource({
  id: 'channels',
  path: '',
  ...CHANNEL,
  many: 'channels',
  area: 'catalogue',
  table: channels,
  schema: Channel,
  example: CHANNEL_EXAMPLE,
  view: (row, ctx) => showChannel(ctx, row),
  lock: (ctx, channel_id) => channels.find(ctx, { channel_id }, 'for no key update'),
});

export const channelRoutes = [
  list,
  create,
  one.get(),
  one.update({
    description:
      'While `inbound` is `paused`, deliveries are recorded as `skipped`, and the store is not compared; afterwards it is compared whole. Other `locations` or another `stock_mode` count from the store’s present quantity on; they move no stock. The only location that a store uses stays selected.',
    access: { permission: 'settings:write' },
    body: ChannelChange,
    example: { inbound: 'paused' },
    errors: [channel_ended],
    run: async (ctx, row, { locations, rules, ...body }) => {
      const { channel_id, status, status_reason, inbound } = row;
      if (status === 'ended') throw fail(channel_ended, { facts: { status_reason } });
      const isResumed = inbound === 'paused' && body.inbound === 'active';
      // What the store sent meanwhile was skipped, and variants may have been linked.
      if (isResumed) {
        await sweepSoon(ctx, channel_id);
        await followAgain(ctx, channel_id);
      }
      return {
        ...body,
        ...(isResumed && { connections: row.connections + 1 }),
        ...(rules !== undefined && { rules: { ...row.rules, ...rules } }),
        ...(await changeCounting(ctx, row, locations, body.stock_mode)),
      };
    },
  }),
  reauthorise,
  end,
];
