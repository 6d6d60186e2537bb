-- owner: products
--
-- The products that questions and answers may be about.
create view v_products_brand with (security_invoker = true) as
select
  seller_id,
  product_id,
  brand
from product
where status <> 'archived';
grant select on v_products_brand to spp_app, spp_system;
