import { instant, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/**
 * The last instant after `since` at which the seller could use the API again; null if the seller could use it all the
 * time. It reads the events about the account.
 */
export const standingRestored = (sellerId: string, since: string) => statement({ at: nullable(instant) })`
  select max(created_at) as at
    from v_platform_event
   where seller_id = ${sellerId}
     and object_id = ${sellerId}
     and data is not null
     and created_at > ${since}
     and (data->'previous')::jsonb ?| array['status', 'verified', 'api_access']
     and data->'object'->>'status' = 'active'
     and (data->'object'->>'verified')::boolean
     and (data->'object'->>'api_access')::boolean`;
