-- owner: products
--
-- A run counts towards the quota of a day when it has changed products. Whether an unfinished run will do so
-- is not known yet; a seller's writing runs come one after the other, and each counts those before it.
create or replace view v_products_feed_runs with (security_invoker = true) as
select
  seller_id,
  run_id,
  status,
  received_at,
  not dry_run
  and mode <> 'inventory'
  and kind <> 'revert'
  and source ->> 'channel_id' is null
  and (counts ->> 'created')::int + (counts ->> 'updated')::int
    + (counts ->> 'deactivated')::int + (counts ->> 'staged')::int > 0 as uses_quota
from feed_run;
