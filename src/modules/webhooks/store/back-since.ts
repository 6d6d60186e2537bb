import type { Statement } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** What the account's own events say of it; an index begins with the seller and the object. */
const BACK_SINCE =
  'select max(created_at) as at from v_platform_event where seller_id = $1 and object_id = $1 and data is not null and created_at > $2 ' +
  "and (data->'previous')::jsonb ?| array['status', 'verified', 'api_access'] and data->'object'->>'status' = 'active' " +
  "and (data->'object'->>'verified')::boolean and (data->'object'->>'api_access')::boolean";

/** When a seller's tokens were last good again, after an instant; null: they have been all the time. */
export function backSince(sellerId: string, since: string): Statement<{ readonly at: string | null }> {
  return sql(BACK_SINCE, [sellerId, since]);
}
