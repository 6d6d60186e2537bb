/** Applies levels of variants whose stock is followed, in batches. Source: docs/design/channels.md#decisions. */
import type { Acting } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import type { Services } from '../../../platform/services.ts';
import { judgeLevel } from '../domain/judge-level.ts';
import type { ChannelKey } from '../store/channels.ts';
import type { DeliveryRow } from '../store/deliveries.ts';
import { levelsOf } from '../store/levels.ts';
import { type LinkStockRow, linksOfItems } from '../store/link-stock.ts';
import { changeLevels } from './apply-levels.ts';
import { conclude } from './conclude-delivery.ts';
import { levelOutcome, saidBy } from './decide-level.ts';
import { decideBatch, type TogetherOptions } from './decide-together.ts';

/** Deliveries of a transaction, which locks the channel and the stock of as many products. */
const AT_ONCE = 50;

interface Plain {
  readonly delivery: DeliveryRow;
  readonly link: LinkStockRow;
}

/** Levels that are newer than what is known, of variants whose stock is followed. */
async function plainOf(ctx: Acting, channelId: string, found: readonly DeliveryRow[]): Promise<Plain[]> {
  const items = found.map((one) => saidBy(one).inventory_item_id);
  const [known, links] = await Promise.all([
    levelsOf(ctx, channelId, items),
    linksOfItems(ctx, channelId, items),
  ]);
  const linkOf = new Map(links.map((link) => [link.inventory_item_id, link]));
  const levelOf = new Map(known.map((row) => [`level:${row.inventory_item_id}:${row.location_id}`, row]));
  return found.flatMap((delivery) => {
    const said = saidBy(delivery);
    const link = linkOf.get(said.inventory_item_id);
    if (link?.state !== 'linked' || link.product_id === null || !link.counted) return [];
    return judgeLevel(levelOf.get(delivery.object_key), said) === 'take' ? [{ delivery, link }] : [];
  });
}

/** Applies levels that wait. @returns the ids of what was decided */
export function decideLevels(
  services: Services,
  key: ChannelKey,
  options: TogetherOptions,
): Promise<ReadonlySet<string>> {
  const { seller_id, channel_id } = key;
  /** Each change names its delivery as its cause. */
  const causedBy = ({ db, by }: Acting, delivery_id: string): Acting => {
    const correlation = { request_id: null, idempotency_key: null, delivery_id };
    return acting(services, { db, seller_id, by, correlation });
  };
  return decideBatch<Plain>(services, key, options, {
    ...{ prefix: 'level:', limit: AT_ONCE },
    // What changed at a link is what the one delivery of its item changed.
    keyOf: (delivery) => saidBy(delivery).inventory_item_id,
    plainOf: (ctx, found) => plainOf(ctx, channel_id, found),
    decide: async (ctx, channel, plain) => {
      const taken = plain.map(({ delivery, link }) => {
        const { delivery_id } = delivery;
        const said = saidBy(delivery);
        const updated_at = said.updated_at ?? ctx.at();
        const row = { ...said, channel_id, updated_at, active: true, delivery_id };
        return { delivery, link, row, own: causedBy(ctx, delivery_id) };
      });
      const contexts = new Map(taken.map(({ row, own }) => [row.inventory_item_id, own]));
      const contextOf = (item: string | null): Acting => contexts.get(item ?? '') ?? ctx;
      const rows = taken.map(({ row }) => row);
      const counted = await changeLevels(ctx, channel, [...contexts.keys()], rows, contextOf);
      await Promise.all(
        taken.map(async ({ own, delivery, link }) =>
          conclude(own, delivery, await levelOutcome(own, channel, link, counted.get(link.link_id))),
        ),
      );
    },
  });
}
