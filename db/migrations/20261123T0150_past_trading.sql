-- owner: sellers
--
-- Settings and closings as they were, beside those of now (`held_until` infinity). They take the place of
-- the list of extensions, which held closings only.

create trigger past_trading after update on seller
  for each row when (old.settings is distinct from new.settings or old.holiday is distinct from new.holiday)
  execute function keep_past_row('seller_id', 'settings', 'holiday');

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
-- An extension held until the next one was set, with the settings of now: those of then are unknown.
insert into past_row (seller_id, of_table, held_until, key, content)
select
  s.seller_id,
  'seller',
  (e.one->>'set_at')::timestamptz,
  s.seller_id,
  jsonb_build_object(
    'settings', s.settings,
    'holiday', jsonb_build_object(
      'mode', 'extend',
      'closed_from', s.extensions->e.number::integer->>'from',
      'closed_to', s.extensions->e.number::integer->>'to'))
from seller s
cross join lateral jsonb_array_elements(s.extensions) with ordinality as e (one, number)
where (e.one->>'set_at')::timestamptz > s.created_at
on conflict do nothing;
alter table past_row force row level security;
alter table seller force row level security;
alter table seller drop column extensions;

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
-- What other modules follow of a seller's settings and of its holiday closing. The sections stay JSON; these
-- views are the one place that knows their keys. Days are texts: a failing cast would close the API to the
-- seller.
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
