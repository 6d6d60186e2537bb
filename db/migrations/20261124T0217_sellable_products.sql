-- owner: products
--
-- For facts and forecasts: what a product is called, since when it exists, whether buyers find it, and what
-- is known of its supply.
create view v_products_sellable with (security_invoker = true) as
select
  p.seller_id,
  p.product_id,
  p.seller_sku,
  p.category,
  p.status,
  p.created_at,
  (
    p.status = 'active'
      and p.live_version is not null
      and p.curation_state <> 'suspended'
      and p.seller_sku is not null
      and p.price_minor is not null
      and case when p.approved ? 'title' then p.approved->>'title' else p.title end is not null
      and case when p.approved ? 'identity' then p.approved->>'identity' else p.identity_strategy end
        is not null
  ) as is_visible,
  i.quantity_on_hand,
  coalesce(i.quantity_reserved, 0) as quantity_reserved,
  i.lead_time_days
from product p
left join inventory i
  on i.seller_id = p.seller_id
  and i.product_id = p.product_id;
grant select on v_products_sellable to spp_app, spp_system;
