-- owner: products
--
-- What onboarding asks about products: is one active, does a buyer see one. The indexes find the answer also
-- where none of half a million products is active, or none is approved yet.
create index product_active on product (seller_id) where status = 'active';
create index product_live on product (seller_id)
  where status = 'active'
    and curation_state <> 'suspended'
    and live_version is not null
    and price_minor is not null;

create view v_products_onboarding with (security_invoker = true) as
select
  seller_id,
  (curation_state <> 'suspended' and live_version is not null and price_minor is not null) as is_live
from product
where status = 'active';
grant select on v_products_onboarding to spp_app, spp_system;
