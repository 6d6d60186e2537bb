-- owner: products
--
-- A run counts towards the quota of a day when it has changed products. Whether an unfinished run will do so
-- is not known yet; a seller's writing runs come one after the other, and each counts those before it.
create or replace view v_products_feed_runs with (security_invoker = true) as
select
  seller_id,
  run_id,
  status,
  received_at,
  not dry_run
  and mode <> 'inventory'
  and kind <> 'revert'
  and source ->> 'channel_id' is null
  and (counts ->> 'created')::int + (counts ->> 'updated')::int
    + (counts ->> 'deactivated')::int + (counts ->> 'staged')::int > 0 as uses_quota
from feed_run;

-- The products that questions and answers may be about.
create view v_products_brand with (security_invoker = true) as
select
  seller_id,
  product_id,
  brand
from product
where status <> 'archived';
grant select on v_products_brand to spp_app, spp_system;

-- What a conversation about a product may name.
create view v_products_conversation with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  gtin14,
  price_minor,
  currency
from product;
grant select on v_products_conversation to spp_app, spp_system;

-- All products of a seller, archived ones too: ratings come for them as well.
create view v_products_known with (security_invoker = true) as
select
  seller_id,
  product_id
from product;
grant select on v_products_known to spp_app, spp_system;

-- What a price and a cost are about.
create view v_products_offered with (security_invoker = true) as
select seller_id,
       product_id,
       seller_sku
  from product;
grant select on v_products_offered to spp_app, spp_system;

-- For figures about products: how the seller names them, and where they stand in the catalogue. Archived ones
-- too, because figures of the past are about them.
create view v_products_named with (security_invoker = true) as
select
  seller_id,
  product_id,
  seller_sku,
  category,
  status
from product;
grant select on v_products_named to spp_app, spp_system;

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

-- For the dashboard: stock that is sold out, and stock at or below its reorder point. The indexes hold only
-- these rows; archived products are few, and have an index of their own.
create index product_archived on product (seller_id, product_id) where status = 'archived';
