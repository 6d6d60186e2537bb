-- owner: products
--
-- Notifications name the file of a run, as the person who sent it does.
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
    + (counts ->> 'deactivated')::int + (counts ->> 'staged')::int > 0 as uses_quota,
  source ->> 'filename' as filename
from feed_run;
