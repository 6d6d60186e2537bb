-- owner: products
--
-- What onboarding asks about products: is one active without an error among its issues, does a buyer see one.
-- A buyer sees the approved version: `approved` has the reviewed fields in which it differs from the product.
drop index product_active;
create index product_active on product (seller_id)
  where status = 'active'
    and not issues @> '[{"severity": "error"}]';
drop index product_live;
create index product_live on product (seller_id)
  where status = 'active'
    and not issues @> '[{"severity": "error"}]'
    and curation_state <> 'suspended'
    and live_version is not null
    and seller_sku is not null
    and price_minor is not null
    and case when approved ? 'title' then approved->>'title' else title end is not null
    and case when approved ? 'identity' then approved->>'identity' else identity_strategy end is not null;

create or replace view v_products_onboarding with (security_invoker = true) as
select
  seller_id,
  (
    curation_state <> 'suspended'
      and live_version is not null
      and seller_sku is not null
      and price_minor is not null
      and case when approved ? 'title' then approved->>'title' else title end is not null
      and case when approved ? 'identity' then approved->>'identity' else identity_strategy end is not null
  ) as is_live
from product
where status = 'active'
  and not issues @> '[{"severity": "error"}]';
