/** Work on the levels of many links. Source: docs/design/channels.md#stock. */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { type LevelAt, readLevels } from '../adapters/read-levels.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { compareLevels, type SaidLevels } from '../domain/compare-levels.ts';
import { ruleOf } from '../domain/counting.ts';
import { type ChannelKey, type ChannelRow, channels, locationsOf, touch } from '../store/channels.ts';
import { levels, levelsOf } from '../store/levels.ts';
import {
  type LinkStockRow,
  linksBehind,
  markAsked,
  markCaughtUp,
  stockOfLinks,
  unaskedLinks,
} from '../store/link-stock.ts';
import { applyInOrder, settle } from './apply-levels.ts';
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
  connection: number,
): Promise<void> {
  const { channel_id } = channel;
  const items = links.flatMap(({ inventory_item_id: item }) => item ?? []);
  await settle(
    ctx,
    channel,
    await stockOfLinks(
      ctx,
      links.map(({ link_id }) => link_id),
    ),
  );
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
    items,
    connection,
  );
}

/**
 * Asks the store for the levels of links that are new, or as old as an earlier connection, until none is left.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused
 */
export async function askLevels(services: Services, key: ChannelKey, signal: AbortSignal): Promise<void> {
  const { seller_id, channel_id } = key;
  for (;;) {
    stopIfAborted(signal);
    const [channel, links, locations] = await services.withSellerLong(seller_id, 'read', async (db) => {
      const at = { db, seller_id };
      const row = await channels.find(at, { channel_id });
      return [
        row,
        await unaskedLinks(at, channel_id, row?.connections ?? 0, ITEMS_OF_A_QUESTION),
        await locationsOf(at, channel_id),
      ];
    });
    if (channel === undefined || !isFollowed(channel) || links.length === 0) return;
    const { connections } = channel;
    const items = links.flatMap(({ inventory_item_id: item }) => item ?? []);
    const said = await readLevels(
      (question) => askStore(services, key, channel, question, signal),
      items,
      locations.length,
    );
    // The channel may have ended while the store was asked.
    await changeChannel(services, key, async (ctx, now) => {
      if (isFollowed(now)) await writeLevels(ctx, now, links, said, connections);
    });
  }
}

/** Brings some links to the present rule. @returns whether some may still be behind */
async function catchUpSome(ctx: Acting, channel: ChannelRow): Promise<boolean> {
  if (!isFollowed(channel)) return false;
  const { channel_id, counting } = channel;
  const { no } = ruleOf(counting);
  const links = await linksBehind(ctx, channel_id, no, LINKS_AT_ONCE);
  await applyInOrder(ctx, channel, links);
  await markCaughtUp(
    ctx,
    links.map(({ link_id }) => link_id),
    no,
  );
  if (links.length > 0) return true;
  if (counting.length > 1) await touch(ctx, channel_id, { counting: counting.slice(-1) });
  return false;
}

/** Brings all links to the rule by which the channel counts now. */
export async function catchUpLinks(services: Services, key: ChannelKey, signal: AbortSignal): Promise<void> {
  while (await changeChannel(services, key, catchUpSome)) stopIfAborted(signal);
}
