/** Asks a connected store, and follows what the answers say about the connection. */

import type { Acting, Correlation } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { askAdmin, type Question } from '../adapters/ask-admin.ts';
import { StoreRefused, StoreUnreachable } from '../adapters/store-errors.ts';
import type { StatusReason } from '../domain/channel-machine.ts';
import { storePlatformOf } from '../settings.ts';
import { type ChannelKey, type ChannelRow, channels, touch } from '../store/channels.ts';
import { impair, repair } from './change-status.ts';
import { accessToken, NoToken } from './tokens.ts';

/** A store that has not answered for this time is unreachable. */
const UNREACHABLE_AFTER_MS = 24 * 3_600_000;
export const UNAUTHORISED = 401;
const FORBIDDEN = 403;

/** Runs a change of the channel's row, which is locked. The channel is the actor. */
export function changeChannel<T>(
  services: Services,
  { seller_id, channel_id }: ChannelKey,
  change: (ctx: Acting, row: ChannelRow) => Promise<T>,
  correlation?: Correlation,
): Promise<T | undefined> {
  return services.withSystemLong('channels', 'write', async (db) => {
    const by = { kind: 'channel', id: channel_id } as const;
    const ctx = acting(services, { db, seller_id, by, ...(correlation && { correlation }) });
    const row = await channels.find(ctx, { channel_id }, 'for update');
    return row === undefined ? undefined : change(ctx, row);
  });
}

/** The problem of the connection that a failed query reveals. */
function reasonOf(error: unknown): StatusReason | undefined {
  if (error instanceof NoToken && error.reason !== 'ended') return error.reason;
  if (!(error instanceof StoreRefused)) return undefined;
  if (error.status === FORBIDDEN) return 'scopes_missing';
  return error.status === UNAUTHORISED ? 'token_rejected' : undefined;
}

/** Degrades the channel of a store that has not answered for a day. */
async function noteSilence(ctx: Acting, row: ChannelRow): Promise<void> {
  const since = row.unreachable_since === null ? ctx.now() : Date.parse(row.unreachable_since);
  if (row.unreachable_since === null)
    await touch(ctx, row.channel_id, { unreachable_since: new Date(since).toISOString() });
  if (row.status === 'connected' && since <= ctx.now() - UNREACHABLE_AFTER_MS)
    await impair(ctx, row, 'unreachable');
}

async function noteAnswer(ctx: Acting, row: ChannelRow): Promise<void> {
  if (row.status === 'degraded' && row.status_reason === 'unreachable') await repair(ctx, row);
  else if (row.unreachable_since !== null) await touch(ctx, row.channel_id, { unreachable_since: null });
}

/** Asks with a valid token; a refused token is refreshed once. */
export async function askWithToken<Data>(
  services: Services,
  key: ChannelKey,
  shop: string,
  question: Question,
  signal?: AbortSignal,
): Promise<Data> {
  const platform = storePlatformOf(services.config);
  const access = await accessToken(services, key);
  try {
    return await askAdmin<Data>(platform, shop, access, question, signal);
  } catch (error) {
    if (!(error instanceof StoreRefused) || error.status !== UNAUTHORISED) throw error;
  }
  return askAdmin<Data>(platform, shop, await accessToken(services, key, access), question, signal);
}

/**
 * Asks the store of a channel.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused
 */
export async function askStore<Data>(
  services: Services,
  key: ChannelKey,
  { shop_domain, unreachable_since, status_reason }: ChannelRow,
  question: Question,
  signal?: AbortSignal,
): Promise<Data> {
  try {
    const data = await askWithToken<Data>(services, key, shop_domain, question, signal);
    if (unreachable_since !== null || status_reason === 'unreachable')
      await changeChannel(services, key, noteAnswer);
    return data;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) await changeChannel(services, key, (ctx, row) => impair(ctx, row, reason));
    else if (error instanceof StoreUnreachable) await changeChannel(services, key, noteSilence);
    throw error;
  }
}
