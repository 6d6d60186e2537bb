/**
 * Disconnects a store: the channel ends at once, and a job removes the app from the store, or its subscriptions. Until
 * that is done the channel keeps its tokens and its store, so that no new connection can lose its app by the end of the
 * old one. Source: docs/design/channels.md#disconnection.
 */
import type { Acting } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import {
  SHOP_FACTS,
  type ShopFacts,
  UNINSTALL,
  type Uninstalled,
  type Unsubscribed,
  unsubscribe,
} from '../adapters/questions.ts';
import { isLeaving, type Leaving } from '../domain/channel-machine.ts';
import { channelErrors } from '../errors.ts';
import {
  type ChannelKey,
  type ChannelRow,
  channels,
  claimShop,
  NO_TOKENS,
  NOT_LEAVING,
  releaseShop,
} from '../store/channels.ts';
import { askWithToken, changeChannel, TokenRefused, UNAUTHORISED } from './ask-store.ts';
import { end } from './change-status.ts';
import { planJob } from './plan-job.ts';
import { NoToken } from './tokens.ts';

export const LEAVE_JOB = 'channels.leave';
/** The time for which the app is tried to be removed. */
const LEAVE_MS = 24 * 3_600_000;
const ERROR_CHARS_MAX = 500;

/** The columns of a channel whose app is to be removed; the job is planned with them. */
async function leave(ctx: Acting, channel_id: string, leaving: Leaving): Promise<Partial<ChannelRow>> {
  await planJob(ctx, LEAVE_JOB, channel_id);
  const leaving_until = new Date(ctx.now() + LEAVE_MS).toISOString();
  return { ...NOT_LEAVING, leaving, leaving_until, unreachable_since: null, subscribed: [] };
}

/**
 * Ends a channel without asking the store, and plans the removal of the app.
 *
 * @throws ApiError 409 `channel_ended`
 */
export async function disconnect(ctx: Acting, row: ChannelRow, leaving: Leaving): Promise<ChannelRow> {
  const { channel_id, access_sealed, status_reason } = row;
  if (row.status === 'ended') throw fail(channelErrors.channel_ended, { facts: { status_reason } });
  const how = access_sealed === null ? undefined : await leave(ctx, channel_id, leaving);
  return end(ctx, row, 'disconnected', how);
}

/** Tokens that arrive after the end of their channel serve to remove the app. In the system's scope. */
export async function leaveWith(ctx: Acting, row: ChannelRow, tokens: Partial<ChannelRow>): Promise<void> {
  const { channel_id, shop_domain } = row;
  if (!(await claimShop(ctx.db, shop_domain, { seller_id: ctx.seller_id, channel_id }))) return;
  const how = isLeaving(row) ? {} : await leave(ctx, channel_id, 'uninstall');
  await writeVersion(channels, ctx, row, { ...how, ...tokens });
}

/** Removes the app from the store, or its subscriptions only. @returns what the store has against it */
async function removeApp(
  services: Services,
  key: ChannelKey,
  { shop_domain, leaving }: ChannelRow,
): Promise<string | undefined> {
  const ask = async <Data>(question: Parameters<typeof askWithToken>[3]): Promise<Data> =>
    (await askWithToken<Data>(services, key, shop_domain, question, { purpose: 'leave' })).data;
  if (leaving === 'uninstall')
    return (await ask<Uninstalled>(UNINSTALL)).appUninstall?.userErrors[0]?.message;
  const { webhookSubscriptions } = await ask<ShopFacts>(SHOP_FACTS);
  for (const { id } of webhookSubscriptions.nodes) {
    const [error] = (await ask<Unsubscribed>(unsubscribe(id))).webhookSubscriptionDelete?.userErrors ?? [];
    if (error !== undefined) return error.message;
  }
  return undefined;
}

/** If the store refuses the token and its refresh, the app is no longer there. */
const isGone = (error: unknown): boolean =>
  (error instanceof NoToken && error.reason !== 'ended') ||
  (error instanceof TokenRefused && error.status === UNAUTHORISED);

/**
 * Asks the store of a channel that has ended, once.
 *
 * @returns whether it is to be asked again
 */
export async function leaveStore(
  services: Services,
  key: ChannelKey,
  row: ChannelRow | undefined,
): Promise<boolean> {
  if (row === undefined || !isLeaving(row)) return false;
  const problem = await removeApp(services, key, row).catch((error: Error) =>
    isGone(error) ? undefined : error.message,
  );
  if (problem !== undefined && services.now() < Date.parse(row.leaving_until ?? '')) return true;
  await changeChannel(services, key, async (ctx, now) => {
    if (!isLeaving(now) || now.leaving_until !== row.leaving_until) return;
    await releaseShop(ctx.db, key);
    await writeVersion(channels, ctx, now, {
      ...NO_TOKENS,
      leaving_result: problem === undefined ? 'done' : 'failed',
      leaving_error: problem?.slice(0, ERROR_CHARS_MAX) ?? null,
    });
  });
  return false;
}
