-- owner: sellers
--
-- What other modules follow of a seller's settings and of its holiday closing. The sections stay JSON; these
-- views are the one place that knows their keys. Days are texts: a failing cast would close the API to the
-- seller.

create view v_sellers_trading with (security_invoker = true) as
select
  seller_id,
  coalesce((settings->>'low_stock_alerts')::boolean, true) as low_stock_alerts,
  (settings->>'default_reorder_point')::integer as default_reorder_point,
  (settings->>'default_handling_days')::integer as default_handling_days,
  (settings->>'default_lead_time_days')::integer as default_lead_time_days,
  settings->>'return_policy' as return_policy,
  case when holiday->>'mode' = 'extend' then holiday->>'closed_from' end as extended_from,
  case when holiday->>'mode' = 'extend' then holiday->>'closed_to' end as extended_to
from seller;
grant select on v_sellers_trading to spp_app, spp_system;

-- The days on which a closing hides the products. Every request reads them with the standing, so products
-- need no statement of their own for them.
create or replace view v_sellers_standing with (security_invoker = true) as
select
  seller_id,
  status,
  verified,
  api_access,
  plan,
  account_flags,
  currency,
  case when coalesce(holiday->>'mode', 'hide') = 'hide' then holiday->>'closed_from' end as hidden_from,
  case when coalesce(holiday->>'mode', 'hide') = 'hide' then holiday->>'closed_to' end as hidden_to
from seller;
