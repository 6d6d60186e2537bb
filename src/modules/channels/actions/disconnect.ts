import type { Acting } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import type { Services } from '../../../platform/services.ts';
import { askAdmin, type Question } from '../adapters/ask-admin.ts';
import { refreshTokens } from '../adapters/ask-tokens.ts';
import { SHOP_FACTS, type ShopFacts, UNINSTALL, unsubscribe } from '../adapters/questions.ts';
import { StoreRefused, StoreUnreachable } from '../adapters/store-errors.ts';
import { tokenContext } from '../domain/token-context.ts';
import { channelErrors } from '../errors.ts';
import { storePlatformOf } from '../settings.ts';
import type { ChannelKey, ChannelRow } from '../store/channels.ts';
import { end } from './change-status.ts';

export const LEAVE_JOB = 'channels.leave';
/** The time for which the remote part of a disconnection is retried. */
export const LEAVE_MS = 24 * 3_600_000;

/**
 * Ends a channel without asking the store, and plans the remote part. The job keeps the sealed tokens.
 *
 * @throws ApiError 409 `channel_ended`
 */
export async function disconnect(ctx: Acting, row: ChannelRow, uninstall: boolean): Promise<ChannelRow> {
  const { channel_id, access_sealed, refresh_sealed, shop_domain: shop, status_reason } = row;
  if (row.status === 'ended') throw fail(channelErrors.channel_ended, { facts: { status_reason } });
  if (access_sealed !== null)
    await ctx.jobs.add({
      kind: LEAVE_JOB,
      payload: { channel_id, shop, access_sealed, refresh_sealed, uninstall, until: ctx.now() + LEAVE_MS },
      uniqueKey: channel_id,
      dueAt: ctx.now(),
    });
  return end(ctx, row, 'disconnected');
}

export interface Leaving extends ChannelKey {
  readonly shop: string;
  readonly access_sealed: string;
  readonly refresh_sealed: string | null;
  readonly uninstall: boolean;
  readonly until: number;
}

/** Asks with the tokens of a channel that has ended; the access token is refreshed at most once. */
function asking(services: Services, { shop, access_sealed, refresh_sealed, channel_id }: Leaving) {
  const platform = storePlatformOf(services.config);
  const open = (sealed: string): string => services.secrets.open(sealed, tokenContext(channel_id));
  let access = open(access_sealed);
  let refresh = refresh_sealed;
  const ask = async <Data>(question: Question): Promise<Data> => {
    try {
      return await askAdmin<Data>(platform, shop, access, question);
    } catch (error) {
      if (!(error instanceof StoreRefused) || refresh === null) throw error;
      ({ access } = await refreshTokens(platform, shop, open(refresh)));
      refresh = null;
      return ask<Data>(question);
    }
  };
  return ask;
}

/**
 * Removes the app from the store, or its subscriptions only.
 *
 * @returns whether the store is to be asked again
 */
export async function leaveStore(services: Services, leaving: Leaving): Promise<boolean> {
  const ask = asking(services, leaving);
  try {
    if (leaving.uninstall) await ask(UNINSTALL);
    else {
      const { webhookSubscriptions } = await ask<ShopFacts>(SHOP_FACTS);
      for (const { id } of webhookSubscriptions.nodes) await ask(unsubscribe(id));
    }
    return false;
  } catch (error) {
    if (error instanceof StoreUnreachable) return services.now() < leaving.until;
    // If the store refuses the tokens, the app is already removed.
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}
