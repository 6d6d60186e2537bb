-- owner: products
--
-- All products of a seller, archived ones too: ratings come for them as well.
create view v_products_known with (security_invoker = true) as
select
  seller_id,
  product_id
from product;
grant select on v_products_known to spp_app, spp_system;
