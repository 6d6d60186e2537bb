import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../kernel/digest.ts';
import { fail } from '../../../kernel/errors.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { isLeaving, isOpen } from '../domain/channel-machine.ts';
import { FIRST_RULE } from '../domain/counting.ts';
import { PLATFORM } from '../domain/words.ts';
import { channelErrors } from '../errors.ts';
import { addAuthorisation } from '../store/authorisations.ts';
import {
  type ChannelRow,
  channels,
  countOpen,
  findByShop,
  lockChannels,
  NO_TOKENS,
  NOT_LEAVING,
  shopOwner,
} from '../store/channels.ts';
import { planJob } from './plan-job.ts';

const CHANNELS_MAX = 5;
/** The time that a person has for the authorisation. */
const AUTHORISATION_MS = 600_000;
const SECRET_BYTES = 32;
/** A store that answers has lost the app within this time. */
const LEAVING_SECONDS = '5';
export const EXPIRE_JOB = 'channels.expire_authorisation';

/** 32 random bytes, for an address. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Where the owner of a store begins. */
export const startAddress = ({ PUBLIC_URL }: HandlerCtx['config'], ticket: string): string =>
  `${String(PUBLIC_URL)}${API_PREFIX}/channels/oauth/start/${ticket}`;

interface Asked {
  /** Undefined: unchanged. */
  readonly order_visibility?: boolean | undefined;
  readonly return_url: string | null;
}

/** Begins an authorisation of a stored channel. */
export async function authorise(ctx: HandlerCtx, row: ChannelRow, asked: Asked) {
  const { channel_id, status } = row;
  const { order_visibility = row.order_visibility, return_url } = asked;
  ctx.audit({ target_type: 'channel', target_id: channel_id });
  const ticket = newSecret();
  const expiresAt = ctx.now() + AUTHORISATION_MS;
  const expires_at = new Date(expiresAt).toISOString();
  await addAuthorisation(ctx.db, sha256Hex(ticket), {
    ...{ seller_id: ctx.seller_id, channel_id, member_id: ctx.seller.member_id },
    ...{ order_visibility, return_url, expires_at },
  });
  await planJob(ctx, EXPIRE_JOB, channel_id, expiresAt);
  return { channel_id, status, start_url: startAddress(ctx.config, ticket), expires_at };
}

/** Lets an ended channel begin again. @throws ApiError 409 `channel_limit`, `channel_leaving` */
export async function revive(ctx: HandlerCtx, row: ChannelRow): Promise<ChannelRow> {
  if (row.status !== 'ended') return row;
  const { leaving_until } = row;
  if (isLeaving(row))
    throw fail(channelErrors.channel_leaving, {
      facts: { leaving_until },
      headers: { 'retry-after': LEAVING_SECONDS },
    });
  await refuseTooMany(ctx);
  return writeVersion(channels, ctx, row, { ...NOT_LEAVING, status: 'authorising', status_reason: null });
}

async function refuseTooMany(ctx: HandlerCtx): Promise<void> {
  await lockChannels(ctx);
  if ((await countOpen(ctx)) >= CHANNELS_MAX) throw fail(channelErrors.channel_limit);
}

/**
 * The store must not belong to another seller.
 *
 * @throws ApiError 409 `shop_connected_elsewhere`
 */
export async function refuseElsewhere({ services, seller_id }: HandlerCtx, shop: string): Promise<void> {
  const owner = await services.withSystem('connect-store', 'read', (db) => shopOwner(db, shop));
  if (owner !== undefined && owner.seller_id !== seller_id)
    throw fail(channelErrors.shop_connected_elsewhere);
}

/**
 * Begins the connection of a store. A store that was connected before gets the same channel.
 *
 * @throws ApiError 409 `channel_limit`, `channel_leaving`, `shop_already_connected`
 */
export async function connect(ctx: HandlerCtx, shop: string, asked: Asked) {
  const known = await findByShop(ctx, shop);
  if (known !== undefined && isOpen(known))
    throw fail(channelErrors.shop_already_connected, { facts: { channel_id: known.channel_id } });
  if (known !== undefined) return authorise(ctx, await revive(ctx, known), asked);
  await refuseTooMany(ctx);
  const at = ctx.at();
  const row: ChannelRow = {
    ...NO_TOKENS,
    ...NOT_LEAVING,
    channel_id: ctx.ids.next('chn_'),
    ...{ platform: PLATFORM, shop_domain: shop, shop_id: null, shop_name: null, currency: null },
    ...{ status: 'authorising', status_reason: null, inbound: 'active', order_visibility: false, scopes: [] },
    ...{ rules: {}, stock_mode: 'pool', create_products: true, selected_locations: [] },
    counting: [FIRST_RULE],
    ...{
      connected_at: null,
      connections: 1,
      imported_at: null,
      watermark: null,
      swept_whole_at: null,
      last_sweep: null,
      links_changed_at: null,
      deactivating: false,
    },
    ...{ checked_at: null, version: 1, created_at: at, updated_at: at },
  };
  // Another request may have connected the same store at the same time.
  if (!(await channels.insert(ctx, row))) return connect(ctx, shop, asked);
  return authorise(ctx, row, asked);
}
