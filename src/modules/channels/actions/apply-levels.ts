/**
 * Brings the stock of products to what a store says. The link of the product is locked first, then the levels are read,
 * then the product's stock is locked; so two levels of one item at once both count. Source: docs/design/channels.md#stock.
 */
import type { Acting } from '../../../kernel/context.ts';
import { holdStock, setUnits } from '../../products/index.ts';
import { applyQuantity, mirrored, type Stock } from '../domain/apply-level.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { catchUp, quantityBy, ruleOf } from '../domain/counting.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { Change } from '../store/deliveries.ts';
import { copyLevels, levelsOf } from '../store/levels.ts';
import {
  continueCounting,
  type LinkStockRow,
  lockLink,
  saveStock,
  setItem,
  startCounting,
} from '../store/link-stock.ts';
import { type LinkRow, linkOfExternal } from '../store/links.ts';
import { resolveIssue } from './issues.ts';

export const ASK_LEVELS_JOB = 'channels.ask_levels';
export const CATCH_UP_JOB = 'channels.catch_up';

/** Lets a job ask the store for the levels of new links. */
export const askForLevels = (ctx: Acting, channel_id: string): Promise<void> =>
  ctx.jobs.add({
    ...{ kind: ASK_LEVELS_JOB, payload: { channel_id }, uniqueKey: channel_id, dueAt: ctx.now() },
  });

/** Lets a job bring links that are behind to the present rule. */
export const catchUpSoon = (ctx: Acting, channel_id: string): Promise<void> =>
  ctx.jobs.add({
    ...{ kind: CATCH_UP_JOB, payload: { channel_id }, uniqueKey: channel_id, dueAt: ctx.now() },
  });

/** A channel is followed again: its links catch up, and the store is asked for levels of those that are new. */
export async function followAgain(ctx: Acting, channel_id: string): Promise<void> {
  await catchUpSoon(ctx, channel_id);
  await askForLevels(ctx, channel_id);
}

/** The issue about an item of which it is not known which product it is. */
export const unknownItem = (channel_id: string, item: string) =>
  ({ channel_id, kind: 'unknown_inventory_item', external_key: item }) as const;

const STORED = ['base', 'on_hand', 'shortfall'] as const;
const SHOWN = { base: 'store_quantity', on_hand: 'quantity_on_hand', shortfall: 'shortfall' } as const;
const textOf = (value: number | null): string | null => (value === null ? null : String(value));

/** What changed, in the words of the API. */
const changesOf = (before: Stock, after: Stock): Change[] =>
  STORED.filter((name) => before[name] !== after[name]).map((name) => ({
    ...{ field: SHOWN[name], before: textOf(before[name]), after: textOf(after[name]) },
  }));

/**
 * Brings the stock of a link's product to the store's quantity, if that is known, by the present rule.
 *
 * @param how `follow` applies a new quantity by the channel's mode; `sync` sets the stock to any quantity, once
 * @returns what changed; undefined if the store's quantity is not known, because nothing is followed or counted
 */
export async function applyLevels(
  ctx: Acting,
  channel: ChannelRow,
  linkId: string,
  how: 'follow' | 'sync' = 'follow',
): Promise<readonly Change[] | undefined> {
  if (!isFollowed(channel)) return undefined;
  const link = await lockLink(ctx, linkId);
  if (link?.state !== 'linked' || link.product_id === null || link.inventory_item_id === null)
    return undefined;
  // Until the store is asked, what is known may be as old as a pause.
  if (how === 'sync' && link.asked_in < channel.connections) return undefined;
  const { channel_id, counting } = channel;
  const levels = await levelsOf(ctx, channel_id, [link.inventory_item_id]);
  const rule = ruleOf(counting);
  const { quantity } = quantityBy(rule, levels);
  const base = link.base_level === null ? null : Number(link.base_level);
  const isBehind = link.counted && link.counted_by !== rule.no;
  if (quantity === null && !isBehind) return undefined;
  if (how === 'follow' && link.counted && base === quantity && !isBehind) return [];
  const [held] = await holdStock(ctx.db, ctx.seller_id, [link.product_id], ctx.at());
  if (held === undefined) return undefined;
  const before: Stock = {
    ...{ on_hand: held.quantity_on_hand, reserved: held.quantity_reserved },
    ...{ base, shortfall: Number(link.shortfall), counted: link.counted },
  };
  const now = catchUp(before, link.counted_by, counting, levels);
  const apply = how === 'sync' ? mirrored : applyQuantity;
  const after = quantity === null ? now : apply(now, quantity, rule.mode);
  await setUnits(ctx, held, after.on_hand, channel.shop_domain);
  await saveStock(ctx, link.link_id, after, rule.no);
  return quantity === null ? undefined : changesOf(before, after);
}

/**
 * Before a level of links changes, a base that waits becomes the quantity before it, and links that are behind catch up
 * with the rules.
 */
export async function settle(
  ctx: Acting,
  channel: ChannelRow,
  links: readonly LinkStockRow[],
): Promise<void> {
  const { no } = ruleOf(channel.counting);
  const waits = ({ counted, base_level, counted_by }: LinkStockRow): boolean =>
    counted && (base_level === null || counted_by !== no);
  await applyInOrder(ctx, channel, links.filter(waits));
}

/** Applies the levels of many links. All writers lock stock in the order of the products. */
export async function applyInOrder(
  ctx: Acting,
  channel: ChannelRow,
  links: readonly Pick<LinkStockRow, 'link_id' | 'product_id'>[],
): Promise<void> {
  for (const { link_id } of links.toSorted((a, b) => ((a.product_id ?? '') < (b.product_id ?? '') ? -1 : 1)))
    await applyLevels(ctx, channel, link_id);
}

/** A link counts on where one ended. Levels of its item that are not known yet are those of the item before. */
async function countOn(
  ctx: Acting,
  { channel_id, link_id: endedId, inventory_item_id: before }: LinkRow,
  { link_id, inventory_item_id: item }: LinkRow,
): Promise<void> {
  await continueCounting(ctx, endedId, link_id);
  if (before !== null && item !== null && before !== item) await copyLevels(ctx, channel_id, before, item);
}

/**
 * Begins to follow the stock of variants that were just linked: levels that wait are applied, and a job asks the store
 * for those at all locations.
 *
 * @param ended links that had the products before, by the ids of the links that count on; others begin anew
 */
export async function applyWaitingLevels(
  ctx: Acting,
  channel: ChannelRow,
  linked: readonly LinkRow[],
  ended: ReadonlyMap<string, LinkRow> = new Map(),
): Promise<void> {
  const { channel_id } = channel;
  await startCounting(
    ctx,
    linked.flatMap(({ link_id }) => (ended.has(link_id) ? [] : link_id)),
  );
  for (const link of linked) {
    const before = ended.get(link.link_id);
    if (before !== undefined) await countOn(ctx, before, link);
  }
  await applyInOrder(ctx, channel, linked);
  for (const { inventory_item_id: item } of linked)
    if (item !== null) await resolveIssue(ctx, unknownItem(channel_id, item), 'linked');
  await askForLevels(ctx, channel_id);
}

/** Gives the link of a variant the item that the store says is the variant's, and asks for the item's other levels. */
export async function giveItem(
  ctx: Acting,
  { channel_id }: ChannelRow,
  variant: string,
  item: string,
): Promise<LinkStockRow | undefined> {
  const before = await linkOfExternal(ctx, channel_id, { variant, item: null });
  if (before === undefined) return undefined;
  await setItem(ctx, before.link_id, item);
  await countOn(ctx, before, { ...before, inventory_item_id: item });
  if (before.state === 'linked') await resolveIssue(ctx, unknownItem(channel_id, item), 'linked');
  await askForLevels(ctx, channel_id);
  return lockLink(ctx, before.link_id);
}
