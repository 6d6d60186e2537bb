-- owner: products
--
-- For the categories in which a seller sells: those of active products without a price, which
-- product_on_sale leaves out. There are few of them, so the index is small.
create index product_unpriced on product (seller_id, category)
  where status = 'active'
    and price_minor is null;

create view v_products_unpriced with (security_invoker = true) as
select
  seller_id,
  category
from product
where status = 'active'
  and price_minor is null;
grant select on v_products_unpriced to spp_app, spp_system;
