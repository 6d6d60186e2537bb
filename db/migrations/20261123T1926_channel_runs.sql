-- owner: products
--
-- Feed runs whose file the service reads from a connected store. `source.channel_id` names the channel, in
-- the run that reads and in those that commit or revert it. None of them counts towards the runs of a day.

alter table feed_run
  drop constraint feed_run_kind_check,
  add constraint feed_run_kind_check
  check (kind in ('products', 'inventory', 'profile_import', 'channel_import', 'commit', 'revert'));

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
  and (
    status in ('received', 'validating', 'applying')
    or (counts ->> 'created')::int + (counts ->> 'updated')::int
      + (counts ->> 'deactivated')::int + (counts ->> 'staged')::int > 0
  ) as uses_quota
from feed_run;
