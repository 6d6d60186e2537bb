import type { Acting } from '../../../kernel/context.ts';
import { availableUnits } from '../../products/index.ts';
import { ruleOf } from '../domain/counting.ts';
import { linkStockView, type WireLinkStock } from '../schemas/link-stock.ts';
import { type ChannelRow, locationsOf } from '../store/channels.ts';
import { levelsOf } from '../store/levels.ts';
import type { LinkRow } from '../store/links.ts';

type Shown = Pick<LinkRow, 'link_id' | 'inventory_item_id' | 'product_id' | 'shortfall'>;

/** The stock of links of one channel, by their ids. */
export async function showLinkStock(
  ctx: Acting,
  channel: ChannelRow,
  links: readonly Shown[],
): Promise<ReadonlyMap<string, WireLinkStock>> {
  const { channel_id, counting } = channel;
  const filled = (values: readonly (string | null)[]): string[] => values.flatMap((value) => value ?? []);
  const items = filled(links.map(({ inventory_item_id }) => inventory_item_id));
  const products = filled(links.map(({ product_id }) => product_id));
  const counted = { rule: ruleOf(counting), locations: await locationsOf(ctx, channel_id) };
  const levels = Map.groupBy(await levelsOf(ctx, channel_id, items), ({ inventory_item_id: item }) => item);
  const units = await availableUnits(ctx.db, ctx.seller_id, products);
  return new Map(
    links.map(({ link_id, inventory_item_id: item, product_id, shortfall }) => [
      link_id,
      linkStockView(counted, levels.get(item ?? '') ?? [], shortfall, units.get(product_id ?? '') ?? null),
    ]),
  );
}
