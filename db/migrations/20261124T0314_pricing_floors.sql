-- owner: pricing
--
-- For promotions: prices that the seller does not want to go below.
create view v_pricing_floor with (security_invoker = true) as
select
  seller_id,
  product_id,
  floor_minor
from price_guardrail
where floor_minor is not null;
grant select on v_pricing_floor to spp_app, spp_system;
