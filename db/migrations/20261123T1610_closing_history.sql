-- owner: sellers
--
-- Orders that are told late follow the closing that held when they were placed, so the seller's row keeps
-- what the closings were: the newest first, each with the instant from which it held.
-- Source: docs/design/orders.md#deadlines.
alter table seller add column extensions jsonb not null default '[]';

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
update seller
   set extensions = jsonb_build_array(
         jsonb_build_object(
           'set_at', created_at,
           'from', holiday->>'closed_from',
           'to', holiday->>'closed_to'))
 where holiday->>'mode' = 'extend'
   and holiday->>'closed_from' is not null;
alter table seller force row level security;

drop view v_sellers_trading;
create view v_sellers_trading with (security_invoker = true) as
select
  seller_id,
  coalesce((settings->>'low_stock_alerts')::boolean, true) as low_stock_alerts,
  (settings->>'default_reorder_point')::integer as default_reorder_point,
  (settings->>'default_handling_days')::integer as default_handling_days,
  (settings->>'default_lead_time_days')::integer as default_lead_time_days,
  settings->>'return_policy' as return_policy,
  extensions
from seller;
grant select on v_sellers_trading to spp_app, spp_system;
