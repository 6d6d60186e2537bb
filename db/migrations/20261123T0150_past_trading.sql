-- owner: sellers
--
-- Settings and closings as they were. Orders that are told late follow the closing that held when they were
-- placed. Source: docs/design/orders.md#deadlines.

create trigger past_trading after update on seller
  for each row when (old.settings is distinct from new.settings or old.holiday is distinct from new.holiday)
  execute function keep_past_row('seller_id', 'settings', 'holiday');

-- What other modules follow of a seller's settings and of its holiday closing. The sections stay JSON; these
-- views are the one place that knows their keys. Days are texts: a failing cast would close the API to the
-- seller. What holds now has `held_until` infinity.
create view v_sellers_trading with (security_invoker = true) as
select
  s.seller_id,
  s.held_until,
  coalesce((s.settings->>'low_stock_alerts')::boolean, true) as low_stock_alerts,
  (s.settings->>'default_reorder_point')::integer as default_reorder_point,
  (s.settings->>'default_handling_days')::integer as default_handling_days,
  (s.settings->>'default_lead_time_days')::integer as default_lead_time_days,
  s.settings->>'return_policy' as return_policy,
  case when s.holiday->>'mode' = 'extend' then s.holiday->>'closed_from' end as extended_from,
  case when s.holiday->>'mode' = 'extend' then s.holiday->>'closed_to' end as extended_to
from (
  select
    seller_id,
    'infinity'::timestamptz as held_until,
    settings,
    holiday
  from seller
  union all
  select
    seller_id,
    held_until,
    content->'settings',
    content->'holiday'
  from v_platform_past
  where of_table = 'seller'
) s;
grant select on v_sellers_trading to spp_app, spp_system;

-- Since when an account is closed: a later decision about it does not move the time for which its documents
-- are kept.
alter table seller add column closed_at timestamptz;

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
update seller
   set closed_at = standing_at
 where status = 'closed';
alter table seller force row level security;

create view v_sellers_closed with (security_invoker = true) as
select
  seller_id,
  -- The release before does not write the time.
  coalesce(closed_at, standing_at) as closed_at
from seller
where status = 'closed';
grant select on v_sellers_closed to spp_app, spp_system;
