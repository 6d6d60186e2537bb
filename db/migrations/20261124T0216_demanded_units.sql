-- owner: orders
--
-- What buyers ordered, by the instant of placing. `wanted` leaves out the units that the buyer or the
-- marketplace cancelled: those that the seller rejected, let expire or cancelled were in demand.
create index sales_order_placed on sales_order (seller_id, placed_at);

drop view v_orders_ordered;
create view v_orders_ordered with (security_invoker = true) as
select
  l.seller_id,
  l.order_id,
  l.product_id,
  o.placed_at,
  o.updated_at,
  o.currency,
  l.ordered,
  l.ordered - case when l.cancelled = 0 then 0 else greatest(0, l.cancelled - (
    select coalesce(sum((part->>'quantity')::integer), 0)::integer
      from order_event e
      cross join lateral json_array_elements(e.facts->'lines') part
     where e.seller_id = l.seller_id
       and e.order_id = l.order_id
       and e.action = 'cancelled'
       and e.facts->>'by' = 'seller'
       and part->>'order_line_id' = l.order_line_id)) end as wanted,
  l.net_minor
from sales_order o
join order_line l
  on l.seller_id = o.seller_id
  and l.order_id = o.order_id
where l.kind = 'item'
  and l.product_id is not null;
grant select on v_orders_ordered to spp_app, spp_system;

create view v_orders_changed with (security_invoker = true) as
select
  seller_id,
  order_id,
  placed_at,
  recorded_at,
  updated_at
from sales_order;
grant select on v_orders_changed to spp_app, spp_system;
