-- owner: products
--
-- Products that are approved already. Row-level security would show the migration none of them. The version
-- behind a change is older than the change; which one it was is not known.
alter table product no force row level security;
update product
   set live_version = case when curation_state = 'approved' then version else greatest(version - 1, 1) end,
       approved_at = coalesce(curated_at, updated_at)
 where curation_state = 'approved'
    or (approved is not null and curation_state in ('pending', 'rejected'));
alter table product force row level security;

-- Days from reordering a product to its arrival; null: the setting `default_lead_time_days` holds.
alter table inventory add column lead_time_days integer check (lead_time_days between 0 and 365);

-- A connected store changes products, too: its channel is the actor, and the delivery says what it sent.
alter table product_change
  add column delivery_id id,
  drop constraint product_change_actor_kind_check,
  add constraint product_change_actor_kind_check
    check (actor_kind in ('member', 'marketplace', 'channel', 'system')) not valid;

-- What onboarding asks about products: is one active without an error among its issues, does a buyer see one.
-- A buyer sees the approved version: `approved` has the reviewed fields in which it differs from the product.
-- The indexes find the answer also where none of half a million products is active, or none is approved yet.
create index product_active on product (seller_id)
  where status = 'active'
    and not issues @> '[{"severity": "error"}]';
create index product_live on product (seller_id)
  where status = 'active'
    and not issues @> '[{"severity": "error"}]'
    and curation_state <> 'suspended'
    and live_version is not null
    and seller_sku is not null
    and price_minor is not null
    and case when approved ? 'title' then approved->>'title' else title end is not null
    and case when approved ? 'identity' then approved->>'identity' else identity_strategy end is not null;

create view v_products_onboarding with (security_invoker = true) as
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
grant select on v_products_onboarding to spp_app, spp_system;

-- Feed runs whose file the service reads from a connected store. `source.channel_id` names the channel, in
-- the run that reads and in those that commit or revert it. None of them counts towards the runs of a day.
alter table feed_run
  drop constraint feed_run_kind_check,
  add constraint feed_run_kind_check
  check (kind in ('products', 'inventory', 'profile_import', 'channel_import', 'commit', 'revert'));

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
