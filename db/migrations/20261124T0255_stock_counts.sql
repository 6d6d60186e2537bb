-- owner: products
--
-- For the dashboard: stock that is sold out, and stock at or below its reorder point. The indexes hold only
-- these rows; archived products are few, and have an index of their own.
create index inventory_sold_out on inventory (seller_id, product_id)
  where quantity_on_hand <= quantity_reserved;
create index inventory_low on inventory (seller_id, product_id)
  where quantity_on_hand is not null
    and reorder_point is not null
    and greatest(quantity_on_hand - quantity_reserved, 0) <= reorder_point;
create index product_archived on product (seller_id, product_id) where status = 'archived';

create view v_products_sold_out with (security_invoker = true) as
select
  i.seller_id,
  i.product_id
from inventory i
where i.quantity_on_hand <= i.quantity_reserved
  and not exists (
    select 1
    from product p
    where p.seller_id = i.seller_id
      and p.product_id = i.product_id
      and p.status = 'archived'
  );
grant select on v_products_sold_out to spp_app, spp_system;

create view v_products_low with (security_invoker = true) as
select
  i.seller_id,
  i.product_id
from inventory i
where i.quantity_on_hand is not null
  and i.reorder_point is not null
  and greatest(i.quantity_on_hand - i.quantity_reserved, 0) <= i.reorder_point
  and not exists (
    select 1
    from product p
    where p.seller_id = i.seller_id
      and p.product_id = i.product_id
      and p.status = 'archived'
  );
grant select on v_products_low to spp_app, spp_system;
