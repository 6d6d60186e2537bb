-- owner: products
--
-- For figures about products: how the seller names them, and where they stand in the catalogue. Archived ones
-- too, because figures of the past are about them.
create view v_products_named with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  status
from product;
grant select on v_products_named to spp_app, spp_system;
