-- owner: products
--
-- What a conversation about a product may name.
create view v_products_conversation with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  gtin14,
  price_minor,
  currency
from product;
grant select on v_products_conversation to spp_app, spp_system;
