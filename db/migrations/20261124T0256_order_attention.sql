-- owner: orders
--
-- For the dashboard: the orders that somebody should look at, which have an index of their own.
create view v_orders_attention with (security_invoker = true) as
select
  seller_id,
  order_id,
  unnest(attention) as kind,
  accept_by,
  dispatch_by,
  respond_by
from sales_order
where attention <> '{}';
grant select on v_orders_attention to spp_app, spp_system;
