/**
 * The stock that connected stores say they have, by item and location; of items without a link, too. Every writer holds
 * the lock of the channel.
 */
import { textArray } from '../../../platform/db/arrays.ts';
import { boolean, instant, integer, nullable, text } from '../../../platform/db/columns.ts';
import { command, part } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

export const levels = defineTable('channel_level', ['channel_id', 'inventory_item_id', 'location_id'], {
  channel_id: text,
  inventory_item_id: text,
  location_id: text,
  available: nullable(integer),
  updated_at: instant,
  active: boolean,
  delivery_id: nullable(text),
});
export type LevelRow = RowIn<typeof levels>;

export const levelsOf = (at: SellerDb, channelId: string, items: readonly string[]): Promise<LevelRow[]> =>
  levels.all(at, part`channel_id = ${channelId} and inventory_item_id = any(${items}) order by location_id`);

/** Items have the levels of other ones, where their own are not known. */
export async function copyLevels(
  { db, seller_id }: SellerDb,
  channelId: string,
  pairs: readonly { readonly item: string; readonly as: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await db.run(command`
    insert into channel_level
           (seller_id, channel_id, inventory_item_id, location_id, available, updated_at, active, delivery_id)
    select v.seller_id, v.channel_id, u.as_item, v.location_id, v.available, v.updated_at, v.active, v.delivery_id
      from unnest(${textArray(pairs.map(({ item }) => item))}::text[],
                  ${textArray(pairs.map(({ as }) => as))}::text[]) as u (item, as_item)
      join channel_level v
        on v.seller_id = ${seller_id}
       and v.channel_id = ${channelId}
       and v.inventory_item_id = u.item
        on conflict do nothing`);
}

export const deleteLevels = (at: SellerDb, channelId: string): Promise<number> =>
  levels.deleteWhere(at, part`channel_id = ${channelId}`);
