-- owner: orders
--
-- What came back of an order: refunds and returns.
create view v_orders_back with (security_invoker = true) as
select
  seller_id,
  order_id,
  'refund' as kind,
  refund_id as id,
  status,
  reason,
  amount_minor
from order_refund
union all
select
  seller_id,
  order_id,
  'return',
  return_id,
  status,
  reason,
  null
from order_return;
grant select on v_orders_back to spp_app, spp_system;

-- Orders about which something is still to be decided: files about them are kept.
create view v_orders_case with (security_invoker = true) as
select seller_id, order_id
from order_dispute
where status = 'open'
union all
select seller_id, order_id
from order_return
where status not in ('refused', 'closed');
grant select on v_orders_case to spp_app, spp_system;

-- How many units of each line have left the seller, and how many are back in stock: what a sale costs.
create view v_orders_goods with (security_invoker = true) as
select l.seller_id,
       l.order_id,
       l.order_line_id,
       l.product_id,
       l.shipped,
       greatest(l.shipped - coalesce(b.restocked, 0), 0)::integer as units,
       o.currency,
       (o.placed_at at time zone 'Australia/Sydney')::date as placed_on
  from order_line l
  join sales_order o on o.seller_id = l.seller_id and o.order_id = l.order_id
 cross join lateral (select sum(r.restocked) as restocked
                       from order_return_line r
                      where r.seller_id = l.seller_id
                        and r.order_id = l.order_id
                        and r.order_line_id = l.order_line_id) b
 where l.kind = 'item';
grant select on v_orders_goods to spp_app, spp_system;

-- Why the seller refused a return. The reason of the buyer has a column of its own.
alter table order_return
  add column refusal_reason text;

create index sales_order_placed on sales_order (seller_id, placed_at);

-- For facts by day: which orders have changed.
create view v_orders_changed with (security_invoker = true) as
select
  seller_id,
  order_id,
  placed_at,
  recorded_at,
  updated_at
from sales_order;
grant select on v_orders_changed to spp_app, spp_system;
