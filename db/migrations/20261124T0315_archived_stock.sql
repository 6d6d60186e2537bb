-- owner: products
--
-- The stock of archived products is counted by itself and subtracted: they are few, and a look-up of each
-- product that is sold out is slow.
drop view v_products_sold_out;
drop view v_products_low;

create view v_products_sold_out with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where quantity_on_hand <= quantity_reserved;
grant select on v_products_sold_out to spp_app, spp_system;

create view v_products_low with (security_invoker = true) as
select
  seller_id,
  product_id
from inventory
where quantity_on_hand is not null
  and reorder_point is not null
  and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
grant select on v_products_low to spp_app, spp_system;

create view v_products_archived_stock with (security_invoker = true) as
select
  p.seller_id,
  i.is_sold_out,
  i.is_low
from product p
cross join lateral (
  select
    quantity_on_hand <= quantity_reserved as is_sold_out,
    greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point
      and quantity_on_hand is not null as is_low
  from inventory
  where seller_id = p.seller_id
    and product_id = p.product_id
  offset 0
) i
where p.status = 'archived';
grant select on v_products_archived_stock to spp_app, spp_system;
