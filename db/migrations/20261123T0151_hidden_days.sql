-- owner: sellers
--
-- The closings that hide the products, as they were and as they are (`held_until` infinity).
create view v_sellers_hidden with (security_invoker = true) as
select
  s.seller_id,
  s.held_until,
  case when coalesce(s.holiday->>'mode', 'hide') = 'hide' then s.holiday->>'closed_from' end as hidden_from,
  case when coalesce(s.holiday->>'mode', 'hide') = 'hide' then s.holiday->>'closed_to' end as hidden_to
from (
  select
    seller_id,
    'infinity'::timestamptz as held_until,
    holiday
  from seller
  union all
  select
    seller_id,
    held_until,
    content->'holiday'
  from v_platform_past
  where of_table = 'seller'
) s;
grant select on v_sellers_hidden to spp_app, spp_system;
