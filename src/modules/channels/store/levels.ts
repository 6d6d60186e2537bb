/** The stock that connected stores say they have, by item and location; of items without a link, too. */
import { boolean, instant, integer, nullable, text } from '../../../platform/db/columns.ts';
import { defineTable, type RowIn } from '../../../platform/db/table.ts';

export const levels = defineTable('channel_level', ['channel_id', 'inventory_item_id', 'location_id'], {
  channel_id: text,
  inventory_item_id: text,
  location_id: text,
  available: nullable(integer),
  updated_at: instant,
  active: boolean,
});
export type LevelRow = RowIn<typeof levels>;
