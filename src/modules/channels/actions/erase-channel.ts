import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { changeRule } from '../domain/counting.ts';
import {
  type ChannelRow,
  channels,
  dropLocations,
  NO_TOKENS,
  NOT_LEAVING,
  releaseShop,
} from '../store/channels.ts';
import { eraseIssues } from '../store/issues.ts';
import { deleteLevels } from '../store/levels.ts';
import { eraseLinks } from '../store/links.ts';
import { deleteAllOrders } from '../store/orders.ts';
import { resolveIssue } from './issues.ts';

/** Erases the data of the store in an ended channel. The domain stays, so that the same store gets the same channel. */
export async function eraseChannel(ctx: Acting, row: ChannelRow): Promise<number> {
  const { channel_id } = row;
  await dropLocations(ctx, channel_id, []);
  await deleteLevels(ctx, channel_id);
  await releaseShop(ctx.db, { seller_id: ctx.seller_id, channel_id });
  await eraseLinks(ctx, channel_id);
  for (const issue of await eraseIssues(ctx, channel_id)) await resolveIssue(ctx, issue, 'channel_erased');
  await writeVersion(channels, ctx, row, {
    ...NO_TOKENS,
    ...NOT_LEAVING,
    ...{ status_reason: 'erased', shop_id: null, shop_name: null, currency: null, scopes: [] },
    selected_locations: [],
    counting: changeRule(row.counting, { selected: [], locations: [], mode: row.stock_mode, moves: false }),
  });
  return deleteAllOrders(ctx, channel_id);
}
