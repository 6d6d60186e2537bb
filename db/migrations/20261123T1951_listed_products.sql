-- owner: products
--
-- For channels: what a product says beside what a connected store says, and whether buyers find it.
create view v_products_listed with (security_invoker = true) as
select
  p.seller_id,
  p.product_id,
  p.title,
  p.description,
  p.brand,
  p.category,
  p.images,
  p.attributes,
  p.price_minor,
  p.compare_at_minor,
  p.status,
  p.curation_state,
  (p.live_version is not null and p.curation_state <> 'suspended') as is_live,
  (p.seller_sku is not null and p.price_minor is not null and p.title is not null) as is_complete,
  (i.quantity_on_hand <= i.quantity_reserved) as is_sold_out
from product p
left join inventory i
  on i.seller_id = p.seller_id
 and i.product_id = p.product_id;
grant select on v_products_listed to spp_app, spp_system;
