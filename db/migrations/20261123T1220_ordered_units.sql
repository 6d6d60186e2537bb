-- owner: orders
--
-- Units that buyers ordered and kept, for figures of sales. `recorded_at` has the index `sales_order_newest`.

create view v_orders_ordered with (security_invoker = true) as
select
  l.seller_id,
  l.product_id,
  o.recorded_at,
  o.placed_at,
  l.ordered - l.cancelled as units
from sales_order o
join order_line l
  on l.seller_id = o.seller_id
  and l.order_id = o.order_id
where l.kind = 'item'
  and l.product_id is not null;
grant select on v_orders_ordered to spp_app, spp_system;
