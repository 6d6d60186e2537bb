-- owner: orders
--
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
