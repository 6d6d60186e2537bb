/**
 * Brings the stock of products to what a store says. The links of the products are locked first, all in one order, then
 * their levels are read, then the stock of all products is locked once; so two levels of one item at once both count. A
 * link follows the levels of its item as long as it has a product, also while its variant is gone.
 * Source: docs/design/channels.md#stock.
 */
import type { Acting } from '../../../kernel/context.ts';
import { holdStock, setUnits } from '../../products/index.ts';
import { mirrored, type Stock } from '../domain/apply-level.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { countBy, countChange, isWaiting, quantityBy, ruleOf } from '../domain/counting.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { Change } from '../store/deliveries.ts';
import { copyLevels, type LevelRow, levels, levelsOf } from '../store/levels.ts';
import {
  continueCounting,
  isUndecided,
  type LinkStockRow,
  lockLinks,
  lockLinksOf,
  saveStock,
  setItem,
  startCounting,
} from '../store/link-stock.ts';
import { type LinkRow, linkOfExternal } from '../store/links.ts';
import { resolveIssue, resolveOpen } from './issues.ts';
import { planJob } from './plan-job.ts';

export const ASK_LEVELS_JOB = 'channels.ask_levels';
export const CATCH_UP_JOB = 'channels.catch_up';

/** Lets a job ask the store for the levels of new links. */
export const askForLevels = (ctx: Acting, channel_id: string): Promise<void> =>
  planJob(ctx, ASK_LEVELS_JOB, channel_id);

/** Lets a job bring links that are behind to the present rule. */
export const catchUpSoon = (ctx: Acting, channel_id: string): Promise<void> =>
  planJob(ctx, CATCH_UP_JOB, channel_id);

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

/** A locked link, and the levels of its item before and after they change. */
interface Counting {
  readonly link: LinkStockRow;
  readonly before: readonly LevelRow[];
  readonly after: readonly LevelRow[];
}

/**
 * What changed at each link, by its id. A link is left out if nothing is counted, because the store's quantity is not
 * known.
 */
type Counted = ReadonlyMap<string, readonly Change[]>;

const countOf = ({ base_level, shortfall, counted }: LinkStockRow, held?: Units): Stock => ({
  ...{ on_hand: held?.quantity_on_hand ?? null, reserved: held?.quantity_reserved ?? 0 },
  ...{ base: base_level === null ? null : Number(base_level), shortfall: Number(shortfall), counted },
});
type Units = Awaited<ReturnType<typeof holdStock>>[number];

interface CountOptions {
  /** `follow` applies a new quantity by the channel's mode; `sync` sets the stock to any quantity, once. */
  readonly how?: 'follow' | 'sync';
  /** The cause of the change of an item, where several change together. */
  readonly contextOf?: (item: string | null) => Acting;
}

/**
 * Brings the stock of the products of links to the store's quantities, as far as they are known, by the present rule.
 */
async function count(
  ctx: Acting,
  channel: ChannelRow,
  all: readonly Counting[],
  { how = 'follow', contextOf = () => ctx }: CountOptions = {},
): Promise<Counted> {
  const { counting: rules, shop_domain } = channel;
  if (!isFollowed(channel)) return new Map();
  const rule = ruleOf(rules);
  const known = all.filter(({ link }) => link.product_id !== null && link.inventory_item_id !== null);
  const quantityOf = ({ after }: Counting): number | null => quantityBy(rule, after).quantity;
  const moving = known.filter((one) => {
    const { link } = one;
    const stock = countOf(link);
    const quantity = quantityOf(one);
    if (isWaiting(stock, link.counted_by, rules)) return true;
    return quantity !== null && (how === 'sync' || !stock.counted || stock.base !== quantity);
  });
  const ids = moving.flatMap(({ link }) => link.product_id ?? []);
  const held = ids.length === 0 ? [] : await holdStock(ctx.db, ctx.seller_id, ids, ctx.at());
  const byProduct = new Map(held.map((one) => [one.product_id, one]));
  const moved = moving.flatMap((one) => {
    const { link, after: levelsNow } = one;
    const units = byProduct.get(link.product_id ?? '');
    if (units === undefined) return [];
    const before = countOf(link, units);
    const after =
      how === 'sync'
        ? countBy(before, link.counted_by, rules, levelsNow, mirrored)
        : countChange(before, link.counted_by, rules, one);
    // The supplier of a dropship listing counts the product; what the store says is recorded and not applied.
    const kept = units.stock_source === 'own' ? after : { ...after, on_hand: before.on_hand };
    return [{ one, units, before, after: kept }];
  });
  if (moved.length > 0) {
    const byCause = Map.groupBy(moved, ({ one: { link } }) => contextOf(link.inventory_item_id));
    await Promise.all(
      [...byCause].map(([cause, rows]) => {
        const counted = rows.map(({ units, after }) => ({ before: units, on_hand: after.on_hand }));
        return setUnits(cause, counted, shop_domain);
      }),
    );
    const rows = moved.map(({ one: { link }, after: { base, shortfall } }) => ({
      link_id: link.link_id,
      base_level: base === null ? null : BigInt(base),
      shortfall: BigInt(shortfall),
    }));
    await saveStock(ctx, rows, rule.no);
  }
  const changes = new Map(moved.map(({ one, before, after }) => [one, changesOf(before, after)]));
  return new Map(
    known.flatMap((one) => {
      const isLost = moving.includes(one) && !changes.has(one);
      return quantityOf(one) === null || isLost ? [] : [[one.link.link_id, changes.get(one) ?? []]];
    }),
  );
}

const byItem = (rows: readonly LevelRow[]) => {
  const groups = Map.groupBy(rows, ({ inventory_item_id: item }) => item);
  return (item: string | null): readonly LevelRow[] => groups.get(item ?? '') ?? [];
};

/**
 * Writes levels of items, and lets the links of the items follow them.
 *
 * @param changed levels to write, each of one of the items
 * @param contextOf the cause of the change of an item. Default: that of `ctx`
 */
export async function changeLevels(
  ctx: Acting,
  channel: ChannelRow,
  items: readonly string[],
  changed: readonly LevelRow[] = [],
  contextOf?: (item: string | null) => Acting,
): Promise<Counted> {
  const { channel_id } = channel;
  const links = await lockLinksOf(ctx, channel_id, items);
  const known = byItem(await levelsOf(ctx, channel_id, items));
  await levels.upsertMany(ctx, changed);
  const isChanged = new Set(
    changed.map(({ inventory_item_id, location_id }) => `${inventory_item_id}:${location_id}`),
  );
  const changedOf = byItem(changed);
  return count(
    ctx,
    channel,
    links.map((link) => {
      const before = known(link.inventory_item_id);
      const same = before.filter(
        ({ inventory_item_id, location_id }) => !isChanged.has(`${inventory_item_id}:${location_id}`),
      );
      return { link, before, after: [...same, ...changedOf(link.inventory_item_id)] };
    }),
    contextOf && { contextOf },
  );
}

/**
 * Sets the stock of a link's product to the store's quantity, once.
 *
 * @returns what changed; undefined if it is not known what the store has now
 */
export async function syncStock(
  ctx: Acting,
  channel: ChannelRow,
  linkId: string,
): Promise<readonly Change[] | undefined> {
  const { channel_id, connections } = channel;
  const [link] = await lockLinks(ctx, [linkId]);
  // Until the store is asked, what is known may be as old as a pause.
  if (link?.state !== 'linked' || link.inventory_item_id === null || link.asked_in < connections)
    return undefined;
  const { inventory_item_id: item } = link;
  if (await isUndecided(ctx, channel_id, item)) return undefined;
  const after = await levelsOf(ctx, channel_id, [item]);
  return (await count(ctx, channel, [{ link, before: after, after }], { how: 'sync' })).get(linkId);
}

/**
 * Begins to follow the stock of variants that were just linked: levels that wait are applied, and a job asks the store
 * for those at all locations.
 *
 * @param ended links that had the products before, by the ids of the links that count on; others begin anew. A link counts
 *   on by the levels of the item of the ended one, where its own are not known
 */
export async function applyWaitingLevels(
  ctx: Acting,
  channel: ChannelRow,
  linked: readonly LinkRow[],
  ended: ReadonlyMap<string, LinkRow> = new Map(),
): Promise<void> {
  const { channel_id } = channel;
  const pairs = linked.flatMap((link) => {
    const before = ended.get(link.link_id);
    return before === undefined ? [] : [{ link, before }];
  });
  const ids = [...linked, ...pairs.map(({ before }) => before)].map(({ link_id }) => link_id);
  const locked = new Map((await lockLinks(ctx, [...new Set(ids)])).map((row) => [row.link_id, row]));
  await startCounting(
    ctx,
    linked.flatMap(({ link_id }) => (ended.has(link_id) ? [] : link_id)),
  );
  await continueCounting(
    ctx,
    pairs.map(({ link, before }) => ({ link_id: link.link_id, ended_id: before.link_id })),
  );
  await copyLevels(ctx, channel_id, pairs.flatMap(itemsOf));
  const items = [...linked, ...pairs.map(({ before }) => before)].flatMap(
    ({ inventory_item_id: item }) => item ?? [],
  );
  const known = byItem(await levelsOf(ctx, channel_id, items));
  const all = linked.flatMap(({ link_id, inventory_item_id: item }): Counting[] => {
    const link = locked.get(link_id);
    const before = ended.get(link_id);
    const from = before === undefined ? NOT_COUNTED : locked.get(before.link_id);
    if (link === undefined || from === undefined) return [];
    const { base_level, shortfall, counted, counted_by } = from;
    const own = { ...link, base_level, shortfall, counted, counted_by };
    return [{ link: own, before: known(before?.inventory_item_id ?? item), after: known(item) }];
  });
  await count(ctx, channel, all);
  const issues = linked.flatMap(({ inventory_item_id: item }) =>
    item === null ? [] : unknownItem(channel_id, item),
  );
  await resolveOpen(ctx, channel_id, issues, 'linked');
  await askForLevels(ctx, channel_id);
}

/** Of a link that begins anew. */
const NOT_COUNTED = { base_level: null, shortfall: 0n, counted: false, counted_by: 0 } as const;

/** The items of a link and of the one where it counts on, if they differ. */
const itemsOf = ({ link, before }: { readonly link: LinkRow; readonly before: LinkRow }) => {
  const [item, as] = [before.inventory_item_id, link.inventory_item_id];
  return item === null || as === null || item === as ? [] : [{ item, as }];
};

/**
 * Gives the link of a variant the item that the store says is the variant's, and asks for the item's other levels. Those
 * that are not known yet are those of the item before.
 */
export async function giveItem(
  ctx: Acting,
  channel: ChannelRow,
  variant: string,
  as: string,
): Promise<LinkStockRow | undefined> {
  const { channel_id } = channel;
  const before = await linkOfExternal(ctx, channel_id, { variant, item: null });
  if (before === undefined) return undefined;
  const { link_id, state, inventory_item_id: item } = before;
  if (item !== null) {
    // By the levels of the item that it had.
    await changeLevels(ctx, channel, [item]);
    await copyLevels(ctx, channel_id, [{ item, as }]);
  }
  await setItem(ctx, link_id, as);
  if (state === 'linked') await resolveIssue(ctx, unknownItem(channel_id, as), 'linked');
  await askForLevels(ctx, channel_id);
  const [after] = await lockLinks(ctx, [link_id]);
  return after;
}
