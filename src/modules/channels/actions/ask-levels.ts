/** Work on the levels of many links. Source: docs/design/channels.md#stock. */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { type LevelAt, readLevels } from '../adapters/read-levels.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { compareLevels, type SaidLevels } from '../domain/compare-levels.ts';
import { type ChannelKey, type ChannelRow, channels, locationsOf } from '../store/channels.ts';
import { levels, levelsOf } from '../store/levels.ts';
import { type LinkStockRow, linkedAfter, markAsked, unaskedLinks } from '../store/link-stock.ts';
import { applyInOrder } from './apply-levels.ts';
import { askStore, changeChannel } from './ask-store.ts';
import { levelDelivery, lookAtLevels } from './look-at-levels.ts';

/** As many items as the store is asked for at once. */
const ITEMS_OF_A_QUESTION = 50;
/** Links of one transaction, which locks the channel. */
const LINKS_AT_ONCE = 50;

/** @throws to be called again later */
function stopIfAborted({ aborted }: AbortSignal): void {
  if (aborted) throw new Error('the worker stops');
}

async function writeLevels(
  ctx: Acting,
  channel: ChannelRow,
  links: readonly LinkStockRow[],
  said: SaidLevels<LevelAt>,
): Promise<void> {
  const { channel_id } = channel;
  const items = links.flatMap(({ inventory_item_id: item }) => item ?? []);
  const { newer, doubtful } = compareLevels(said, await levelsOf(ctx, channel_id, items));
  await levels.upsertMany(
    ctx,
    newer.map((level) => ({ ...level, channel_id, active: true, delivery_id: null })),
  );
  // A delivery may have changed them since the store answered.
  await lookAtLevels(
    ctx,
    channel,
    doubtful.map((level) => levelDelivery(level)),
  );
  await applyInOrder(ctx, channel, links);
  await markAsked(
    ctx,
    links.map(({ link_id }) => link_id),
  );
}

/**
 * Asks the store for the levels of new links, until none is left.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused
 */
export async function askLevels(services: Services, key: ChannelKey, signal: AbortSignal): Promise<void> {
  const { seller_id, channel_id } = key;
  for (;;) {
    stopIfAborted(signal);
    const [channel, links, locations] = await services.withSellerLong(seller_id, 'read', async (db) => {
      const at = { db, seller_id };
      return [
        await channels.find(at, { channel_id }),
        await unaskedLinks(at, channel_id, ITEMS_OF_A_QUESTION),
        await locationsOf(at, channel_id),
      ];
    });
    if (channel === undefined || !isFollowed(channel) || links.length === 0) return;
    const items = links.flatMap(({ inventory_item_id: item }) => item ?? []);
    const said = await readLevels(
      (question) => askStore(services, key, channel, question, signal),
      items,
      locations.length,
    );
    // The channel may have ended while the store was asked.
    await changeChannel(services, key, async (ctx, now) => {
      if (isFollowed(now)) await writeLevels(ctx, now, links, said);
    });
  }
}

/** Applies the levels of all links, after other locations count or another mode holds. */
export async function applyAllLevels(
  services: Services,
  key: ChannelKey,
  signal: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    stopIfAborted(signal);
    const from: string = after;
    after = await changeChannel(services, key, async (ctx, channel) => {
      if (!isFollowed(channel)) return undefined;
      const links = await linkedAfter(ctx, channel.channel_id, from, LINKS_AT_ONCE);
      await applyInOrder(ctx, channel, links);
      return links.at(-1)?.link_id;
    });
  }
}
