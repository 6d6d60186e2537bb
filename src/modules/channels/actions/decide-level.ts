/**
 * Decides about a level of stock that a store sent. The store is asked where the delivery does not suffice: for a level
 * that ended, for two levels of one second, and for an item that is not known. Source: docs/design/channels.md#levels.
 */
import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import { askItem, type ItemFacts, type ItemLevel, type ItemVariant } from '../adapters/read-levels.ts';
import { StoreRefused, StoreUnreachable } from '../adapters/store-errors.ts';
import { type Judgement, judgeLevel, type SaidLevel } from '../domain/judge-level.ts';
import type { ChannelKey, ChannelRow } from '../store/channels.ts';
import type { Change, Decision, DeliveryRow, Outcome } from '../store/deliveries.ts';
import { type LevelRow, levels } from '../store/levels.ts';
import { type LinkStockRow, linkOfItem } from '../store/link-stock.ts';
import { changeLevels, giveItem, unknownItem } from './apply-levels.ts';
import { mayAskAbout } from './ask-budget.ts';
import { askStore } from './ask-store.ts';
import { isImporting } from './follow-import.ts';
import { openIssue, resolveIssue } from './issues.ts';
import { unselectedIssue } from './select-locations.ts';
import { NoToken } from './tokens.ts';

type Level = Pick<LevelRow, 'available' | 'updated_at' | 'active'>;

export const saidBy = ({ body }: DeliveryRow): SaidLevel => body as SaidLevel;

/** The delivery waits: an import decides which variant the item is, or the store was asked about the object often. */
export const LATER = 'later';

/**
 * Asks the store about the item of a delivery, if the delivery does not suffice.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused when nothing can be decided without the answer
 */
export async function askAboutLevel(
  services: Services,
  key: ChannelKey,
  channel: ChannelRow,
  delivery: DeliveryRow,
): Promise<ItemFacts | undefined | typeof LATER> {
  const said = saidBy(delivery);
  const { inventory_item_id: item, location_id } = said;
  const { channel_id, seller_id } = key;
  const [known, link] = await Promise.all([
    services.withSellerLong(seller_id, 'single', (db) =>
      levels.find({ db, seller_id }, { channel_id, inventory_item_id: item, location_id }),
    ),
    services.withSellerLong(seller_id, 'single', (db) => linkOfItem({ db, seller_id }, channel_id, item)),
  ]);
  const judgement = judgeLevel(known, said);
  const isKnown = link !== undefined && link.state !== 'unlinked';
  if (judgement !== 'ask' && (judgement !== 'take' || isKnown)) return undefined;
  const waits =
    !isKnown && services.withSellerLong(seller_id, 'read', (db) => isImporting({ db, seller_id }, channel));
  if ((await waits) || !mayAskAbout(services, channel_id, delivery.object_key)) return LATER;
  try {
    return await askItem((question) => askStore(services, key, channel, question), item, location_id);
  } catch (error) {
    const silent = [NoToken, StoreRefused, StoreUnreachable].some((kind) => error instanceof kind);
    // Without an answer the item stays unknown.
    if (judgement === 'take' && silent) return undefined;
    throw error;
  }
}

/** Whether only the store can say which level counts: another one of the same second is known, or one that ended. */
export async function isForStoreToSay(ctx: Acting, delivery: DeliveryRow): Promise<boolean> {
  const { channel_id } = delivery;
  const said = saidBy(delivery);
  const { inventory_item_id, location_id } = said;
  return judgeLevel(await levels.find(ctx, { channel_id, inventory_item_id, location_id }), said) === 'ask';
}

const isOlder = (level: ItemLevel, known: LevelRow | undefined): boolean =>
  known?.active === true && level.updated_at < known.updated_at;

/** The level to store; undefined if a newer one is known. */
function levelOf(
  judgement: Judgement,
  said: SaidLevel,
  facts: ItemFacts | undefined,
  known: LevelRow | undefined,
  now: string,
): Level | undefined {
  if (judgement === 'take' && said.updated_at !== null)
    return { available: said.available, updated_at: said.updated_at, active: true };
  if (judgement !== 'ask') return undefined;
  // Another worker wrote a level after the store could have been asked; the next attempt asks it.
  if (facts === undefined) throw new Error('the level changed while it was decided');
  const { level } = facts;
  if (level === null) return { available: null, updated_at: known?.updated_at ?? now, active: false };
  return isOlder(level, known) ? undefined : { ...level, active: true };
}

/** The link of an item. The store’s word that the item is a variant’s counts; a SKU or barcode never does. */
async function linkOf(
  ctx: Acting,
  channel: ChannelRow,
  item: string,
  variant: ItemVariant | null = null,
): Promise<LinkStockRow | undefined> {
  const own = await linkOfItem(ctx, channel.channel_id, item);
  return own ?? (variant === null ? undefined : giveItem(ctx, channel, variant.external_variant_id, item));
}

/** One issue for each item of which it is not known which product it is. */
async function reportUnknown(
  ctx: Acting,
  channelId: string,
  { inventory_item_id, location_id, available }: Pick<LevelRow, keyof SaidLevel>,
  link: LinkStockRow | undefined,
  variant: ItemVariant | null = null,
): Promise<Outcome> {
  const facts = { inventory_item_id, location_id, available, ...variant };
  const candidate = { product_id: null, seller_sku: null, reason: 'variant_of_item' };
  const issue_id = await openIssue(ctx, unknownItem(channelId, inventory_item_id), facts, {
    candidates: variant === null ? [] : [{ ...candidate, ...(link && { link_id: link.link_id }) }],
  });
  return { status: 'needs_action', reason: 'item_unknown', issue_id };
}

const decisionOn = (link: LinkStockRow | undefined): Decision =>
  link === undefined || link.product_id === null ? {} : { product_id: link.product_id };

/** @param changes of the stock, after a level of the link has changed; undefined: nothing is counted */
export async function levelOutcome(
  ctx: Acting,
  channel: ChannelRow,
  link: LinkStockRow,
  changes: readonly Change[] | undefined,
): Promise<Outcome> {
  const decision = decisionOn(link);
  if (changes !== undefined)
    return { status: changes.length > 0 ? 'applied' : 'no_effect', decision, changes };
  const issue_id = await unselectedIssue(ctx, channel.channel_id);
  return issue_id === undefined
    ? { status: 'no_effect', reason: 'quantity_unknown', decision }
    : { status: 'needs_action', reason: 'locations_unselected', decision, issue_id };
}

export async function decideLevel(
  ctx: Acting,
  channel: ChannelRow,
  delivery: DeliveryRow,
  facts: ItemFacts | undefined,
): Promise<Outcome> {
  const said = saidBy(delivery);
  const { channel_id } = channel;
  const { inventory_item_id: item, location_id } = said;
  const place = { channel_id, inventory_item_id: item, location_id };
  const known = await levels.find(ctx, place);
  const judgement = judgeLevel(known, said);
  const level = levelOf(judgement, said, facts, known, ctx.at());
  const link = await linkOf(ctx, channel, item, facts?.variant);
  const decision = decisionOn(link);
  if (judgement === 'same') return { status: 'no_effect', reason: 'level_known', decision };
  if (level === undefined) {
    const newer = known?.delivery_id ?? null;
    const both = { ...decision, ...(newer !== null && { newer_delivery_id: newer }) };
    return { status: 'stale', reason: 'newer_level_applied', decision: both };
  }
  const written = { ...place, ...level, delivery_id: delivery.delivery_id };
  const counted = await changeLevels(ctx, channel, [item], [written]);
  if (link?.state === 'ignored') return { status: 'no_effect', reason: 'link_ignored' };
  if (link?.state === 'gone' && link.product_id === null) return { status: 'no_effect', reason: 'link_gone' };
  if (link === undefined || link.product_id === null)
    return level.active
      ? reportUnknown(ctx, channel_id, { ...place, ...level }, link, facts?.variant)
      : { status: 'no_effect', reason: 'item_unknown' };
  if (!link.counted) await resolveIssue(ctx, unknownItem(channel_id, item), 'linked');
  return levelOutcome(ctx, channel, link, counted.get(link.link_id));
}
