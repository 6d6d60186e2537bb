import { boolean } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { FeedRun } from '../domain/feed-run/run.ts';

/** Whether a member has said of variants which products they are after a run of their store had begun. */
export async function linksChanged(
  { db, seller_id }: SellerDb,
  { source: { channel_id }, received_at }: FeedRun,
): Promise<boolean> {
  if (channel_id === undefined) return false;
  const row = await db.one(statement({ changed: boolean })`
    select links_changed_at > ${received_at}::timestamptz as changed
      from v_channels_linking
     where seller_id = ${seller_id}
       and channel_id = ${channel_id}
       and links_changed_at is not null`);
  return row?.changed ?? false;
}
