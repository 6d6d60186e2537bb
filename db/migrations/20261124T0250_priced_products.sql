-- owner: products
--
-- What a price is recommended for. Whether buyers see a product, apart from a closing of its seller.
create view v_products_priced with (security_invoker = true) as
select p.seller_id,
       p.product_id,
       p.seller_sku,
       p.category,
       p.price_minor,
       p.currency,
       p.version,
       coalesce(i.version, 0) as stock_version,
       p.status = 'active'
         and p.curation_state <> 'suspended'
         and p.live_version is not null
         and p.seller_sku is not null as is_visible
  from product p
  left join inventory i on i.seller_id = p.seller_id and i.product_id = p.product_id
 where p.status <> 'archived';
grant select on v_products_priced to spp_app, spp_system;
