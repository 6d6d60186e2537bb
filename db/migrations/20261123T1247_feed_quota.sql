-- owner: products
--
-- One definition of the runs that count towards the quota of a day. An unfinished run counts until it has
-- ended without applying anything.
create or replace view v_products_feed_runs with (security_invoker = true) as
select
  seller_id,
  run_id,
  status,
  received_at,
  not dry_run
  and mode <> 'inventory'
  and kind <> 'revert'
  and (
    status in ('received', 'validating', 'applying')
    or (counts ->> 'created')::int + (counts ->> 'updated')::int
      + (counts ->> 'deactivated')::int + (counts ->> 'staged')::int > 0
  ) as uses_quota
from feed_run;
