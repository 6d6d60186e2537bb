-- owner: products
--
-- For promotions: what buyers can order, and its price.
create view v_products_on_sale with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  price_minor,
  currency
from product
where status = 'active'
  and price_minor is not null;
grant select on v_products_on_sale to spp_app, spp_system;
