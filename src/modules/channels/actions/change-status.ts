import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { isOpen, REAUTHORISE, type StatusReason } from '../domain/channel-machine.ts';
import { channelEvents } from '../events.ts';
import { type ChannelRow, channels, NO_TOKENS, NOT_LEAVING, releaseShop } from '../store/channels.ts';
import { openIssue, resolveIssue } from './issues.ts';
import { showChannel } from './show-channel.ts';

const issueOf = (channel_id: string) =>
  ({ channel_id, kind: 'reauthorise_required', external_key: 'channel' }) as const;

/** A connected channel is degraded, or a degraded one gets another reason. */
export async function impair(ctx: Acting, row: ChannelRow, reason: StatusReason): Promise<void> {
  const { channel_id, status_reason } = row;
  if (!isOpen(row) || status_reason === reason) return;
  const after = await writeVersion(channels, ctx, row, { status: 'degraded', status_reason: reason });
  await ctx.emit(channelEvents.degraded.of(await showChannel(ctx, after)));
  if (REAUTHORISE.includes(reason)) await openIssue(ctx, issueOf(channel_id), { reason });
}

/** The channel works: a degraded one is connected again, and its issue is resolved. */
export async function repair(
  ctx: Acting,
  row: ChannelRow,
  columns: Partial<ChannelRow> = {},
  resolution = 'recovered',
): Promise<ChannelRow> {
  const { status } = row;
  const after = await writeVersion(channels, ctx, row, {
    ...columns,
    ...NOT_LEAVING,
    status: 'connected',
    status_reason: null,
    unreachable_since: null,
  });
  const event =
    status === 'degraded'
      ? channelEvents.recovered
      : status === 'connected'
        ? undefined
        : channelEvents.connected;
  if (event !== undefined) await ctx.emit(event.of(await showChannel(ctx, after)));
  await resolveIssue(ctx, issueOf(row.channel_id), resolution);
  return after;
}

/**
 * Ends a channel. Its tokens are erased, and its store may be connected by another seller: at once, or with `leaving`
 * when the app was removed from the store.
 */
export async function end(
  ctx: Acting,
  row: ChannelRow,
  reason: StatusReason,
  leaving?: Partial<ChannelRow>,
): Promise<ChannelRow> {
  if (leaving === undefined)
    await releaseShop(ctx.db, { seller_id: ctx.seller_id, channel_id: row.channel_id });
  const after = await writeVersion(channels, ctx, row, {
    ...(leaving ?? { ...NO_TOKENS, ...NOT_LEAVING }),
    status: 'ended',
    status_reason: reason,
  });
  await resolveIssue(ctx, issueOf(row.channel_id), 'channel_ended');
  if (reason !== 'abandoned') await ctx.emit(channelEvents.ended.of(await showChannel(ctx, after)));
  return after;
}
