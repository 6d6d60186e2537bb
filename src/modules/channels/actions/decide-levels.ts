/**
 * Decides about the levels of a store in batches: one transaction takes those that are newer than what is known, of
 * variants whose stock is followed. All others, and each of a batch that fails, are decided one by one.
 * Source: docs/design/channels.md#decisions.
 */
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { judgeLevel } from '../domain/judge-level.ts';
import type { ChannelKey, ChannelRow } from '../store/channels.ts';
import type { DeliveryRow } from '../store/deliveries.ts';
import { openIssuesAbout } from '../store/issues.ts';
import { levelsOf } from '../store/levels.ts';
import { type LinkStockRow, linksOfItems } from '../store/link-stock.ts';
import { rememberBodies } from '../store/repeated-bodies.ts';
import { endJobs, waitingTogether } from '../store/waiting-deliveries.ts';
import { changeLevels } from './apply-levels.ts';
import { changeChannel } from './ask-store.ts';
import { conclude } from './conclude-delivery.ts';
import { levelOutcome, saidBy } from './decide-level.ts';
import { distinct, type TogetherOptions } from './decide-orders.ts';

/** Deliveries of a transaction, which locks the channel and the stock of as many products. */
const AT_ONCE = 50;

/** One delivery of each item: what changed at a link is what this one changed. */
const oneOfEach = (waiting: readonly DeliveryRow[]): DeliveryRow[] => [
  ...new Map(distinct(waiting).map((one) => [saidBy(one).inventory_item_id, one])).values(),
];

interface Plain {
  readonly delivery: DeliveryRow;
  readonly link: LinkStockRow;
}

/** Those of which nothing but themselves is to be decided. */
async function plainOf(ctx: Acting, channelId: string, found: readonly DeliveryRow[]): Promise<Plain[]> {
  const items = found.map((one) => saidBy(one).inventory_item_id);
  const keys = found.map(({ object_key }) => object_key);
  const [known, links, issues] = await Promise.all([
    levelsOf(ctx, channelId, items),
    linksOfItems(ctx, channelId, items),
    openIssuesAbout(ctx, channelId, keys),
  ]);
  const linkOf = new Map(links.map((link) => [link.inventory_item_id, link]));
  const levelOf = new Map(known.map((row) => [`level:${row.inventory_item_id}:${row.location_id}`, row]));
  return found.flatMap((delivery) => {
    const { object_key } = delivery;
    const said = saidBy(delivery);
    const link = linkOf.get(said.inventory_item_id);
    const isFollowed = link?.state === 'linked' && link.product_id !== null && link.counted;
    if (!isFollowed || issues.has(`not_applied/${object_key}`)) return [];
    return judgeLevel(levelOf.get(object_key), said) === 'take' ? [{ delivery, link }] : [];
  });
}

/**
 * Applies levels that wait, the oldest delivery of each, from an object on.
 *
 * @returns the ids of what was decided
 */
export async function decideLevels(
  services: Services,
  key: ChannelKey,
  { from, since, isTaken }: TogetherOptions,
): Promise<ReadonlySet<string>> {
  const { seller_id, channel_id } = key;
  /** Each change names its delivery as its cause. */
  const causedBy = ({ db, by }: Acting, delivery_id: string): Acting => {
    const correlation = { request_id: null, idempotency_key: null, delivery_id };
    return acting(services, { db, seller_id, by, correlation });
  };
  const change = async (ctx: Acting, channel: ChannelRow, waiting: readonly DeliveryRow[] = []) => {
    const found = isTaken(channel) ? oneOfEach(waiting) : [];
    if (found.length === 0) return [];
    const plain = await plainOf(ctx, channel_id, found);
    const bodies = plain.map(({ delivery }) => delivery);
    const isNew = await rememberBodies(ctx.db, bodies, ctx.at(), since);
    const taken = plain
      .filter(({ delivery: { delivery_id } }) => isNew.has(delivery_id))
      .map((one) => ({ ...one, ctx: causedBy(ctx, one.delivery.delivery_id), said: saidBy(one.delivery) }));
    if (taken.length === 0) return [];
    const contexts = new Map(taken.map(({ said, ctx: own }) => [said.inventory_item_id, own]));
    const rows = taken.map(({ said, delivery: { delivery_id } }) => {
      const updated_at = said.updated_at ?? ctx.at();
      return { ...said, channel_id, updated_at, active: true, delivery_id };
    });
    const contextOf = (item: string | null): Acting => contexts.get(item ?? '') ?? ctx;
    const counted = await changeLevels(ctx, channel, [...contexts.keys()], rows, contextOf);
    await Promise.all(
      taken.map(async ({ ctx: own, delivery, link }) =>
        conclude(own, delivery, await levelOutcome(own, channel, link, counted.get(link.link_id))),
      ),
    );
    const keys = taken.map(({ delivery: { object_key } }) => object_key);
    await endJobs(ctx.db, channel.shop_domain, keys);
    return taken.map(({ delivery: { delivery_id } }) => delivery_id);
  };
  const first = (ctx: Acting) => waitingTogether(ctx, channel_id, { prefix: 'level:', from, limit: AT_ONCE });
  return new Set(await changeChannel(services, key, change, { first, lookUp: true }));
}
