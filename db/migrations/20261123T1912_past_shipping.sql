-- owner: shipping
--
-- Profiles and rules as they were, beside those of now (`held_until` infinity).
create trigger past_profile after update on shipping_profile
  for each row execute function keep_past_row(
    'profile_id', 'is_default', 'handling_days', 'cut_off', 'timezone', 'working_days', 'created_at');
create trigger past_rule after update on shipping_rule
  for each row execute function keep_past_row(
    'rule_id', 'profile_id', 'position', 'enabled', 'skus', 'sku_prefixes', 'categories', 'created_at');

create view v_shipping_held_profile with (security_invoker = true) as
select
  seller_id,
  'infinity'::timestamptz as held_until,
  profile_id,
  is_default,
  handling_days,
  cut_off,
  timezone,
  working_days,
  created_at
from shipping_profile
union all
select
  p.seller_id,
  p.held_until,
  r.profile_id,
  r.is_default,
  r.handling_days,
  r.cut_off,
  r.timezone,
  r.working_days,
  r.created_at
from v_platform_past p
cross join lateral jsonb_populate_record(null::shipping_profile, p.content) r
where p.of_table = 'shipping_profile';
grant select on v_shipping_held_profile to spp_app, spp_system;

create view v_shipping_held_rule with (security_invoker = true) as
select
  seller_id,
  'infinity'::timestamptz as held_until,
  rule_id,
  profile_id,
  position,
  enabled,
  skus,
  sku_prefixes,
  categories,
  created_at
from shipping_rule
union all
select
  p.seller_id,
  p.held_until,
  r.rule_id,
  r.profile_id,
  r.position,
  r.enabled,
  r.skus,
  r.sku_prefixes,
  r.categories,
  r.created_at
from v_platform_past p
cross join lateral jsonb_populate_record(null::shipping_rule, p.content) r
where p.of_table = 'shipping_rule';
grant select on v_shipping_held_rule to spp_app, spp_system;
