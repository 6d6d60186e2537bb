/** Work on the levels of many links. Source: docs/design/channels.md#stock. */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { type LevelAt, readLevels } from '../adapters/read-levels.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { compareLevels, type SaidLevels } from '../domain/compare-levels.ts';
import { ruleOf } from '../domain/counting.ts';
import { type ChannelKey, type ChannelRow, channels, locationsOf, touch } from '../store/channels.ts';
import { levelsOf } from '../store/levels.ts';
import {
  type BatchEnd,
  FIRST_BATCH,
  type LinkStockRow,
  linksBehind,
  lockLinksOf,
  markAsked,
  markCaughtUp,
  unaskedLinks,
} from '../store/link-stock.ts';
import { changeLevels } from './apply-levels.ts';
import { askStore, changeChannel } from './ask-store.ts';
import { levelDelivery, lookAtLevels } from './look-at-levels.ts';

/** As many items as the store is asked for at once. */
const ITEMS_OF_A_QUESTION = 50;
/** Links of one transaction, which locks the channel. */
const LINKS_AT_ONCE = 50;

const itemsOf = (links: readonly LinkStockRow[]): string[] =>
  links.flatMap(({ inventory_item_id: item }) => item ?? []);

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
  const items = itemsOf(links);
  await lockLinksOf(ctx, channel_id, items);
  const { newer, doubtful } = compareLevels(said, await levelsOf(ctx, channel_id, items));
  // A delivery may have changed them since the store answered.
  await lookAtLevels(
    ctx,
    channel,
    doubtful.map((level) => levelDelivery(level)),
  );
  const written = newer.map((level) => ({ ...level, channel_id, active: true, delivery_id: null }));
  await changeLevels(ctx, channel, items, written);
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
  for (let after: BatchEnd | undefined = FIRST_BATCH; after !== undefined; ) {
    stopIfAborted(signal);
    const from: BatchEnd = after;
    const [channel, links, locations] = await services.withSellerLong(seller_id, 'read', async (db) => {
      const at = { db, seller_id };
      const row = await channels.find(at, { channel_id });
      return [
        row,
        await unaskedLinks(at, channel_id, row?.connections ?? 0, from, ITEMS_OF_A_QUESTION),
        await locationsOf(at, channel_id),
      ];
    });
    if (channel === undefined || !isFollowed(channel) || links.length === 0) return;
    const { connections } = channel;
    const items = itemsOf(links);
    const said = await readLevels(
      (question) => askStore(services, key, channel, question, signal),
      items,
      locations.length,
    );
    // The channel may have ended while the store was asked.
    await changeChannel(services, key, async (ctx, now) => {
      if (isFollowed(now)) await writeLevels(ctx, now, links, said, connections);
    });
    after = endOf(links, ({ asked_in }) => asked_in);
  }
}

/**
 * Brings a batch of links to the present rule. Without one, no link is behind, and the older rules are dropped.
 *
 * @returns the end of the batch; undefined if it was the last
 */
async function catchUpSome(ctx: Acting, channel: ChannelRow, after: BatchEnd): Promise<BatchEnd | undefined> {
  if (!isFollowed(channel)) return undefined;
  const { channel_id, counting } = channel;
  const { no } = ruleOf(counting);
  const links = await linksBehind(ctx, channel_id, no, after, LINKS_AT_ONCE);
  if (links.length > 0) {
    await changeLevels(ctx, channel, itemsOf(links));
    await markCaughtUp(
      ctx,
      links.map(({ link_id }) => link_id),
      no,
    );
  } else if (counting.length > 1) await touch(ctx, channel_id, { counting: counting.slice(-1) });
  return endOf(links, ({ counted_by }) => counted_by);
}

const endOf = (
  links: readonly LinkStockRow[],
  numberOf: (link: LinkStockRow) => number,
): BatchEnd | undefined => {
  const last = links.at(-1);
  return last && { no: numberOf(last), link_id: last.link_id };
};

/** Brings all links to the rule by which the channel counts now. */
export async function catchUpLinks(services: Services, key: ChannelKey, signal: AbortSignal): Promise<void> {
  for (let after: BatchEnd | undefined = FIRST_BATCH; after !== undefined; ) {
    const from: BatchEnd = after;
    after = await changeChannel(services, key, (ctx, channel) => catchUpSome(ctx, channel, from));
    stopIfAborted(signal);
  }
}
