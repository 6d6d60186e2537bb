-- owner: products
--
-- The shipping profile that a product names; null: the shipping rules choose. A write of it holds the row of
-- the profile, and the deletion of a profile counts the products that name it.
alter table product add column shipping_profile_id id;
create index product_shipping_profile on product (seller_id, shipping_profile_id)
  where shipping_profile_id is not null;

-- Orders that are told late follow the profile that the product named when they were placed.
create trigger past_profile after update on product
  for each row when (old.shipping_profile_id is distinct from new.shipping_profile_id)
  execute function keep_past_row('product_id', 'seller_sku', 'shipping_profile_id');

create view v_products_own_profile with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  status = 'archived' as archived,
  shipping_profile_id as profile_id
from product
where shipping_profile_id is not null;
grant select on v_products_own_profile to spp_app, spp_system;

-- An order that is told late follows the rules of its time, also for a product that names a profile by now.
-- So the view has these products, too.
create or replace view v_products_shipped with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  shipping_profile_id
from product
where status <> 'archived' and seller_sku is not null;
