import type { Acting } from '../../../kernel/context.ts';
import { channelView, type Traffic, type WireChannel } from '../schemas/channel.ts';
import { type ChannelRow, locationsOf } from '../store/channels.ts';
import { countByStatus, lastDelivery, oldestWaiting } from '../store/deliveries.ts';

const DAY_MS = 86_400_000;

async function trafficOf(ctx: Acting, channelId: string): Promise<Traffic> {
  const { db, seller_id, now } = ctx;
  const since = new Date(now() - DAY_MS).toISOString();
  const counts = await db.all(countByStatus(seller_id, channelId, since));
  const waiting = (await db.one(oldestWaiting(seller_id, channelId)))?.received_at;
  return {
    counts: Object.fromEntries(counts.map(({ status, count }) => [status, count])),
    last_delivery_at: (await db.one(lastDelivery(seller_id, channelId)))?.received_at ?? null,
    oldest_unprocessed_seconds: waiting === undefined ? 0 : Math.floor((now() - Date.parse(waiting)) / 1_000),
  };
}

/** A channel as the API shows it. */
export async function showChannel(ctx: Acting, row: ChannelRow): Promise<WireChannel> {
  const { channel_id } = row;
  return channelView(row, await locationsOf(ctx, channel_id), await trafficOf(ctx, channel_id), ctx.now());
}
