import type { Acting } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import {
  numberIn,
  SHOP_FACTS,
  type ShopFacts,
  type Subscribed,
  subscribe,
  unsubscribe,
} from '../adapters/questions.ts';
import { isOpen } from '../domain/channel-machine.ts';
import { changeRule } from '../domain/counting.ts';
import { tokenContext } from '../domain/token-context.ts';
import { scopesOf, topicsOf } from '../domain/topics.ts';
import { storePlatformOf } from '../settings.ts';
import {
  type ChannelKey,
  type ChannelRow,
  dropLocations,
  type LocationRow,
  locations,
  locationsOf,
  touch,
} from '../store/channels.ts';
import type { Change } from '../store/deliveries.ts';
import { givenUp } from '../store/issues.ts';
import { askForLevels, catchUpSoon } from './apply-levels.ts';
import { askChannel, askStore, changeChannel } from './ask-store.ts';
import { impair, repair } from './change-status.ts';
import { resolveIssue, resolveOpen } from './issues.ts';
import { levelToAskFor, lookAtLevels } from './look-at-levels.ts';
import { currencyIssue } from './product-issues.ts';
import { settleSelection } from './select-locations.ts';
import { takesPrices } from './seller-standing.ts';
import { sweepSoon } from './sweep.ts';
import { readChannel } from './tokens.ts';

export const PREPARE_JOB = 'channels.prepare';

type Found = Pick<ShopFacts, 'shop' | 'locations'>;

/** The locations that were added, changed or removed. */
function changesOf(before: readonly LocationRow[], after: readonly LocationRow[]): Change[] {
  const text = (row: LocationRow | undefined): string | null =>
    row === undefined ? null : `${row.name}${row.active ? '' : ' (inactive)'}`;
  const ids = new Set([...before, ...after].map(({ location_id }) => location_id));
  return [...ids].flatMap((id) => {
    const [was, is] = [before, after].map((rows) => text(rows.find((row) => row.location_id === id)));
    return was === is ? [] : [{ field: `locations.${id}`, before: was ?? null, after: is ?? null }];
  });
}

/** The store's prices are in the seller's currency again: they are taken, once everything was compared. */
async function takePricesAgain(ctx: Acting, channel: ChannelRow, shop: ShopFacts['shop']): Promise<void> {
  const { channel_id, currency } = channel;
  if (currency === shop.currencyCode || (await takesPrices(ctx, channel))) return;
  if (!(await takesPrices(ctx, { currency: shop.currencyCode }))) return;
  await resolveIssue(ctx, currencyIssue(channel_id), 'same_currency');
  await sweepSoon(ctx, channel_id);
}

/** Stores what the store says about itself. @returns what changed */
export async function writeFacts(
  ctx: Acting,
  channel: ChannelRow,
  { shop, locations: found }: Found,
): Promise<Change[]> {
  const { channel_id, selected_locations: selected, stock_mode: mode } = channel;
  const before = await locationsOf(ctx, channel_id);
  const after = found.nodes.map(({ id, name, isActive }) => ({
    ...{ channel_id, location_id: numberIn(id), name, active: isActive },
  }));
  const selected_locations = await settleSelection(ctx, channel, after, selected);
  // What the store closes is gone with its units, also if its only other location is then selected by itself. The first
  // selection moves none.
  const moves = selected_locations === selected || selected.length > 0;
  const how = { selected: selected_locations, locations: after, mode, moves };
  const counting = changeRule(channel.counting, how);
  await touch(ctx, channel_id, {
    ...{ selected_locations, counting },
    shop_id: numberIn(shop.id),
    shop_name: shop.name,
    currency: shop.currencyCode,
    checked_at: ctx.at(),
  });
  const ids = after.map(({ location_id }) => location_id);
  await locations.upsertMany(ctx, after);
  await dropLocations(ctx, channel_id, ids);
  if (counting !== channel.counting) await catchUpSoon(ctx, channel_id);
  await takePricesAgain(ctx, channel, shop);
  return changesOf(before, after);
}

/** Seals tokens again that an older key has sealed. */
async function sealAgain({ secrets }: Services, ctx: Acting, row: ChannelRow): Promise<void> {
  const context = tokenContext(row.channel_id);
  const again = (sealed: string | null): string | null =>
    sealed === null || !secrets.isStale(sealed)
      ? sealed
      : secrets.seal(secrets.open(sealed, context), context);
  const { access_sealed, refresh_sealed, refresh_previous_sealed } = row;
  await touch(ctx, row.channel_id, {
    access_sealed: again(access_sealed),
    refresh_sealed: again(refresh_sealed),
    refresh_previous_sealed: again(refresh_previous_sealed),
  });
}

/** Makes the subscriptions that are missing and deletes unwanted ones. @returns the topics that have one */
async function ensureSubscriptions(
  services: Services,
  key: ChannelKey,
  row: ChannelRow,
  present: ShopFacts['webhookSubscriptions']['nodes'],
  signal: AbortSignal,
): Promise<string[]> {
  const { receiverUrl } = storePlatformOf(services.config);
  const wanted = topicsOf(row);
  const own = present.filter(({ uri }) => uri === receiverUrl);
  for (const { id } of own.filter(({ topic }) => !wanted.includes(topic)))
    await askStore(services, key, row, unsubscribe(id), signal);
  const found = new Set(own.map(({ topic }) => topic));
  for (const topic of wanted.filter((one) => !found.has(one))) {
    const made = await askStore<Subscribed>(services, key, row, subscribe(topic, receiverUrl), signal);
    if (made.webhookSubscriptionCreate?.userErrors.length === 0) found.add(topic);
    else services.log.warn({ topic, channel_id: key.channel_id }, 'the store refuses a subscription');
  }
  return wanted.filter((topic) => found.has(topic));
}

/** The store has just been asked for what deliveries were about that were given up; it is asked for levels now. */
async function readAgain(ctx: Acting, row: ChannelRow): Promise<void> {
  const { channel_id } = row;
  const issues = await givenUp(ctx, channel_id);
  const places = issues.flatMap(({ external_key }) => {
    const [of, inventory_item_id, location_id] = external_key.split(':');
    const isLevel = of === 'level' && inventory_item_id !== undefined && location_id !== undefined;
    return isLevel ? [{ inventory_item_id, location_id }] : [];
  });
  await lookAtLevels(ctx, row, places.map(levelToAskFor));
  await resolveOpen(ctx, channel_id, issues, 'read_again');
}

/** Whether the store still grants all scopes decides between `connected` and `degraded`. */
async function judgeScopes(ctx: Acting, row: ChannelRow, granted: readonly string[]): Promise<void> {
  if (!scopesOf(row).every((scope) => granted.includes(scope))) await impair(ctx, row, 'scopes_missing');
  else if (row.status_reason === 'scopes_missing') await repair(ctx, row);
  await touch(ctx, row.channel_id, { scopes: granted });
}

/**
 * Asks the store about itself, and stores the answer. While it was asked, a delivery may have made the service store a
 * newer answer; then it is asked again.
 *
 * @returns the channel and the answer; undefined if the channel is not connected
 */
async function readFacts(services: Services, key: ChannelKey, signal: AbortSignal) {
  for (;;) {
    const row = await readChannel(services, key);
    if (row === undefined || !isOpen(row)) return undefined;
    const { data: facts, token } = await askChannel<ShopFacts>(services, key, row, SHOP_FACTS, signal);
    const granted = facts.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    const isNewest = await changeChannel(services, key, async (ctx, now) => {
      if (!isOpen(now)) return true;
      if (now.checked_at !== row.checked_at) return false;
      // Scopes belong to a token, facts to the store.
      if (now.access_sealed === token.sealed) await judgeScopes(ctx, now, granted);
      await writeFacts(ctx, now, facts);
      return true;
    });
    if (isNewest !== false) return { row, facts };
  }
}

/**
 * Reads what the store says about itself and makes missing subscriptions: after a connection, and every hour.
 *
 * @throws NoToken, StoreRefused, StoreUnreachable, QuestionRefused
 */
export async function prepareChannel(
  services: Services,
  key: ChannelKey,
  signal: AbortSignal,
): Promise<void> {
  const read = await readFacts(services, key, signal);
  if (read === undefined) return;
  const { row, facts } = read;
  const { nodes } = facts.webhookSubscriptions;
  const subscribed = await ensureSubscriptions(services, key, row, nodes, signal);
  await changeChannel(services, key, async (ctx, now) => {
    if (!isOpen(now)) return;
    await touch(ctx, key.channel_id, { subscribed });
    await sealAgain(services, ctx, now);
    await readAgain(ctx, now);
    await askForLevels(ctx, key.channel_id);
  });
}
