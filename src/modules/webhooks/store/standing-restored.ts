import { instant, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';

/**
 * When a seller's tokens were last accepted again, after an instant; null: they were accepted all the time. It reads the
 * account's own events; an index begins with the seller and the object.
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
