-- owner: products
--
-- What a price and a cost are about.
create view v_products_offered with (security_invoker = true) as
select seller_id,
       product_id,
       seller_sku
  from product;
grant select on v_products_offered to spp_app, spp_system;
