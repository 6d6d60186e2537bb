-- owner: products
--
-- An order that is told late follows the rules of its time, also for a product that names a profile by now.
-- So the view has the categories of these products too.
create or replace view v_products_shipped with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  shipping_profile_id
from product
where status <> 'archived' and seller_sku is not null;
